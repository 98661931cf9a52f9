import {
  array,
  boolean,
  dateTime,
  enumOf,
  integer,
  nullish,
  number,
  optional,
  strictObject,
  record,
  refine,
  string,
  union,
  unknown,
} from '../../core/schema/define.js';
import { isTime, timeMs } from '../clock.js';
import type { Operation } from '../operations/operation.js';
import { stub } from '../operations/stub.js';
import type { Stub } from '../operations/stub.js';
import { settingsChange } from './settings-schema.js';
import { lengthOf } from '../../resources/fields.js';
import type { Input, Output } from '../../core/schema/schema.js';

const postedText = refine(string, (value) =>
  lengthOf(value) > 2000 ? 'a question or answer has at most 2000 characters' : undefined,
);
const time = refine(dateTime, (value) =>
  isTime(timeMs(value))
    ? undefined
    : 'a time is an ISO 8601 string from the years 1 to 9999, e.g. "2026-03-02T09:30:00Z"',
);
/** A token that a user chooses. */
export const ownToken = refine(string, (value) =>
  /^[\w.~+/=-]+$/.test(value) ? undefined : 'a token has only letters, digits and . ~ + / = _ -',
);

/** A user, with an optional fixed token. */
const seededUser = strictObject({
  user_id: optional(integer),
  nickname: optional(string),
  site_id: optional(string),
  token: optional(ownToken),
  application_id: nullish(integer),
});

/** An item; `flex` enables Flex on it. */
const seededItem = strictObject({
  item_id: optional(string),
  seller_id: integer,
  title: optional(string),
  site_id: optional(string),
  status: optional(enumOf('active', 'paused', 'closed', 'under_review')),
  flex: optional(boolean),
});

/** A question of the user `from`, with its answer. */
const seededQuestion = strictObject({
  question_id: optional(integer),
  item_id: string,
  from: integer,
  text: postedText,
  asked_at: optional(time),
  answer: optional(postedText),
  answered_at: optional(time),
  hold: optional(boolean),
  deleted_from_listing: optional(boolean),
});

/** A user who may not ask a seller. */
const seededBlock = strictObject({ seller_id: integer, user_id: integer });

/** A message in the conversation of its pack. */
const seededMessage = strictObject({
  from: enumOf('buyer', 'seller'),
  text: string,
  sent_at: optional(time),
});

export const shippingMode = enumOf('flex', 'cross_docking', 'drop_off', 'fulfilment', 'custom');

/** The id of a pack: a number, or its digits if it is beyond 2^53. */
export const packId = union(integer, string);

/** A sale with its messages. */
export const seededPack = strictObject({
  pack_id: nullish(packId),
  order_ids: optional(array(integer)),
  seller_id: integer,
  buyer_id: integer,
  site_id: optional(string),
  shipping: optional(shippingMode),
  delivered: optional(boolean),
  exceptedCase: optional(boolean),
  inMediation: optional(boolean),
  claim_id: nullish(integer),
  shipping_id: nullish(integer),
  agent_id: nullish(integer),
  blockedBy: nullish(string),
  messages: optional(array(seededMessage)),
});

const seededMatch = strictObject({
  method: optional(string),
  path: optional(string),
  body: optional(unknown),
  user_id: optional(integer),
});

/** A fault: the fields of `Fault`, with the endpoint's name instead of the endpoint. */
export const seededFault = strictObject({
  endpoint: optional(string),
  status: optional(integer),
  body: optional(unknown),
  headers: optional(record),
  after: optional(boolean),
  reset: optional(enumOf('before', 'after')),
  stall: optional(union(boolean, enumOf('headers'))),
  truncate: optional(boolean),
  delayMs: optional(integer),
  match: optional(seededMatch),
  skip: optional(integer),
  times: optional(integer),
  probability: optional(number),
  seed: optional(integer),
});

const seededSubscription = strictObject({
  user_id: integer,
  mode: optional(enumOf('FLEX', 'TURBO')),
  status: optional(enumOf('in', 'out', 'pending')),
  service_id: optional(integer),
  extendedRange: optional(boolean),
});
const seededShipment = strictObject({ user_id: integer, driver_id: optional(integer) });

/** Contacts about an item. */
const seededContact = strictObject({
  kind: enumOf('question', 'phone_view'),
  item_id: string,
  at: optional(time),
  times: optional(integer),
});

const content = {
  now: optional(time),
  settings: optional(settingsChange),
  users: optional(array(seededUser)),
  items: optional(array(seededItem)),
  questions: optional(array(seededQuestion)),
  blacklist: optional(array(seededBlock)),
  packs: optional(array(seededPack)),
  flex: optional(
    strictObject({ subscriptions: optional(array(seededSubscription)), shipments: optional(array(seededShipment)) }),
  ),
  contacts: optional(array(seededContact)),
  faults: optional(array(seededFault)),
  /** The state of operations: tables of entries by their id. */
  records: optional(record),
};

/** The initial content of a marketplace as JSON. Its operations are stubs. */
export const seed = strictObject({ ...content, operations: optional(array(stub)) });
/** The same in a program or a module, whose operations may also have functions. They are checked when they are added. */
export const moduleSeed = strictObject({ ...content, operations: optional(array(unknown)) });

export interface Seed extends Output<typeof moduleSeed> {}
/** A seed before validation; its operations receive a marketplace. */
export interface SeedOf<Marketplace = unknown> extends Omit<Input<typeof seed>, 'operations'> {
  /** Stubs and operations of your own, until a reset. */
  readonly operations?: readonly (Stub | Operation<unknown, Marketplace>)[] | undefined;
}
export interface SeededPack extends Output<typeof seededPack> {}
export interface SeededFault extends Output<typeof seededFault> {}
