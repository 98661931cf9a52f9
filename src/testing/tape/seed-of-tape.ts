import { read } from '../../core/schema/read.js';
import type { StandardSchema } from '../../core/schema/schema.js';
import { endpoints } from '../../endpoints.js';
import type { ContactWindow } from '../../resources/contacts/schemas.js';
import type { ConversationResponse } from '../../resources/messages/schemas.js';
import type { SentMessage } from '../../resources/post-sale/message.js';
import type { Question } from '../../resources/questions/schemas.js';
import type { SeedInit } from '../seed/schema.js';
import { moderationOf } from '../state/moderation.js';
import { thingsAsked } from './ids.js';
import type { Thing } from './ids.js';
import { Seen } from './seen.js';
import type { TapeExchange } from './tape.js';

/**
 * Builds the seed of a marketplace in which a tape can be replayed: the users, items, questions, packs, conversations and
 * subscriptions as they were before the tape, as far as its responses show them. Texts are masked, as on the tape.
 */
export function seedOfTape(tape: readonly TapeExchange[]): SeedInit {
  const seen = new Seen();
  for (const exchange of tape) add(exchange, seen);
  return { now: tape[0]?.at, ...seen.seed() };
}

/** What a request asks for; 0 for nothing. */
interface AskedThings {
  /** The users in the path, the seller first; otherwise the caller. */
  readonly users: readonly number[];
  readonly items: readonly string[];
  readonly pack: number;
  readonly shipment: number;
}

function askedIn(exchange: TapeExchange): AskedThings {
  const things = thingsAsked(exchange);
  const idsOf = (kind: Thing): string[] => things.filter(({ thing }) => thing === kind).map(({ id }) => id);
  const users = [...idsOf('user'), exchange.user].map(Number).filter((id) => id > 0);
  return {
    users,
    items: idsOf('item'),
    pack: Number(idsOf('pack')[0] ?? 0),
    shipment: Number(idsOf('shipment')[0] ?? 0),
  };
}

function add(exchange: TapeExchange, seen: Seen): void {
  const { path, status, endpoint, response } = exchange;
  const asked = askedIn(exchange);
  const { pack: pack_id, users, items } = asked;
  const site_id = /\/sites\/(M[A-Z]{2})\b/.exec(path)?.[1];
  for (const user_id of users) seen.see('users', user_id, { user_id, site_id });
  if (status >= 400) {
    addBlocked(JSON.stringify(response.value), seen, asked);
    return;
  }
  if (pack_id) seen.see('packs', pack_id, { pack_id, seller_id: users[0] });
  // A multi-get is successful also for an item that does not exist.
  if (endpoint !== 'items.status') for (const item_id of items) seen.see('items', item_id, { item_id });
  if (endpoint !== 'questions.ask') for (const item_id of items) seen.usersOfItems.set(item_id, users[0]);
  shownBy.get(endpoint ?? '')?.(response.value, seen, asked);
}

/** A rejected call shows the reason why a conversation is blocked. */
function addBlocked(error: string, seen: Seen, { pack: pack_id, users: [seller_id] }: AskedThings): void {
  const reason = /"(blocked_by_\w+)/.exec(error)?.[1];
  if (!pack_id || reason === undefined || reason.includes('initiated_by_seller')) return;
  const why = reason === 'blocked_by_excepted_case' ? { exceptedCase: true } : { blockedBy: reason };
  seen.see('packs', pack_id, { pack_id, seller_id, ...why });
}

type Add<Out> = (output: Out, seen: Seen, asked: AskedThings) => void;

/** Reads the responses of an endpoint as the client does, which knows each of their forms. */
function by<Out>(
  { name, output }: { readonly name: string; readonly output: StandardSchema<Out, unknown> },
  addOutput: Add<Out>,
): readonly [string, Add<unknown>] {
  const addValue: Add<unknown> = (value, seen, asked) => {
    const found = read(output, value, false);
    if ('value' in found) addOutput(found.value as Out, seen, asked);
  };
  return [name, addValue];
}

const { actionGuide, contacts, flex, items, messages, questions, sites } = endpoints;

/** What the responses of each endpoint show. */
const shownBy = new Map([
  by(questions.search, (found, seen) => found.questions?.forEach((each) => addQuestion(each, seen))),
  by(questions.get, addQuestion),
  by(questions.ask, (found, seen) => addMade('question', found, seen)),
  by(questions.answer, (found, seen) => addMade('answer', found, seen)),
  by(questions.blacklist.list, ({ users }, seen, { users: [seller_id] }) =>
    users?.forEach(({ id }) => seen.see('blacklist', id, { seller_id, user_id: id })),
  ),
  by(messages.conversation, addConversation),
  by(messages.send, addSent),
  by(actionGuide.send, addSent),
  by(actionGuide.options, addShipping),
  by(actionGuide.caps, addShipping),
  by(items.status, (found, seen, asked) =>
    found.forEach(({ id, status }, index) => {
      // Without its id, the place of an entry says which item it is about.
      const item_id = id ?? asked.items[index];
      if (item_id && status) seen.see('items', item_id, { item_id, status });
    }),
  ),
  by(sites.search, ({ results }, seen) =>
    results?.forEach(({ id, title, ...more }) => {
      const { seller } = more as { seller?: { id?: unknown } | null };
      seen.see('items', id, { item_id: id, title, seller_id: seller?.id });
    }),
  ),
  by(flex.subscriptions, (found, seen) =>
    found.forEach(({ user_id, mode, service_id, status }) => {
      const id = `${user_id} ${mode?.toUpperCase()}`;
      if (user_id) seen.see('subscriptions', id, { user_id, mode, service_id, status: status?.id });
    }),
  ),
  by(flex.driver, ({ driver_id }, seen, { shipment, users: [user_id] }) =>
    seen.see('shipments', shipment, { user_id, driver_id }),
  ),
  by(flex.items.isEnabled, (_, seen, asked) => addFlex(true, seen, asked)),
  by(flex.items.disable, (_, seen, asked) => addFlex(true, seen, asked)),
  by(flex.items.enable, (_, seen, asked) => addFlex(false, seen, asked)),
  by(contacts.questions.windowOfItem, (found, seen) => addWindows('question', [found].flat(), seen)),
  by(contacts.phoneViews.windowOfItem, (found, seen) => addWindows('phone_view', [found], seen)),
  by(contacts.phoneViews.windowOfItems, (found, seen) => addWindows('phone_view', found, seen)),
]);

function addQuestion(question: Question, seen: Seen): void {
  const { id, item_id, seller_id, from, buyer_id, text, status, date_created: asked_at, answer } = question;
  const asker = from?.id ?? buyer_id;
  if (!item_id) return;
  const state = { CLOSED_UNANSWERED: 'closed', UNDER_REVIEW: 'under_review' }[String(status).toUpperCase()];
  seen.see('items', item_id, { item_id, seller_id, status: state });
  if (asker) seen.see('users', asker, { user_id: asker });
  if (!asker || !text || seen.made.has(`question ${id}`)) return;
  seen.made.add(`question ${id}`);
  const given = answer?.text && !seen.made.has(`answer ${id}`) ? answer : {};
  const answered = { answer: given.text, answered_at: given.date_created };
  seen.see('questions', id, { question_id: id, item_id, from: asker, text, asked_at, ...answered });
}

/** Adds a question that the tape itself has asked or answered. */
function addMade(what: 'question' | 'answer', question: Question | undefined, seen: Seen): void {
  seen.made.add(`${what} ${question?.id}`);
  if (question) addQuestion(question, seen);
}

function addConversation(page: ConversationResponse, seen: Seen, { pack, users: [seller] }: AskedThings): void {
  const { substatus, claim_id, shipping_id } = page.conversation_status ?? {};
  const found = page.messages ?? [];
  const buyer_id = found.flatMap(({ from, to }) => [from?.user_id, to?.user_id]).find((id) => id && id !== seller);
  const blockedBy = substatus?.includes('initiated_by_seller') ? undefined : substatus;
  seen.see('packs', pack, { buyer_id, blockedBy, claim_id, shipping_id });
  for (const { id, from, text, message_date } of found) {
    if (!text || seen.made.has(`message ${id}`)) continue;
    // Such as moderation accepts.
    const accepted = moderationOf(text) === undefined ? text : text.replace(/[0-9@]/g, 'x');
    const sent_at = message_date?.created ?? message_date?.received;
    seen.see('messages', id, { from: from?.user_id === seller ? 'seller' : 'buyer', text: accepted, sent_at }, pack);
  }
}

/** The seller of a pack may be the caller, and the other one is its buyer. */
function addSent(message: SentMessage | undefined, seen: Seen, { pack, users }: AskedThings): void {
  const { id, from, to } = message ?? {};
  seen.made.add(`message ${id}`);
  const seller_id = users[0] ?? from?.user_id;
  const buyer_id = [to, from].map((each) => each?.user_id).find((user) => user && user !== seller_id);
  seen.see('packs', pack, { seller_id, buyer_id });
}

function addShipping(options: unknown, seen: Seen, { pack }: AskedThings): void {
  const has = (option: string): boolean => JSON.stringify(options).includes(`"${option}"`);
  const shipping = has('DELIVERY_PROMISE') ? 'flex' : has('REQUEST_VARIANTS') ? 'cross_docking' : 'custom';
  seen.see('packs', pack, { shipping });
}

function addFlex(isIn: boolean, seen: Seen, { items }: AskedThings): void {
  for (const item_id of items) seen.see('items', item_id, { flex: isIn });
}

/** The intervals of a window of an item are the only contacts with a time. The first window counts. */
function addWindows(kind: 'question' | 'phone_view', windows: readonly ContactWindow[], seen: Seen): void {
  for (const { item_id, results } of windows) {
    if (!item_id || !results || seen.made.has(`${kind} ${item_id}`)) continue;
    seen.made.add(`${kind} ${item_id}`);
    for (const { total, date } of results) {
      if (total === 0) continue;
      seen.see('items', item_id, { item_id });
      seen.see('contacts', `${kind} ${item_id} ${date}`, { kind, item_id, at: date, times: total });
    }
  }
}
