import type { FakeMarketplace } from '../marketplace.js';
import { codeOf } from './compare.js';
import { thingsAsked } from './ids.js';
import type { TapeIds } from './ids.js';
import { fieldsOf } from './tape.js';
import type { TapeExchange } from './tape.js';

/** Knows who the callers of a tape are, and obtains their tokens of a fake. */
export class Callers {
  readonly #ids: TapeIds;
  readonly #accounts: FakeMarketplace['accounts'];
  readonly #users: ReadonlyMap<string, number>;

  constructor(tape: readonly TapeExchange[], ids: TapeIds, marketplace: FakeMarketplace) {
    this.#ids = ids;
    this.#accounts = marketplace.accounts;
    this.#users = usersOf(tape, ids, marketplace);
  }

  /** Returns the header of a call: a token of the same user that the fake accepts, or rejects, as the service did. */
  authorizationOf({ caller, token: state }: TapeExchange): string | undefined {
    if (caller === null || state === null) return undefined;
    if (state === 'malformed') return 'Basic rejected';
    const accounts = this.#accounts;
    const user = this.#users.get(caller) ?? 0;
    const own = accounts.bearers.find(({ user_id, application_id }) => user_id === user && application_id !== null);
    const application = state === 'without application' ? null : undefined;
    const known = this.#ids.secretOf(caller) ?? (state === 'valid' ? own?.token : undefined);
    const token = known ?? accounts.issueToken(user, application);
    if (state === 'rejected' && accounts.bearerOf(token)) accounts.revokeToken(token);
    if (state === 'expired' && accounts.bearerOf(token)) accounts.expireToken(token);
    return `Bearer ${token}`;
  }

  /** Obtains a code or a refresh token anew that the tape has used and not received; ends one that the service rejected. */
  withGrant({ path, status, response }: TapeExchange, body: unknown): unknown {
    if (!path.startsWith('/oauth/token')) return body;
    const { code, refresh_token, client_id } = fieldsOf(body);
    const application = Number(client_id);
    const user = Number(this.#ids.of(String(fieldsOf(response.value).user_id)));
    if (codeOf(status, response.value) === 'invalid_grant') {
      this.#accounts.redeem('authorization_code', String(code), application);
      this.#accounts.redeem('refresh_token', String(refresh_token), application);
    }
    const isUnknown = (label: unknown): boolean => String(label).startsWith('secret-') && !!this.#accounts.get(user);
    return {
      ...fieldsOf(body),
      ...(isUnknown(code) && { code: this.#accounts.issueAuthorizationCode(user, application) }),
      ...(isUnknown(refresh_token) && { refresh_token: this.#accounts.issueRefreshToken(user, application) }),
    };
  }
}

/** How surely an exchange shows who its caller is. */
const certain = 100;

/**
 * Returns the user of each caller: the one that its token names, else the one whose resources it uses. A caller of which the
 * tape shows nothing is a user that no other caller is.
 */
function usersOf(
  tape: readonly TapeExchange[],
  ids: TapeIds,
  { accounts, items }: FakeMarketplace,
): Map<string, number> {
  const users = accounts.all.map(({ user_id }) => user_id);
  const sellers = users.filter((user_id) => items.all.some(({ seller_id }) => seller_id === user_id));
  const known = new Map<string, number>();
  const isFree = (user: number): boolean => ![...known.values()].includes(user);
  for (const [claim, weight] of claimsIn(tape)) {
    const [caller = '', id = ''] = claim.split(' is ');
    const user = Number(ids.of(id));
    if (users.includes(user) && !known.has(caller) && (weight >= certain || isFree(user))) known.set(caller, user);
  }
  for (const { caller } of tape)
    if (caller !== null && !known.has(caller))
      known.set(caller, sellers.find(isFree) ?? users.find(isFree) ?? accounts.add().user_id);
  return known;
}

/** Returns which users the callers may be, e.g. `user 1 is 42`, the likeliest first. */
function claimsIn(tape: readonly TapeExchange[]): [claim: string, weight: number][] {
  const weights = new Map<string, number>();
  for (const exchange of tape) {
    const [id, weight] = userShownBy(exchange);
    const claim = `${exchange.caller} is ${id}`;
    if (exchange.caller !== null && id !== undefined) weights.set(claim, (weights.get(claim) ?? 0) + weight);
  }
  return [...weights].sort(([, a], [, b]) => b - a);
}

/** Returns the user that an exchange shows its caller to be, and how surely. */
function userShownBy(exchange: TapeExchange): [string | undefined, number] {
  const { user, status, endpoint, request, response } = exchange;
  if (user !== null) return [user, certain * certain];
  if (status >= 400) return [undefined, 0];
  const [sent, received] = [fieldsOf(request.value), fieldsOf(response.value)];
  const own: Readonly<Record<string, unknown>> = {
    'questions.ask': fieldsOf(received.from).id ?? received.buyer_id,
    'questions.answer': received.seller_id,
    'messages.send': fieldsOf(received.from).user_id ?? fieldsOf(sent.from).user_id,
    'messages.unread': received.user_id,
  };
  const found = own[endpoint ?? ''];
  if (typeof found === 'string' || typeof found === 'number') return [String(found), certain];
  const asked = thingsAsked(exchange).find(({ thing }) => thing === 'user')?.id;
  return [asked, /^(flex\.|questions\.blacklist)/.test(endpoint ?? '') ? certain : 1];
}
