import { boolean, enumOf, integer, nullish, params, refine, string } from '../../core/schema/schema.js';
import type { Schema } from '../../core/schema/schema.js';
import type { ServedMarketplace } from './served-marketplace.js';
import { senderOf } from '../seed/apply.js';
import { readAs, seed, seededFault } from '../seed/schema.js';
import { faultFrom } from '../seed/fault.js';
import { snapshot } from './snapshot.js';

/** Changes the marketplace from outside its API, for the dashboard and for tests in any language. */
export type Control = (marketplace: ServedMarketplace, body: unknown) => unknown;

function control<Input>(
  schema: Schema<Input, unknown>,
  run: (marketplace: ServedMarketplace, input: Input) => unknown,
): Control {
  return (marketplace, body) => run(marketplace, readAs(schema, body));
}

function textUpTo(max: number): Schema<string> {
  return refine(string, (value) => {
    if (value.trim() === '') return { path: ['text'], message: '`text` is empty' };
    return value.length > max ? { path: ['text'], message: `\`text\` has at most ${max} characters` } : undefined;
  });
}

/** The control endpoints, by method and path. Faults do not apply to them. */
export const controls: Readonly<Record<string, Control>> = {
  'POST /__fake/seed': control(seed, (marketplace, input) => {
    marketplace.seed(input);
    return { users: snapshot(marketplace).users };
  }),

  'POST /__fake/questions': control(
    params({ from: integer, item_id: string, text: textUpTo(2000) }),
    (marketplace, { from, ...rest }) => ({ id: marketplace.ask({ from: { user_id: from }, ...rest }).id }),
  ),

  'POST /__fake/answers': control(
    params({ question_id: integer, text: textUpTo(2000) }),
    ({ questions }, input) => void questions.answer(input.question_id, input.text),
  ),

  'POST /__fake/messages': control(
    params({ pack: integer, from: enumOf('buyer', 'seller'), text: textUpTo(3500) }),
    ({ packs, messages }, { pack: number, from, text: messageText }) => {
      const pack = packs.getOrThrow(number);
      messages.add(pack, { from: senderOf(pack, from), text: messageText });
    },
  ),

  'POST /__fake/conversations': control(
    params({ pack: integer, blockedBy: nullish(string) }),
    ({ packs }, { pack, blockedBy }) => void packs.change(packs.getOrThrow(pack), { blockedBy: blockedBy ?? null }),
  ),

  'POST /__fake/items': control(
    params({ item_id: string, status: enumOf('active', 'paused', 'closed', 'under_review') }),
    ({ items }, { item_id, status }) => void items.change(item_id, { status }),
  ),

  'POST /__fake/flex-items': control(params({ item_id: string, enabled: boolean }), ({ flex }, { item_id, enabled }) =>
    flex.setEnabled({ item_id }, enabled),
  ),

  'POST /__fake/faults': control(seededFault, ({ faults }, fault) => faults.inject(faultFrom(fault))),

  'DELETE /__fake/faults': ({ faults }) => faults.clear(),
};
