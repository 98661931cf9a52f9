import * as s from '../../core/schema/define.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { lengthOf } from '../../resources/fields.js';
import { isTime, timeMs } from '../clock.js';
import { stub, type Operation, type Stub } from '../operations/operation.js';
import { settingsChange } from '../settings.js';

const postedText = s.refine(s.string, (value) =>
  lengthOf(value) > 2000 ? 'a question or answer has at most 2000 characters' : undefined,
);
const time = s.refine(s.dateTime, (value) =>
  isTime(timeMs(value))
    ? undefined
    : 'a time is an ISO 8601 string from the years 1 to 9999, e.g. "2026-03-02T09:30:00Z"',
);
/** A token that a user chooses. */
export const ownToken = s.refine(s.string, (value) =>
  /^[\w.~+/=-]+$/.test(value) ? undefined : 'a token has only letters, digits and . ~ + / = _ -',
);

/** A user, with an optional fixed token. */
const seededUser = s.strictObject({
  user_id: s.optional(s.integer),
  nickname: s.optional(s.string),
  site_id: s.optional(s.string),
  token: s.optional(ownToken),
  application_id: s.nullish(s.integer),
});

/** An item; `flex` enables Flex on it. */
const seededItem = s.strictObject({
  item_id: s.optional(s.string),
  seller_id: s.integer,
  title: s.optional(s.string),
  site_id: s.optional(s.string),
  status: s.optional(s.enumOf('active', 'paused', 'closed', 'under_review')),
  flex: s.optional(s.boolean),
});

/** A question of the user `from`, with its answer. */
const seededQuestion = s.strictObject({
  question_id: s.optional(s.integer),
  item_id: s.string,
  from: s.integer,
  text: postedText,
  asked_at: s.optional(time),
  answer: s.optional(postedText),
  answered_at: s.optional(time),
  hold: s.optional(s.boolean),
  deleted_from_listing: s.optional(s.boolean),
});

/** A user who may not ask a seller. */
const seededBlock = s.strictObject({ seller_id: s.integer, user_id: s.integer });

/** A message in the conversation of its pack. */
const seededMessage = s.strictObject({
  from: s.enumOf('buyer', 'seller'),
  text: s.string,
  sent_at: s.optional(time),
});

export const shippingMode = s.enumOf('flex', 'cross_docking', 'drop_off', 'fulfilment', 'custom');

/** A sale with its messages. */
export const seededPack = s.strictObject({
  pack_id: s.nullish(s.int64),
  order_ids: s.optional(s.array(s.integer)),
  seller_id: s.integer,
  buyer_id: s.integer,
  site_id: s.optional(s.string),
  shipping: s.optional(shippingMode),
  delivered: s.optional(s.boolean),
  exceptedCase: s.optional(s.boolean),
  inMediation: s.optional(s.boolean),
  claim_id: s.nullish(s.integer),
  shipping_id: s.nullish(s.integer),
  agent_id: s.nullish(s.integer),
  blockedBy: s.nullish(s.string),
  messages: s.optional(s.array(seededMessage)),
});

const seededMatch = s.strictObject({
  method: s.optional(s.string),
  path: s.optional(s.string),
  body: s.optional(s.unknown),
  user_id: s.optional(s.integer),
});

/** A fault: the fields of `Fault`, with the endpoint's name instead of the endpoint. */
export const seededFault = s.strictObject({
  endpoint: s.optional(s.string),
  status: s.optional(s.integer),
  body: s.optional(s.unknown),
  headers: s.optional(s.record),
  after: s.optional(s.boolean),
  reset: s.optional(s.enumOf('before', 'after')),
  stall: s.optional(s.union(s.boolean, s.enumOf('headers'))),
  truncate: s.optional(s.boolean),
  delayMs: s.optional(s.integer),
  match: s.optional(seededMatch),
  skip: s.optional(s.integer),
  times: s.optional(s.integer),
  probability: s.optional(s.number),
  seed: s.optional(s.integer),
});

const seededSubscription = s.strictObject({
  user_id: s.integer,
  mode: s.optional(s.enumOf('FLEX', 'TURBO')),
  status: s.optional(s.enumOf('in', 'out', 'pending')),
  service_id: s.optional(s.integer),
  extendedRange: s.optional(s.boolean),
});
const seededShipment = s.strictObject({ user_id: s.integer, driver_id: s.optional(s.integer) });

/** Contacts about an item. */
const seededContact = s.strictObject({
  kind: s.enumOf('question', 'phone_view'),
  item_id: s.string,
  at: s.optional(time),
  times: s.optional(s.integer),
});

const content = {
  now: s.optional(time),
  settings: s.optional(settingsChange),
  users: s.optional(s.array(seededUser)),
  items: s.optional(s.array(seededItem)),
  questions: s.optional(s.array(seededQuestion)),
  blacklist: s.optional(s.array(seededBlock)),
  packs: s.optional(s.array(seededPack)),
  flex: s.optional(
    s.strictObject({
      subscriptions: s.optional(s.array(seededSubscription)),
      shipments: s.optional(s.array(seededShipment)),
    }),
  ),
  contacts: s.optional(s.array(seededContact)),
  faults: s.optional(s.array(seededFault)),
  /** The state of operations: tables of entries by their id. */
  records: s.optional(s.record),
};

/** The initial content of a marketplace as JSON. Its operations are stubs. */
export const seed = s.strictObject({ ...content, operations: s.optional(s.array(stub)) });
/** The same in a program or a module, whose operations may also have functions. They are checked when they are added. */
export const moduleSeed = s.strictObject({ ...content, operations: s.optional(s.array(s.unknown)) });

export interface Seed extends Output<typeof moduleSeed> {}
/** A seed before validation; its operations receive a marketplace. */
export interface SeedOf<Marketplace = unknown> extends Omit<Input<typeof seed>, 'operations'> {
  /** Stubs and operations of your own, until a reset. */
  readonly operations?: readonly (Stub | Operation<unknown, Marketplace>)[] | undefined;
}
export interface SeededPack extends Output<typeof seededPack> {}
export interface SeededFault extends Output<typeof seededFault> {}

const minute = 60_000;

/** Creates the default seed: a small marketplace with some history. */
export function sample(now = Date.now()): SeedOf {
  const ago = (minutes: number): string => new Date(now - minutes * minute).toISOString();
  return {
    users: [
      { user_id: 1001, nickname: 'MATE_AND_CO', site_id: 'MLA', token: 'SELLER-TOKEN' },
      { user_id: 1002, nickname: 'LUCIA', site_id: 'MLA', token: 'BUYER-TOKEN' },
      { user_id: 1003, nickname: 'TOMAS', site_id: 'MLA' },
    ],
    items: [
      { item_id: 'MLA600000001', seller_id: 1001, title: 'Calabash mate cup with silver rim', flex: true },
      { item_id: 'MLA600000002', seller_id: 1001, title: 'Bombilla, stainless steel, 19 cm' },
      { item_id: 'MLA600000003', seller_id: 1001, title: 'Thermos, one litre, green', status: 'paused' },
    ],
    questions: [
      {
        item_id: 'MLA600000001',
        from: 1003,
        text: 'Does it come cured?',
        asked_at: ago(190),
        answer: 'Yes, it is cured and ready for its first mate.',
        answered_at: ago(162),
      },
      { item_id: 'MLA600000002', from: 1003, text: 'Does the filter come off for washing?', asked_at: ago(47) },
      { item_id: 'MLA600000001', from: 1002, text: '¿Hacen envíos a Córdoba?', asked_at: ago(6) },
      // What a list of unanswered questions also has: none of these can be answered. Wire notes 29.
      { item_id: 'MLA600000002', from: 1002, text: 'Can I call you?', asked_at: ago(40), hold: true },
      {
        item_id: 'MLA600000001',
        from: 1003,
        text: 'Is there a kit with both?',
        asked_at: ago(30),
        deleted_from_listing: true,
      },
      { item_id: 'MLA600000003', from: 1003, text: 'When is the thermos back?', asked_at: ago(20) },
    ],
    packs: [
      {
        pack_id: 2_000_000_000_000_001,
        seller_id: 1001,
        buyer_id: 1002,
        shipping: 'flex',
        messages: [
          { from: 'buyer', text: 'Hello! Could it come after six in the evening?', sent_at: ago(31) },
          { from: 'seller', text: 'Of course. The driver has it in the last round.', sent_at: ago(24) },
        ],
      },
      {
        pack_id: 2_000_000_000_000_002,
        seller_id: 1001,
        buyer_id: 1003,
        shipping: 'cross_docking',
        blockedBy: 'blocked_by_cancelled_order',
        messages: [{ from: 'buyer', text: 'I found one closer to home, sorry.', sent_at: ago(75) }],
      },
      // A single order, without a pack: its id is that of the conversation. Wire notes 27.
      {
        pack_id: null,
        order_ids: [3_000_000_000_000_101],
        seller_id: 1001,
        buyer_id: 1003,
        shipping: 'drop_off',
      },
    ],
    flex: { subscriptions: [{ user_id: 1001 }], shipments: [{ user_id: 1001, driver_id: 77 }] },
    contacts: [{ kind: 'phone_view', item_id: 'MLA600000001', at: ago(90), times: 4 }],
  };
}
