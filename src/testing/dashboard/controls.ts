import { defined } from '../../core/json/json.js';
import * as s from '../../core/schema/define.js';
import type { Schema } from '../../core/schema/schema.js';
import { FakeMarketplaceError, inField } from '../errors.js';
import { lengthOf } from '../../resources/fields.js';
import { senderOf, faultFrom } from '../seed/apply.js';
import { seed, seededFault, seededPack, shippingMode } from '../seed/schema.js';
import { stub } from '../operations/operation.js';
import { nextIdNames, setNextIds } from '../state/stores.js';
import { numberOf } from '../state/packs.js';
import { bodyless, control, type Control } from './control.js';
import { environmentControls, notificationControls } from './environment-controls.js';

function textUpTo(max: number): Schema<string> {
  return s.refine(s.string, (value) => {
    if (value.trim() === '') return '`text` is empty';
    return lengthOf(value) > max ? `\`text\` has at most ${max} characters` : undefined;
  });
}

/** The id of a pack: a number, or its digits if it is beyond 2^53. */
const pack = s.int64;
const question = s.strictObject({ question_id: s.integer });

/** The control endpoints, by method and path. Faults do not apply to them. */
export const controls: Readonly<Record<string, Control>> = {
  'POST /__fake/seed': control('Adds a seed', seed, (marketplace, input) => {
    marketplace.seed(input);
    const { all, bearers } = marketplace.accounts;
    // The oldest token of a user is the one that the seed names.
    const tokens = new Map(bearers.toReversed().map(({ user_id, token }) => [user_id, token]));
    return { users: all.map((user) => ({ ...user, token: tokens.get(user.user_id) ?? null })) };
  }),

  'POST /__fake/questions': control(
    'Asks a question as a buyer',
    s.strictObject({
      from: s.integer,
      item_id: s.string,
      text: textUpTo(2000),
      hold: s.optional(s.boolean),
      deleted_from_listing: s.optional(s.boolean),
    }),
    ({ accounts, items, questions }, { from, item_id, text, ...marks }) => {
      const { user_id } = inField('from', () => accounts.getOrThrow(from));
      const item = inField('item_id', () => items.getOrThrow(item_id));
      return { id: questions.add(item, user_id, text, marks).id };
    },
  ),

  'POST /__fake/bans': control(
    'Bans a question, as moderation does',
    question,
    ({ questions }, { question_id }) => void inField('question_id', () => questions.ban(question_id)),
  ),

  'POST /__fake/answers': control(
    'Answers a question as its seller',
    s.strictObject({ question_id: s.integer, text: textUpTo(2000) }),
    ({ questions }, input) => void inField('question_id', () => questions.answer(input.question_id, input.text)),
  ),

  'POST /__fake/disabled-answers': control(
    'Disables an answer, as moderation does',
    question,
    ({ questions }, { question_id }) => void inField('question_id', () => questions.disableAnswer(question_id)),
  ),

  'POST /__fake/blacklist': control(
    'Blocks a user from asking a seller, or unblocks the user',
    s.strictObject({ seller_id: s.integer, user_id: s.integer, blocked: s.boolean }),
    ({ accounts, questions }, { seller_id, user_id, blocked }) => {
      inField('seller_id', () => accounts.getOrThrow(seller_id));
      inField('user_id', () => accounts.getOrThrow(user_id));
      if (seller_id === user_id) throw new FakeMarketplaceError('`user_id` is the seller');
      if (blocked) questions.block(user_id, seller_id);
      else questions.unblock(user_id, seller_id);
    },
  ),

  'POST /__fake/messages': control(
    'Writes a message as buyer or seller',
    s.strictObject({ pack, from: s.enumOf('buyer', 'seller'), text: textUpTo(3500) }),
    ({ packs, messages }, input) => {
      const found = inField('pack', () => packs.getOrThrow(input.pack));
      messages.add(found, { from: senderOf(found, input.from), text: input.text });
    },
  ),

  'POST /__fake/moderation': control(
    'Chooses when messages are moderated, and what is decided about a text; moderates the pending ones',
    s.strictObject({
      mode: s.nullish(s.enumOf('atOnce', 'later')),
      text: s.optional(s.string),
      reason: s.nullish(s.string),
      run: s.nullish(s.boolean),
    }),
    ({ messages }, { mode, text, reason, run }) => {
      if (reason !== undefined && text === undefined)
        throw new FakeMarketplaceError('`reason` needs the `text` that it is about');
      if (text !== undefined) messages.choose(text, reason ?? null);
      if (mode) messages.moderation = mode;
      return { moderated: run ? messages.moderate().length : 0 };
    },
  ),

  'POST /__fake/contacts': control(
    'Records clicks on "See phone" of an item, or questions of guests',
    s.strictObject({
      kind: s.enumOf('question', 'phone_view'),
      item_id: s.string,
      at: s.nullish(s.string),
      times: s.nullish(s.integer),
    }),
    ({ contacts, items }, { kind, item_id, at, times }) => {
      const item = inField('item_id', () => items.getOrThrow(item_id));
      contacts.record(kind, item, { at: at ?? undefined, times: times ?? undefined });
    },
  ),

  'POST /__fake/next-ids': control(
    'Sets the ids that the next entries get',
    s.strictObject(Object.fromEntries(nextIdNames.map((name) => [name, s.optional(s.integer)]))),
    (marketplace, ids) => setNextIds(marketplace, ids),
  ),

  'POST /__fake/reads': control(
    'Marks the messages to a user in a pack as read',
    s.strictObject({ pack, user_id: s.integer }),
    ({ accounts, packs, messages }, input) => {
      const found = inField('pack', () => packs.getOrThrow(input.pack));
      const { user_id } = inField('user_id', () => accounts.getOrThrow(input.user_id));
      messages.markAsRead(user_id, found);
    },
  ),

  'POST /__fake/conversations': control(
    'Blocks or unblocks a conversation, or changes its sale',
    s.strictObject({
      pack,
      blockedBy: s.nullish(s.string),
      delivered: s.optional(s.boolean),
      inMediation: s.optional(s.boolean),
      exceptedCase: s.optional(s.boolean),
      shipping: s.optional(shippingMode),
      claim_id: s.nullish(s.integer),
      shipping_id: s.nullish(s.integer),
      agent_id: s.nullish(s.integer),
    }),
    ({ packs }, input) => {
      const { pack: number, ...change } = input;
      const found = inField('pack', () => packs.getOrThrow(number));
      if (Object.keys(change).length === 0) throw new FakeMarketplaceError('a change is missing, e.g. `blockedBy`');
      packs.change(found, defined(change));
    },
  ),

  'POST /__fake/packs': control('Adds a sale, with messages', seededPack, (marketplace, input) => {
    marketplace.seed({ packs: [input] });
    const added = marketplace.packs.all.at(-1);
    return { pack: added && numberOf(added) };
  }),

  'POST /__fake/items': control(
    'Changes the status of an item',
    s.strictObject({ item_id: s.string, status: s.enumOf('active', 'paused', 'closed', 'under_review') }),
    ({ items }, { item_id, status }) => void inField('item_id', () => items.change(item_id, { status })),
  ),

  'POST /__fake/flex-items': control(
    'Enables or disables Flex on an item, or takes the item down',
    s.strictObject({ item_id: s.string, enabled: s.nullish(s.boolean), down: s.nullish(s.boolean) }),
    ({ flex, items }, { item_id, enabled, down }) => {
      const item = inField('item_id', () => items.getOrThrow(item_id));
      if (typeof enabled === 'boolean') flex.setEnabled(item, enabled);
      if (down === true) flex.takeDown(item);
      if (down === false) flex.bringUp(item);
    },
  ),

  'POST /__fake/flex-subscriptions': control(
    'Changes the status of a Flex subscription',
    s.strictObject({ id: s.integer, status: s.enumOf('in', 'out', 'pending') }),
    ({ flex }, { id, status }) => {
      inField('id', () => flex.getOrThrow(id));
      inField('status', () => flex.setStatus(id, status));
    },
  ),

  'POST /__fake/shipments': control(
    'Creates a delivery order of a seller',
    s.strictObject({ user_id: s.integer }),
    ({ flex }, { user_id }) => ({ shipment_id: inField('user_id', () => flex.ship({ user_id })) }),
  ),

  'POST /__fake/drivers': control(
    'Assigns a driver to a shipment, or removes it',
    s.strictObject({ shipment_id: s.integer, driver_id: s.nullish(s.integer) }),
    ({ flex }, { shipment_id, driver_id }) =>
      inField('shipment_id', () => flex.assignDriver(shipment_id, driver_id ?? undefined)),
  ),

  'POST /__fake/faults': control('Injects a fault', seededFault, ({ faults }, fault) =>
    faults.inject(faultFrom(fault)),
  ),

  'POST /__fake/failures': control(
    'Makes the next call of an endpoint fail with a documented error',
    s.strictObject({
      endpoint: s.string,
      status: s.integer,
      code: s.nullish(s.string),
      message: s.string,
      cause: s.optional(s.unknown),
    }),
    (marketplace, { endpoint, status, code, message, cause }) => {
      inField('endpoint', () => marketplace.operations.routes.assertName(endpoint));
      const overrides = { code: code ?? undefined, cause };
      inField('status', () => marketplace.failNext({ name: endpoint }, { status, message }, overrides));
    },
  ),

  'POST /__fake/operations': control(
    'Responds to the calls of a path with a fixed body, or with several in turn',
    stub,
    ({ operations }, input) => operations.stub(input),
  ),

  'DELETE /__fake/operations': bodyless('Removes all stubs', ({ operations }) => operations.reset()),

  'DELETE /__fake/faults': bodyless('Removes all faults', ({ faults }) => faults.clear()),

  ...environmentControls,
  ...notificationControls,
};
