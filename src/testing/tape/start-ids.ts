import type { FakeMarketplace } from '../marketplace.js';
import { numberOf } from '../state/packs.js';
import type { TapeExchange } from './tape.js';

/** The names under which a request can hold the id of each kind of thing, in its path, its query or its body. */
const kinds = {
  user: /(?:\/users|\/sellers)\/(\w+)|[?&]seller_id=(\d+)/g,
  item: /\/items\/(M\w+)|[?&](?:item|item_id|ids)=(M\w+)|"item_id":"(\w+)"/g,
  question: /\/questions\/(\d+)|"question_id":"?(\d+)/g,
  pack: /\/packs\/(\d+)/g,
  service: /\/services\/(\d+)|service_id:\s*(\d+)/g,
  shipment: /\/shipments\/(\d+)/g,
};

/**
 * Maps what a tape asks for before any response has named it to what a marketplace has, in order: its first seller to the
 * first seller, and so on. An id that the marketplace has stays.
 */
export function startIds(tape: readonly TapeExchange[], marketplace: FakeMarketplace): Map<string, string> {
  const { accounts, items, questions, packs, flex } = marketplace;
  const sells = (user_id: number): boolean => items.all.some(({ seller_id }) => seller_id === user_id);
  const users = accounts.all.map(({ user_id }) => user_id).sort((a, b) => Number(sells(b)) - Number(sells(a)));
  const open = questions.all.filter((question) => questions.statusOf(question) === 'UNANSWERED');
  const has: Readonly<Record<keyof typeof kinds, readonly (number | string)[]>> = {
    user: users,
    item: items.all.map(({ item_id }) => item_id),
    question: [...open, ...questions.all.filter((each) => !open.includes(each))].map(({ id }) => id),
    pack: packs.all.map(numberOf),
    service: flex.all.map(({ service_id }) => service_id),
    shipment: flex.shipments.map(({ shipment_id }) => shipment_id),
  };
  const map = new Map<string, string>();
  for (const [kind, pattern] of Object.entries(kinds)) {
    const own = has[kind as keyof typeof kinds].map(String);
    const asked = askedFirst(tape, pattern);
    const free = own.filter((id) => !asked.includes(id));
    for (const id of asked.filter((each) => !own.includes(each))) {
      const next = free.shift();
      if (next !== undefined) map.set(id, next);
    }
  }
  return map;
}

/** Returns the ids that requests hold before any response does. */
function askedFirst(tape: readonly TapeExchange[], pattern: RegExp): string[] {
  const asked = new Set<string>();
  let answered = '';
  for (const { path, request, response } of tape) {
    for (const [, ...groups] of `${path} ${JSON.stringify(request)}`.matchAll(pattern)) {
      const id = (groups as (string | undefined)[]).find((group) => group !== undefined);
      if (id !== undefined && /\d/.test(id) && !answered.includes(id)) asked.add(id);
    }
    answered += JSON.stringify(response);
  }
  return [...asked];
}

/** Returns the user of each caller of a tape: the one whose resources it asks for, otherwise the next one. */
export function callersOf(
  tape: readonly TapeExchange[],
  ids: ReadonlyMap<string, string>,
  users: readonly number[],
): Map<string, number> {
  const callers = [...new Set(tape.flatMap(({ caller }) => (caller === null ? [] : [caller])))];
  const known = new Map<string, number>();
  for (const caller of callers) {
    const own = tape.filter((exchange) => exchange.caller === caller && exchange.status < 400);
    const [found] = askedFirst(own, kinds.user).map((id) => Number(ids.get(id) ?? id));
    if (found !== undefined && users.includes(found) && ![...known.values()].includes(found)) known.set(caller, found);
  }
  const free = users.filter((user_id) => ![...known.values()].includes(user_id));
  for (const caller of callers) if (!known.has(caller)) known.set(caller, free.shift() ?? users[0] ?? 0);
  return known;
}
