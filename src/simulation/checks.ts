import { isObject } from '../core/json/json.js';
import { isAnswerable } from '../resources/questions/question-facts.js';
import type { StoredQuestion } from '../testing/state/questions.js';
import { numberOf } from '../testing/state/packs.js';
import type { History, SimulatedCall } from './history.js';
import type { Check } from './options.js';

/** How long calls of a seller may still begin after the first one was told that the grant is revoked. */
const revokedGraceMs = 60_000;
const refusals: ReadonlySet<number | undefined> = new Set([400, 403, 404, 422]);

/**
 * Every question of a seller who has not revoked the application is answered at the end, by the bot or by a person. Those that no
 * answer reaches are left out: held back, taken from the listing, or of an item that is paused.
 */
const answered: Check = ({ marketplace, revoked, nameOf }) =>
  marketplace.questions.all
    .filter(
      (each) =>
        marketplace.questions.statusOf(each) === 'UNANSWERED' &&
        isAnswerable(marketplace.questions.marksOf(each)) &&
        !isOfPausedItem(marketplace, each) &&
        !revoked.has(each.seller_id),
    )
    .map(({ id }) => `${nameOf(id)} is not answered at the end`);

const answeredOnce: Check = ({ calls, nameOf }) => {
  const told = firstByAnswer(calls);
  return calls.flatMap(({ name, method, path, body, at }) => {
    const id = method === 'POST' && path.startsWith('/answers') && isObject(body) ? body.question_id : undefined;
    const known = id === undefined ? undefined : told.get(id);
    if ((known?.receivedAt ?? Infinity) >= at) return [];
    return [`${name} answers ${nameOf(String(id))}, although ${known?.name ?? ''} has told that it is answered`];
  });
};

function isOfPausedItem({ items }: History['marketplace'], { item_id }: StoredQuestion): boolean {
  return items.getOrThrow(item_id).status !== 'active';
}

/** The first call that has told the bot that a question is answered, by its id. */
function firstByAnswer(calls: readonly SimulatedCall[]): Map<unknown, SimulatedCall> {
  const told = new Map<unknown, SimulatedCall>();
  for (const call of calls) {
    const { response, receivedAt = Infinity } = call;
    for (const { id, status } of isObject(response) ? [response, ...listed(response.questions)] : [])
      if (String(status).toUpperCase() === 'ANSWERED' && receivedAt < (told.get(id)?.receivedAt ?? Infinity))
        told.set(id, call);
  }
  return told;
}

function listed(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The nth message of the bot with one text follows at least n messages of the buyer. */
const noMessageDoubled: Check = ({ marketplace, nameOf }) =>
  marketplace.packs.all.flatMap((pack) => {
    const messages = marketplace.messages.of(pack);
    const counts = new Map<string, number>();
    return messages.flatMap((message, index) => {
      if (message.from !== pack.seller_id || message.client_id === null) return [];
      const count = (counts.get(message.text) ?? 0) + 1;
      counts.set(message.text, count);
      const fromBuyer = messages.slice(0, index).filter(({ from }) => from === pack.buyer_id).length;
      if (count === 1 || count <= fromBuyer) return [];
      return [
        `the buyer of ${nameOf(pack.pack_id ?? 0)} has the same message ${count} times after writing ${fromBuyer}`,
      ];
    });
  });

/**
 * If the bot replies to messages, no conversation ends with one of its buyer: the bot or a person has replied. Blocked ones are left
 * out, and as many as the bot counts as dead letters.
 */
const allReplied: Check = ({ calls, marketplace, revoked, stats, nameOf }) => {
  const { packs, messages, questions } = marketplace;
  const open = packs.all.flatMap((pack) => {
    const last = messages.visibleTo(pack.seller_id, pack).at(-1);
    const isOpen = last?.from === pack.buyer_id && pack.blockedBy === null && !revoked.has(pack.seller_id);
    return isOpen ? [`${nameOf(last.id)} has no reply at the end`] : [];
  });
  // Answers that are rejected because an item is paused may be dead letters too.
  const inVain = questions.all.filter((each) => isOfPausedItem(marketplace, each)).length;
  if (open.length <= (stats?.dead ?? 0) - inVain) return [];
  const sellers = new Set(packs.all.map(({ seller_id }) => seller_id));
  const ofBuyers = messages.all.filter(({ from }) => !sellers.has(from));
  const pathOf = new Map(ofBuyers.map(({ id, pack }) => [id, `/messages/packs/${pack}/`]));
  return calls.some((call) => isReplied(call, pathOf.get(idIn(call.path)), calls)) ? open : [];
};

/** How long after reading a message a bot writes that replies to it. */
const replyWithinMs = 60_000;

/** Whether a call has read a message, and its process has soon sent something new to the conversation. */
function isReplied(read: SimulatedCall, path: string | undefined, calls: readonly SimulatedCall[]): boolean {
  if (path === undefined || read.status !== 200) return false;
  const sent = calls.filter((call) => call.method === 'POST' && call.path.startsWith(path));
  const isBefore = ({ at }: SimulatedCall): boolean => at < (read.receivedAt ?? 0);
  const before = new Set(sent.filter(isBefore).map(({ body }) => JSON.stringify(body)));
  return sent.some((call) => {
    const isSoon = !isBefore(call) && call.at < read.at + replyWithinMs && call.start === read.start;
    return isSoon && call.isCarriedOut && !before.has(JSON.stringify(call.body));
  });
}

const noSelfReply: Check = ({ calls }) =>
  calls
    .filter(({ method, path, body }) => {
      const seller = method === 'POST' ? /^\/messages\/packs\/\w+\/sellers\/(\w+)/.exec(path)?.[1] : undefined;
      const to = isObject(body) && isObject(body.to) ? body.to.user_id : undefined;
      return seller !== undefined && String(to) === seller;
    })
    .map(({ name }) => `${name} goes to the seller who sends it`);

/**
 * A write that was rejected with 400, 403, 404 or 422 is not sent again by the process that has received this. A message to a
 * conversation is another one for each message of its buyer, also with the same text.
 */
const noRejectionRepeated: Check = ({ calls, marketplace }) => {
  const ended = new Map<string, SimulatedCall[]>();
  return calls.flatMap((call) => {
    if (call.method === 'GET') return [];
    const key = JSON.stringify([call.start, call.method, call.path, call.body]);
    const earlier = ended.get(key) ?? [];
    // One whose response was lost may be sent again, and does not count.
    if (refusals.has(call.status) || (call.status ?? 500) < 300) ended.set(key, [...earlier, call]);
    const rejection = earlier.find(({ status }) => refusals.has(status));
    if ((rejection?.receivedAt ?? Infinity) >= call.at || earlier.length < messagesOfBuyer(marketplace, call))
      return [];
    if (isMaybeOpenAgain(marketplace, call) && !isBlind(call, earlier, calls)) return [];
    return [`${call.name} was rejected with ${rejection?.status ?? 0} before, as ${rejection?.name ?? ''}`];
  });
};

/** Whether it answers a question whose answer may be taken the next time: its item is paused, or it was held back. */
function isMaybeOpenAgain(marketplace: History['marketplace'], { path, body }: SimulatedCall): boolean {
  const id = path.startsWith('/answers') && isObject(body) ? Number(body.question_id) : NaN;
  const question = marketplace.questions.get(id);
  return question !== undefined && (question.hold === false || isOfPausedItem(marketplace, question));
}

/** How soon an answer that was rejected is sent again blindly, unless the question was read again. */
const blindMs = 60_000;

/** Whether an answer is sent more often within a minute than its process has read the question. */
function isBlind(call: SimulatedCall, earlier: readonly SimulatedCall[], calls: readonly SimulatedCall[]): boolean {
  const id = isObject(call.body) ? Number(call.body.question_id) : NaN;
  const recent = earlier.filter(({ at }) => at > call.at - blindMs);
  if (recent.length === 0) return false;
  const reads = calls.filter(
    ({ start, receivedAt = Infinity, response }) =>
      start === call.start &&
      receivedAt <= call.at &&
      isObject(response) &&
      [response, ...listed(response.questions)].some((each) => each.id === id),
  );
  return reads.length <= recent.length;
}

/** How many messages the buyer had written when a message was sent to the conversation; 0 for another write. */
function messagesOfBuyer({ packs, messages }: History['marketplace'], { path, at }: SimulatedCall): number {
  const pack_id = /^\/messages\/packs\/(\w+)\/sellers\//.exec(path)?.[1];
  const pack = packs.all.find((each) => String(numberOf(each)) === pack_id);
  return pack ? messages.of(pack).filter(({ from, sentAt }) => from === pack.buyer_id && sentAt <= at).length : 0;
}

/**
 * A minute after a process has received a 401 for a seller who has revoked the application, it calls no more for that seller.
 * One that asks for a new token then, and does not hear that there is none, does not know yet. Nor does one that could not ask:
 * one that was killed may have left a lock. It asks after its next call.
 */
const noCallAfterRevocation: Check = ({ calls, revoked, nameOf }) =>
  [...revoked].flatMap(([user_id, at]) => {
    const own = calls.filter((call) => call.user_id === user_id && call.at >= at);
    const told = new Map<number, number>();
    const guesses = new Map<number, number>();
    for (const call of own.filter(({ status }) => status === 401)) {
      const asked = requestsForToken(calls, call);
      if (asked.some(({ status }) => status !== 400)) continue;
      const knows = asked.length > 0 ? told : guesses;
      if (!knows.has(call.start)) knows.set(call.start, call.receivedAt ?? 0);
    }
    const isAfter = (call: SimulatedCall, knows: ReadonlyMap<number, number>): boolean =>
      call.at > (knows.get(call.start) ?? Infinity) + revokedGraceMs;
    const late = own.filter(
      (call) => isAfter(call, told) || (isAfter(call, guesses) && requestsForToken(calls, call).length === 0),
    );
    if (late.length === 0) return [];
    return [
      `${late.length} calls for ${nameOf(user_id)} after a 401 told that the grant is revoked, first ${late[0]?.name ?? ''}`,
    ];
  });

/** The requests for a token of the process that has made a call, soon after its response. */
function requestsForToken(calls: readonly SimulatedCall[], { start, receivedAt = 0 }: SimulatedCall): SimulatedCall[] {
  return calls.filter(
    (each) =>
      each.path === '/oauth/token' &&
      each.start === start &&
      each.at >= receivedAt &&
      each.at < receivedAt + revokedGraceMs,
  );
}

/** What a topic's notifications that were answered with 200 are about is read, if the bot reads something of that topic by its id. */
const acknowledgedHandled: Check = ({ calls, deliveries, marketplace, revoked, nameOf }) => {
  const handled = lastReadById(calls.map((call) => ({ ...call, response: undefined })));
  const topicsHandled = new Set(
    deliveries.filter(({ resource }) => handled.has(idIn(resource))).map(({ topic }) => topic),
  );
  const readAt = lastReadById(calls);
  const acknowledged = new Map<string, string>();
  const first = new Map<string, number>();
  for (const { topic, resource, outcome, user_id, name, at } of deliveries) {
    if (!topicsHandled.has(topic) || revoked.has(user_id)) continue;
    // One that was too slow may be handled, and is acknowledged when it comes again.
    if (!first.has(resource) && outcome !== 'lost') first.set(resource, at);
    if (!acknowledged.has(resource) && outcome === 200) acknowledged.set(resource, name);
  }
  return [...acknowledged]
    .filter(([resource]) => (readAt.get(idIn(resource)) ?? 0) < (first.get(resource) ?? 0) - trustedMs)
    .filter(([resource]) => !isAnsweredByPerson(idIn(resource), marketplace, calls))
    .map(([resource, name]) => `${name} was acknowledged, but ${nameOf(resource)} was not read`);
};

/**
 * What a notification was about that was never delivered is read after it was announced, if the bot reads something of that topic by its
 * id: the service lists what was missed.
 */
const missedHandled: Check = ({ calls, deliveries, marketplace, revoked, nameOf }) => {
  const handled = lastReadById(calls.map((call) => ({ ...call, response: undefined })));
  const topicsHandled = new Set(
    deliveries.filter(({ resource }) => handled.has(idIn(resource))).map(({ topic }) => topic),
  );
  const readAt = lastReadById(calls);
  const missed = deliveries.filter(
    ({ outcome, topic, user_id }) => outcome === 'lost' && topicsHandled.has(topic) && !revoked.has(user_id),
  );
  return missed
    .filter(({ resource, at }) => (readAt.get(idIn(resource)) ?? 0) < at)
    .filter(({ resource }) => !isAnsweredByPerson(idIn(resource), marketplace, calls))
    .map(({ name, resource }) => `${name} was missed, and ${nameOf(resource)} was not read`);
};

/** Whether a person was the first to answer a question or a message: then it is in no list of what is open. */
function isAnsweredByPerson(
  id: string,
  { messages, packs, questions }: History['marketplace'],
  calls: readonly SimulatedCall[],
): boolean {
  if (questions.get(Number(id))?.answer) {
    const isAnswer = ({ path, method, body, isCarriedOut }: SimulatedCall): boolean =>
      isCarriedOut && method === 'POST' && path === '/answers' && isObject(body) && String(body.question_id) === id;
    return !calls.some(isAnswer);
  }
  const message = messages.get(id);
  if (!message) return false;
  const pack = packs.getOrThrow(message.pack);
  const later = messages.of(pack).slice(messages.of(pack).findIndex((each) => each.id === id) + 1);
  return later.find(({ from }) => from === pack.seller_id)?.client_id === null;
}

/** The acknowledgement may come later than the call, by this many milliseconds. */
const trustedMs = 1000;

/** When the last call about something was received: one that has its id in its path, or in what it returns. */
function lastReadById(calls: readonly SimulatedCall[]): Map<string, number> {
  const readAt = new Map<string, number>();
  for (const { path, response, receivedAt } of calls) {
    if (receivedAt === undefined) continue;
    const lists = isObject(response) ? [response, ...listed(response.questions), ...listed(response.messages)] : [];
    for (const id of [...path.split(/[/?&=]/), ...lists.map((each) => String(each.id))])
      readAt.set(id, Math.max(receivedAt, readAt.get(id) ?? 0));
  }
  return readAt;
}

function idIn(resource: string): string {
  const [path = ''] = resource.split('?');
  return path.slice(path.lastIndexOf('/') + 1);
}

const noUnhandledError: Check = ({ crashes }) =>
  crashes.map(({ start, message }) => `start ${start} ended with an error that nobody handled: ${message}`);

const nothingLeft: Check = ({ stats }) => {
  if (!stats) return ['the bot has no `stats`, or they failed'];
  const { waiting, running, dead } = stats;
  return waiting + running + dead === 0
    ? []
    : [`left at the end: ${waiting} waiting, ${running} running, ${dead} dead`];
};

const usual: readonly Check[] = [
  noUnhandledError,
  answered,
  answeredOnce,
  allReplied,
  noMessageDoubled,
  noSelfReply,
  noRejectionRepeated,
  noCallAfterRevocation,
  acknowledgedHandled,
  missedHandled,
];

/**
 * The checks that come with the package; `checks.usual` is the default.
 *
 * @example
 * await simulate({ seeds: 1, bot: () => ({}), checks: [checks.answeredOnce, checks.noUnhandledError] });
 */
export const checks = {
  /** All of them but `nothingLeft`. */
  usual,
  /** At the end, every question that can be answered has an answer, of the bot or of a person. */
  answered,
  /** No answer is sent after the bot has received that there is one. */
  answeredOnce,
  /** If the bot replies to messages, no conversation ends with one of its buyer, unless it is blocked or a dead letter. */
  allReplied,
  /** No buyer gets the same message more often than the buyer wrote. */
  noMessageDoubled,
  /** No message goes to the seller who sends it. */
  noSelfReply,
  /** No write is sent again after a 400, 403, 404 or 422; each message of a buyer may get a reply. */
  noRejectionRepeated,
  /** A minute after a 401 told that the application was revoked, nothing is called for that seller. */
  noCallAfterRevocation,
  /** What a notification was about is read once it was answered with 200, if the bot reads what that topic is about, and no person was first. */
  acknowledgedHandled,
  /** What was announced by a notification that was never delivered is read, if the bot reads what that topic is about. */
  missedHandled,
  /** No error ends the process. */
  noUnhandledError,
  /** At the end, the bot's `stats()` counts nothing that waits, runs or was given up. */
  nothingLeft,
};
