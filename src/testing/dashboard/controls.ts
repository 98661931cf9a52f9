import { boolean, enumOf, integer, nullish, params, refine, string } from '../../core/schema/schema.js';
import type { Schema } from '../../core/schema/schema.js';
import { senderOf } from '../seed/apply.js';
import { faultFrom } from '../seed/fault.js';
import { seed, seededFault } from '../seed/schema.js';
import { control, bodyless } from './control.js';
import type { Control } from './control.js';
import { environmentControls } from './environment-controls.js';
import { notificationControls } from './notification-controls.js';
import { snapshot } from './snapshot.js';

function textUpTo(max: number): Schema<string> {
  return refine(string, (value) => {
    if (value.trim() === '') return { path: ['text'], message: '`text` is empty' };
    return value.length > max ? { path: ['text'], message: `\`text\` has at most ${max} characters` } : undefined;
  });
}

const pack = integer;
const question = params({ question_id: integer });

/** The control endpoints, by method and path. Faults do not apply to them. */
export const controls: Readonly<Record<string, Control>> = {
  'POST /__fake/seed': control('Adds a seed', seed, (marketplace, input) => {
    marketplace.seed(input);
    return { users: snapshot(marketplace).users };
  }),

  'POST /__fake/questions': control(
    'Asks a question as a buyer',
    params({ from: integer, item_id: string, text: textUpTo(2000) }),
    (marketplace, { from, ...rest }) => ({ id: marketplace.ask({ from: { user_id: from }, ...rest }).id }),
  ),

  'POST /__fake/bans': control(
    'Bans a question, as moderation does',
    question,
    ({ questions }, { question_id }) => void questions.ban(question_id),
  ),

  'POST /__fake/answers': control(
    'Answers a question as its seller',
    params({ question_id: integer, text: textUpTo(2000) }),
    ({ questions }, input) => void questions.answer(input.question_id, input.text),
  ),

  'POST /__fake/disabled-answers': control(
    'Disables an answer, as moderation does',
    question,
    ({ questions }, { question_id }) => void questions.disableAnswer(question_id),
  ),

  'POST /__fake/messages': control(
    'Writes a message as buyer or seller',
    params({ pack, from: enumOf('buyer', 'seller'), text: textUpTo(3500) }),
    ({ packs, messages }, input) => {
      const found = packs.getOrThrow(input.pack);
      messages.add(found, { from: senderOf(found, input.from), text: input.text });
    },
  ),

  'POST /__fake/moderation': control(
    'Chooses when messages are moderated, and moderates the pending ones',
    params({ mode: nullish(enumOf('atOnce', 'later')), run: nullish(boolean) }),
    ({ messages }, { mode, run }) => {
      if (mode) messages.moderation = mode;
      return { moderated: run ? messages.moderate().length : 0 };
    },
  ),

  'POST /__fake/reads': control(
    'Marks the messages to a user in a pack as read',
    params({ pack, user_id: integer }),
    ({ packs, messages }, input) => messages.markAsRead(input.user_id, packs.getOrThrow(input.pack)),
  ),

  'POST /__fake/conversations': control(
    'Blocks or unblocks a conversation',
    params({ pack, blockedBy: nullish(string) }),
    ({ packs }, input) => void packs.change(packs.getOrThrow(input.pack), { blockedBy: input.blockedBy ?? null }),
  ),

  'POST /__fake/items': control(
    'Changes the status of an item',
    params({ item_id: string, status: enumOf('active', 'paused', 'closed', 'under_review') }),
    ({ items }, { item_id, status }) => void items.change(item_id, { status }),
  ),

  'POST /__fake/flex-items': control(
    'Enables or disables Flex on an item, or takes the item down',
    params({ item_id: string, enabled: nullish(boolean), down: nullish(boolean) }),
    ({ flex, items }, { item_id, enabled, down }) => {
      const item = items.getOrThrow(item_id);
      if (typeof enabled === 'boolean') flex.setEnabled(item, enabled);
      if (down === true) flex.takeDown(item);
      if (down === false) flex.bringUp(item);
    },
  ),

  'POST /__fake/flex-subscriptions': control(
    'Changes the status of a Flex subscription',
    params({ id: integer, status: enumOf('in', 'out', 'pending') }),
    ({ flex }, { id, status }) => void flex.setStatus(id, status),
  ),

  'POST /__fake/shipments': control(
    'Creates a delivery order of a seller',
    params({ user_id: integer }),
    ({ flex }, { user_id }) => ({ shipment_id: flex.ship({ user_id }) }),
  ),

  'POST /__fake/drivers': control(
    'Assigns a driver to a shipment, or removes it',
    params({ shipment_id: integer, driver_id: nullish(integer) }),
    ({ flex }, { shipment_id, driver_id }) => flex.assignDriver(shipment_id, driver_id ?? undefined),
  ),

  'POST /__fake/faults': control('Injects a fault', seededFault, ({ faults }, fault) =>
    faults.inject(faultFrom(fault)),
  ),

  'DELETE /__fake/faults': bodyless('Removes all faults', ({ faults }) => faults.clear()),

  ...environmentControls,
  ...notificationControls,
};
