import { isObject } from '../../core/json/plain-object.js';
import type { FakeMarketplace } from '../marketplace.js';
import type { TapeIds } from './ids.js';
import { thingsIn } from './ids.js';
import type { TapeExchange } from './tape.js';

/** How surely an exchange shows who its caller is. */
const certain = 100;

/**
 * Returns the user of each caller of a tape: the one that its token names, else the one whose resources it uses. A caller of
 * which the tape shows nothing is a user that no other caller is.
 */
export function callersOf(
  tape: readonly TapeExchange[],
  ids: TapeIds,
  { accounts, items }: FakeMarketplace,
): Map<string, number> {
  const callers = [...new Set(tape.flatMap(({ caller }) => caller ?? []))];
  const users = accounts.all.map(({ user_id }) => user_id);
  const sellers = users.filter((user_id) => items.all.some(({ seller_id }) => seller_id === user_id));
  const claims = callers
    .flatMap((caller) => claimsOf(tape, caller).map(([id, weight]) => ({ caller, user: Number(ids.of(id)), weight })))
    .filter(({ user }) => users.includes(user))
    .sort((a, b) => b.weight - a.weight);
  const known = new Map<string, number>();
  for (const { caller, user, weight } of claims)
    if (!known.has(caller) && (weight >= certain || ![...known.values()].includes(user))) known.set(caller, user);
  for (const caller of callers) {
    const isFree = (user: number): boolean => ![...known.values()].includes(user);
    if (!known.has(caller)) known.set(caller, sellers.find(isFree) ?? users.find(isFree) ?? accounts.add().user_id);
  }
  return known;
}

/** Returns the users that a caller may be, the likeliest first. */
function claimsOf(tape: readonly TapeExchange[], caller: string): [string, number][] {
  const weights = new Map<string, number>();
  for (const exchange of tape) {
    if (exchange.caller !== caller) continue;
    for (const [id, weight] of shownBy(exchange)) weights.set(id, (weights.get(id) ?? 0) + weight);
  }
  return [...weights].sort(([, a], [, b]) => b - a);
}

/** Returns the users that one exchange shows its caller to be. */
function shownBy({ user, status, endpoint, path, request, response }: TapeExchange): [string, number][] {
  if (user !== null) return [[user, certain * certain]];
  if (status >= 400) return [];
  const [sent, received] = [fieldsOf(request.value), fieldsOf(response.value)];
  const own: Readonly<Record<string, unknown>> = {
    'questions.ask': fieldsOf(received.from).id ?? received.buyer_id,
    'questions.answer': received.seller_id,
    'messages.send': fieldsOf(received.from).user_id ?? fieldsOf(sent.from).user_id,
    'messages.unread': received.user_id,
  };
  const found = own[endpoint ?? ''];
  if (typeof found === 'string' || typeof found === 'number') return [[String(found), certain]];
  const [first] = thingsIn(path).filter(({ thing }) => thing === 'user');
  if (!first) return [];
  return [[first.id, /^(flex\.|questions\.blacklist)/.test(endpoint ?? '') ? certain : 1]];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
