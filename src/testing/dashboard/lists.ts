import { timeMs } from '../clock.js';
import { assertFields, FakeMarketplaceError } from '../errors.js';
import { matchesFilter } from '../http/requests.js';
import { endpointName, type Routes } from '../http/routes.js';
import type { StoredMessage } from '../state/messages.js';
import { numberOf, type Pack } from '../state/packs.js';
import type { StoredQuestion } from '../state/questions.js';
import type { ServedMarketplace } from './control.js';
import { toSubscriptionView } from './environment-controls.js';
import type { LoggedRequest } from './request-log.js';

/** The newest messages of a conversation, and tokens of a user, that are shown. */
const [maxMessages, maxTokens] = [30, 10];

/** Returns the lists that the dashboard shows. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the type of a view is that of its function
export function listsOf(marketplace: ServedMarketplace, requests: readonly LoggedRequest[]) {
  const { accounts, attachments, faults, flex, items, messages, notifications, packs, questions } = marketplace;
  const nameOf = (user_id: number): string => accounts.get(user_id)?.nickname ?? String(user_id);
  return {
    users: usersOf(marketplace),
    items: listed(items.all, (item) => ({ ...item, flex: flex.isEnabled(item), down: flex.isDown(item) })),
    questions: listed(questions.all, toQuestion),
    conversations: listed(packs.all, toConversation),
    subscriptions: listed(flex.all, ({ zones, zoneCutoffs: _, ...subscription }) => ({
      ...subscription,
      nickname: nameOf(subscription.user_id),
      zones,
      zoneNames: flex.zonesOf(subscription.site_id).flatMap(({ id, label }) => (zones.includes(id) ? [label] : [])),
    })),
    shipments: listed(flex.shipments, ({ driver_id = null, ...shipment }) => ({
      ...shipment,
      nickname: nameOf(shipment.user_id),
      driver_id,
    })),
    callbacks: listed(notifications.subscriptions, toSubscriptionView),
    attempts: listed(notifications.attempts, (attempt) => attempt),
    scheduled: listed(notifications.scheduled.toReversed(), (attempt) => attempt),
    faults: listed(faults.all, ({ fault: { endpoint, ...fault }, left }) => ({
      ...fault,
      endpoint: endpoint === undefined ? null : endpointName(endpoint),
      // `null`: no limit.
      left: Number.isFinite(left) ? left : null,
    })),
    blacklist: listed(questions.blocked, (blocked) => ({
      ...blocked,
      seller: nameOf(blocked.seller_id),
      nickname: nameOf(blocked.user_id),
    })),
    files: listed(attachments.all, ({ bytes, ...file }) => ({
      ...file,
      nickname: nameOf(file.owner),
      size: bytes.byteLength,
    })),
    requests: listed(requests, toRow, containsWord),
  };

  function toQuestion(question: StoredQuestion) {
    const { id, item_id, seller_id, from, text, askedAt, answer = null, hidden = false } = question;
    const { title } = items.getOrThrow(item_id);
    const status = questions.statusOf(question);
    return {
      ...{ id, item_id, title, seller: nameOf(seller_id), from: nameOf(from), text, askedAt, answer, hidden, status },
      ...questions.marksOf(question),
    };
  }

  function toConversation(pack: Pack) {
    const { seller_id, buyer_id, shipping, delivered, inMediation, exceptedCase, blockedBy } = pack;
    const newest = messages.of(pack).slice(-maxMessages);
    return {
      pack: numberOf(pack),
      seller: nameOf(seller_id),
      buyer: nameOf(buyer_id),
      ...{ seller_id, shipping, delivered, inMediation, exceptedCase, blockedBy },
      messages: newest.map((message) => toMessage(message, pack)),
    };
  }
}

/** Lists the users with their tokens: the sellers first, so that a large seed does not hide them. */
function usersOf({ accounts, items }: Pick<ServedMarketplace, 'accounts' | 'items'>) {
  const sellers = new Set(items.all.map(({ seller_id }) => seller_id));
  const tokens = Map.groupBy(accounts.bearers, ({ user_id }) => user_id);
  const sellersLast = accounts.all.toSorted((a, b) => Number(sellers.has(a.user_id)) - Number(sellers.has(b.user_id)));
  return listed(sellersLast, (user) => {
    const own = tokens.get(user.user_id) ?? [];
    const shown = own.slice(-maxTokens).map(({ user_id: _, ...token }) => token);
    return { ...user, sells: sellers.has(user.user_id), token: own[0]?.token ?? null, tokens: shown };
  });
}

function toMessage({ id, from, text, sentAt, readAt, files, moderation, option }: StoredMessage, pack: Pack) {
  return {
    id,
    from: from === pack.seller_id ? ('seller' as const) : ('buyer' as const),
    text,
    ...{ sentAt, readAt, option },
    files: files.map(({ filename }) => filename),
    moderation: moderation.status,
    reason: moderation.reason,
  };
}

/** A request without its headers and bodies, which the dashboard loads when a person opens it. */
function toRow({ id, at, method, path, nickname, state, brokenAt, status, ms, fault, rule }: LoggedRequest) {
  return { id, at, method, path, nickname, state, brokenAt, status, ms, fault, rule };
}

/** The most entries of a list that the dashboard shows. */
export const maxShown = 100;

/** A list of the dashboard. */
export interface Listed<View> {
  readonly count: number;
  /** The newest entries, the newest first. */
  newest(): View[];
  /** Returns how many entries contain all words of a text, and the newest of them. */
  find(text: string, limit: number): FoundEntries<View>;
}

/** What a search has found. */
interface FoundEntries<View> {
  readonly count: number;
  readonly entries: readonly View[];
}

/** Whether an entry contains a word, which is in lower case. */
type Contains<Entry> = (entry: Entry, word: string) => boolean;

/** Creates a list of entries, the oldest first. */
function listed<Entry, View>(
  entries: readonly Entry[],
  view: (entry: Entry) => View,
  contains: Contains<Entry> = (entry, word) => textOf(view(entry)).includes(word),
): Listed<View> {
  return {
    count: entries.length,
    newest: () => entries.slice(-maxShown).reverse().map(view),
    find(text, limit) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const found = entries.filter((entry) => words.every((word) => contains(entry, word)));
      return { count: found.length, entries: found.slice(-limit).reverse().map(view) };
    },
  };
}

/** The values of an entry in lower case, without the names of its fields. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textOf).join('\n');
  return String(value).toLowerCase();
}

type RequestRule = (entry: LoggedRequest) => boolean;

/** The filters of `GET /__fake/requests`: each turns its text into a rule, and throws when the text is wrong. */
const filters: Readonly<Record<string, (text: string, routes: Routes) => RequestRule>> = {
  id:
    (text) =>
    ({ id }) =>
      String(id) === text,
  endpoint: (text, routes) => {
    routes.assertName(text);
    return ({ endpoint }) => endpoint === text;
  },
  method: (text) => {
    const method = text.toUpperCase();
    return (entry) => entry.method === method;
  },
  path: (text) => (entry) => matchesFilter({ ...entry, path: pathOf(entry), body: null }, { path: text }),
  status: readStatus,
  user:
    (text) =>
    ({ user_id, nickname }) =>
      String(user_id) === text || nickname === text,
  since: (text) => {
    const ms = /^\d+$/.test(text) ? Number(text) : timeMs(text);
    if (Number.isNaN(ms)) throw new FakeMarketplaceError('`since` is an ISO 8601 time or milliseconds since 1970');
    return ({ at }) => at >= ms;
  },
  body:
    (text) =>
    ({ requestBody }) =>
      requestBody !== null && textsOf(requestBody).some((each) => each.includes(text)),
};

/** The names of the filters. */
export const filterNames: readonly string[] = Object.keys(filters);

/** Selects the requests that match all filters of a query. @throws {FakeMarketplaceError} that names a wrong filter */
export function selectRequests(all: readonly LoggedRequest[], query: URLSearchParams, routes: Routes): LoggedRequest[] {
  // An event source sends its token in the query.
  const given = [...query].filter(([name]) => name !== 'token');
  assertFields('the list of requests', Object.fromEntries(given), filterNames);
  const rules = given.map(([name, text]) => filters[name]?.(text, routes));
  return all.filter((entry) => rules.every((rule) => rule?.(entry)));
}

function readStatus(text: string): RequestRule {
  if (text === 'broken') return ({ state }) => state === 'broken';
  if (!/^[1-5](\d\d|xx)$/.test(text))
    throw new FakeMarketplaceError('`status` is a status such as 404, a class such as 4xx, or broken');
  const start = text.replace('xx', '');
  return ({ status }) => String(status ?? '').startsWith(start);
}

function pathOf({ path }: LoggedRequest): string {
  return path.split('?', 1)[0] ?? '';
}

/** Whether a request contains a word in lower case: `#17` is an id, and `4xx` a class of status. */
function containsWord(entry: LoggedRequest, word: string): boolean {
  if (word === `#${entry.id}`) return true;
  if (/^[2-5]xx$/.test(word)) return String(entry.status ?? '').startsWith(word.charAt(0));
  const { method, path, endpoint, nickname, status, state, brokenAt, fault, rule } = entry;
  const texts = [method, path, endpoint, nickname, status, state, brokenAt, fault, rule];
  // To read JSON takes time: only an escape needs it.
  const bodies = [entry.requestBody, entry.responseBody].flatMap((body) =>
    body?.includes(String.raw`\u`) ? textsOf(body) : [body],
  );
  return [...texts, ...bodies].some((text) => text !== null && String(text).toLowerCase().includes(word));
}

/** A body as it was sent, and as JSON without escapes: some languages escape every letter outside of ASCII. */
function textsOf(body: string): string[] {
  try {
    return [body, JSON.stringify(JSON.parse(body))];
  } catch {
    return [body];
  }
}

/** The query of a search. */
export const searchFields: readonly string[] = ['list', 'text', 'limit'];

/** Searches a list for the words of a text. @throws {FakeMarketplaceError} that names the wrong parameter */
export function search(
  lists: Readonly<Record<string, Listed<unknown>>>,
  query: URLSearchParams,
): FoundEntries<unknown> {
  // An event source sends its token in the query, so all controls accept it there.
  const { token: _, ...given } = Object.fromEntries(query);
  assertFields('a search', given, searchFields);
  const { list = '', text = '', limit = String(maxShown) } = given;
  const found = Object.hasOwn(lists, list) ? lists[list] : undefined;
  if (!found) throw new FakeMarketplaceError(`\`list\` is one of ${Object.keys(lists).join(', ')}`);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxShown)
    throw new FakeMarketplaceError(`\`limit\` is an integer from 1 to ${maxShown}`);
  return found.find(text, Number(limit));
}
