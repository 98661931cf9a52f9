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

/** What a request asks for. */
interface AskedThings {
  /** The users in the path, the seller first; otherwise the caller. */
  readonly users: readonly number[];
  readonly items: readonly string[];
  readonly pack: number | undefined;
  readonly shipment: number | undefined;
}

function askedIn(exchange: TapeExchange): AskedThings {
  const things = thingsAsked(exchange);
  const idsOf = (kind: Thing): string[] => things.filter(({ thing }) => thing === kind).map(({ id }) => id);
  const numbersOf = (ids: (string | null)[]): number[] =>
    ids.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  const [[pack], [shipment]] = [numbersOf(idsOf('pack')), numbersOf(idsOf('shipment'))];
  return { users: numbersOf([...idsOf('user'), exchange.user]), items: idsOf('item'), pack, shipment };
}

function add(exchange: TapeExchange, seen: Seen): void {
  const { path, status, endpoint, response } = exchange;
  const asked = askedIn(exchange);
  const { pack: pack_id, users, items } = asked;
  const site_id = /\/sites\/(M[A-Z]{2})\b/.exec(path)?.[1];
  for (const user_id of users) seen.users.see(user_id, { user_id, site_id });
  if (status >= 400) {
    addBlocked(JSON.stringify(response.value), seen, asked);
    return;
  }
  if (pack_id !== undefined) seen.packs.see(pack_id, { pack_id, seller_id: users[0] });
  // A multi-get is successful also for an item that does not exist.
  if (endpoint !== 'items.status') for (const item_id of items) seen.items.see(item_id, { item_id });
  if (endpoint !== 'questions.ask') for (const item_id of items) seen.usersOfItems.set(item_id, users[0]);
  shownBy.get(endpoint ?? '')?.(response.value, seen, asked);
}

/** A rejected call shows the reason why a conversation is blocked. */
function addBlocked(error: string, seen: Seen, { pack: pack_id, users: [seller_id] }: AskedThings): void {
  const reason = /"(blocked_by_\w+)/.exec(error)?.[1];
  if (pack_id === undefined || reason === undefined || reason.includes('initiated_by_seller')) return;
  const why = reason === 'blocked_by_excepted_case' ? { exceptedCase: true } : { blockedBy: reason };
  seen.packs.see(pack_id, { pack_id, seller_id, ...why });
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
  by(questions.ask, addMade('question')),
  by(questions.answer, addMade('answer')),
  by(questions.blacklist.list, ({ users }, { blacklist }, { users: [seller_id] }) =>
    users?.forEach(({ id }) => blacklist.see(id, { seller_id, user_id: id })),
  ),
  by(messages.conversation, addConversation),
  by(messages.send, addSent),
  by(actionGuide.send, addSent),
  by(actionGuide.options, ({ options }, { packs }, { pack = 0 }) => {
    packs.see(pack, { shipping: shippingOf(options.map(({ id }) => id)) });
  }),
  by(actionGuide.caps, (caps, { packs }, { pack = 0 }) => {
    packs.see(pack, { shipping: shippingOf(caps.map(({ option_id }) => option_id)) });
  }),
  by(items.status, (found, seen, asked) =>
    found.forEach(({ id, status }, index) => {
      // Without its id, the place of an entry says which item it is about.
      const item_id = id ?? asked.items[index];
      if (item_id && status) seen.items.see(item_id, { item_id, status });
    }),
  ),
  by(sites.search, ({ results }, seen) =>
    results?.forEach(({ id, title, ...more }) => {
      const { seller } = more as { seller?: { id?: unknown } | null };
      seen.items.see(id, { item_id: id, title, seller_id: seller?.id });
    }),
  ),
  by(flex.subscriptions, (found, seen) =>
    found.forEach(({ user_id, mode, service_id, status }) => {
      if (user_id)
        seen.subscriptions.see(`${user_id} ${mode?.toUpperCase()}`, { user_id, mode, service_id, status: status?.id });
    }),
  ),
  by(flex.driver, ({ driver_id }, { shipments }, { shipment = 0, users: [user_id] }) => {
    shipments.see(shipment, { user_id, driver_id });
  }),
  by(flex.items.isEnabled, (_, seen, asked) => seen.items.see(asked.items[0] ?? '', { flex: true })),
  by(flex.items.disable, (_, seen, asked) => seen.items.see(asked.items[0] ?? '', { flex: true })),
  by(flex.items.enable, (_, seen, asked) => seen.items.see(asked.items[0] ?? '', { flex: false })),
  by(contacts.questions.windowOfItem, (found, seen) => addWindows('question', [found].flat(), seen)),
  by(contacts.phoneViews.windowOfItem, (found, seen) => addWindows('phone_view', [found], seen)),
  by(contacts.phoneViews.windowOfItems, (found, seen) => addWindows('phone_view', found, seen)),
]);

function addQuestion(question: Question, seen: Seen): void {
  const { id, item_id, seller_id, from, buyer_id, text, status, date_created: asked_at, answer } = question;
  const asker = from?.id ?? buyer_id;
  if (!item_id) return;
  const state = { CLOSED_UNANSWERED: 'closed', UNDER_REVIEW: 'under_review' }[String(status).toUpperCase()];
  seen.items.see(item_id, { item_id, seller_id, status: state });
  if (asker) seen.users.see(asker, { user_id: asker });
  if (!asker || !text || seen.questions.has(id) || seen.made.has(`question ${id}`)) return;
  const given = answer?.text && !seen.made.has(`answer ${id}`) ? answer : {};
  const answered = { answer: given.text, answered_at: given.date_created };
  seen.questions.see(id, { question_id: id, item_id, from: asker, text, asked_at, ...answered });
}

/** Adds a question that the tape itself has asked or answered. */
function addMade(what: 'question' | 'answer'): Add<Question | undefined> {
  return (question, seen) => {
    seen.made.add(`${what} ${question?.id}`);
    if (question) addQuestion(question, seen);
  };
}

function addConversation(page: ConversationResponse, seen: Seen, { pack = 0, users: [seller] }: AskedThings): void {
  const { substatus, claim_id, shipping_id } = page.conversation_status ?? {};
  const found = page.messages ?? [];
  const buyer_id = found.flatMap(({ from, to }) => [from?.user_id, to?.user_id]).find((id) => id && id !== seller);
  const blockedBy = substatus?.includes('initiated_by_seller') ? undefined : substatus;
  seen.packs.see(pack, { buyer_id, blockedBy, claim_id, shipping_id });
  for (const { id, from, text, message_date } of found) {
    if (!text || seen.made.has(`message ${id}`)) continue;
    // Such as moderation accepts.
    const accepted = moderationOf(text) === undefined ? text : text.replace(/[0-9@]/g, 'x');
    const sent_at = message_date?.created ?? message_date?.received;
    seen.messagesOf(pack).see(id, { from: from?.user_id === seller ? 'seller' : 'buyer', text: accepted, sent_at });
  }
}

/** The seller of a pack may be the caller, and the other one is its buyer. */
function addSent(message: SentMessage | undefined, seen: Seen, { pack = 0, users }: AskedThings): void {
  const { id, from, to } = message ?? {};
  seen.made.add(`message ${id}`);
  const seller_id = users[0] ?? from?.user_id;
  const buyer_id = [to, from].map((each) => each?.user_id).find((user) => user && user !== seller_id);
  seen.packs.see(pack, { seller_id, buyer_id });
}

function shippingOf(options: readonly string[]): string {
  if (options.includes('DELIVERY_PROMISE')) return 'flex';
  return options.includes('REQUEST_VARIANTS') ? 'cross_docking' : 'custom';
}

/** The intervals of a window of an item are the only contacts with a time. */
function addWindows(kind: 'question' | 'phone_view', windows: readonly ContactWindow[], seen: Seen): void {
  for (const { item_id, results } of windows) {
    if (!item_id || !results || seen.contacts.has(`${kind} ${item_id}`)) continue;
    const counted = results.filter(({ total }) => total > 0);
    if (counted.length > 0) seen.items.see(item_id, { item_id });
    const entries = counted.map(({ total, date }) => ({ kind, item_id, at: date, times: total }));
    seen.contacts.set(`${kind} ${item_id}`, entries);
  }
}
