import { timeMs } from '../clock.js';
import { FakeMarketplaceError } from '../errors.js';
import { matchesFilter } from '../http/request-filter.js';
import type { Routes } from '../http/routes.js';
import { assertFields } from '../state/assert-fields.js';
import type { LoggedRequest } from './request-log.js';

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
export function containsWord(entry: LoggedRequest, word: string): boolean {
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
