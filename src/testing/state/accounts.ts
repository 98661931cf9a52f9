import { assertSite, type Clock } from '../clock.js';
import { FakeMarketplaceError, assertFields } from '../errors.js';
import { EntityStore, type Omittable } from './entity-store.js';

/** A user of the marketplace: a seller, a buyer, or both. */
export interface Account {
  readonly user_id: number;
  readonly nickname: string;
  readonly site_id: string;
}

/** An access token, with its user and application. */
export interface Bearer {
  readonly token: string;
  readonly user_id: number;
  /** The application that the token belongs to; `null` if there is none. */
  readonly application_id: number | null;
  /** When it expires, in milliseconds since 1970; `null` for never. */
  readonly expiresAt: number | null;
}

/** A single-use credential that is exchanged for tokens: an authorization code or a refresh token. */
export type Grant = Readonly<{
  kind: 'authorization_code' | 'refresh_token';
  value: string;
  user_id: number;
  application_id: number;
  /** The access token that was issued together with a refresh token. */
  accessToken?: string | undefined;
  /** What the exchange of an authorization code must prove. */
  proof?: Parameters<Accounts['issueAuthorizationCode']>[2];
}>;

/** What an application stated when it asked for an authorization code, and what its exchange must therefore prove. */
export type CodeProof = NonNullable<Parameters<Accounts['issueAuthorizationCode']>[2]>;

/** @internal @throws {FakeMarketplaceError} that names the field which no application can state */
export function assertCodeProof({ code_challenge, redirect_uri }: CodeProof): void {
  if (code_challenge !== undefined && !/^[\w-]{43}$/.test(code_challenge))
    throw new FakeMarketplaceError('`code_challenge` is the SHA-256 of the verifier in base64url: 43 characters');
  if (redirect_uri !== undefined && !URL.canParse(redirect_uri))
    throw new FakeMarketplaceError('`redirect_uri` is an absolute URL');
}

/**
 * The users and their access tokens.
 *
 * @example
 * const { accounts } = marketplace;
 * const { user_id } = accounts.add({ nickname: 'SHOP' });
 * console.log(accounts.getOrThrow(user_id).nickname, accounts.get(1)); // SHOP undefined
 * const token = accounts.issueToken(user_id);
 * console.log(accounts.bearerOf(token)?.user_id, accounts.isExpired(token));
 * accounts.expireToken(token);
 * accounts.revokeToken(token);
 * const code = accounts.issueAuthorizationCode(user_id); // what the seller's browser brings back
 * console.log(accounts.redeem('authorization_code', code, 500));
 * console.log(accounts.issueRefreshToken(user_id));
 * accounts.endGrant({ user_id }); // as when the user revokes the application
 */
export class Accounts extends EntityStore<number, Account> {
  readonly #clock: Clock;
  /** @internal */
  protected data = {
    entries: new Map<number, Account>(),
    tokens: new Map<string, Bearer>(),
    grants: new Map<string, Grant>(),
    nextUser: 1001,
    nextToken: 1,
  };

  /** @internal */
  constructor(clock: Clock) {
    super('user', (user_id) => `; add one with addUser({ user_id: ${user_id} })`);
    this.#clock = clock;
  }

  /** Adds a user. Fields that you omit get default values. @throws {FakeMarketplaceError} when the id is taken */
  add(init: Omittable<Account> = {}): Account {
    assertFields('a user', init, ['user_id', 'nickname', 'site_id']);
    const { user_id = this.#freeUserId(), nickname = `USER${user_id}`, site_id = 'MLA' } = init;
    if (!Number.isSafeInteger(user_id) || user_id < 1)
      throw new FakeMarketplaceError(`\`user_id\` must be an integer of at least 1, not ${String(user_id)}`);
    if (this.data.entries.has(user_id)) throw new FakeMarketplaceError(`user ${user_id} already exists`);
    assertSite(site_id);
    const account = { user_id, nickname, site_id };
    this.data.entries.set(user_id, account);
    return account;
  }

  /** @internal Returns the account of a user. @throws {FakeMarketplaceError} when it is none */
  of(user: number | { readonly user_id: number }): Account {
    const user_id = typeof user === 'number' ? user : (user as Account | undefined)?.user_id;
    if (typeof user_id !== 'number')
      throw new FakeMarketplaceError('a user is a `user_id`, or an object with one, such as addUser() returns');
    return this.getOrThrow(user_id);
  }

  /** All valid tokens, the oldest first. */
  get bearers(): readonly Bearer[] {
    return [...this.data.tokens.values()].filter((bearer) => !this.#isExpired(bearer));
  }

  /**
   * Issues a token for a user; `application_id: null` for a token without application.
   *
   * @param expiresInSeconds never expires by default
   */
  issueToken(
    user_id: number,
    application_id: number | null = 500,
    token = this.#newValue('APP_USR', user_id, application_id),
    expiresInSeconds?: number,
  ): string {
    this.getOrThrow(user_id);
    if (this.data.tokens.has(token)) throw new FakeMarketplaceError(`the token of user ${user_id} is already in use`);
    const expiresAt = expiresInSeconds === undefined ? null : this.#clock.ms + expiresInSeconds * 1000;
    this.data.tokens.set(token, { token, user_id, application_id, expiresAt });
    return token;
  }

  /** Revokes a token: calls with it fail with 401. */
  revokeToken(token: string): void {
    if (!this.data.tokens.delete(token))
      throw new FakeMarketplaceError('this token was never issued or is already revoked');
  }

  /** Expires a token now: calls with it fail with 401. */
  expireToken(token: string): void {
    const bearer = this.data.tokens.get(token);
    if (!bearer) throw new FakeMarketplaceError('this token was never issued or is already revoked');
    this.data.tokens.set(token, { ...bearer, expiresAt: this.#clock.ms });
  }

  /** Returns the user and application of a valid token. */
  bearerOf(token: string): Bearer | undefined {
    const bearer = this.data.tokens.get(token);
    return bearer && !this.#isExpired(bearer) ? bearer : undefined;
  }

  /** @internal @throws {FakeMarketplaceError} when an application has no token and no grant */
  assertApplication(application_id: number): void {
    const known = [...this.data.tokens.values(), ...this.data.grants.values()].map((each) => each.application_id);
    if (application_id === 500 || known.includes(application_id)) return;
    throw new FakeMarketplaceError(`there is no application ${application_id}; issue a token for it first`);
  }

  /** Whether a token was issued and has expired. */
  isExpired(token: string): boolean {
    const bearer = this.data.tokens.get(token);
    return bearer !== undefined && this.#isExpired(bearer);
  }

  /**
   * Issues an authorization code, as when a user authorises an application. `POST /oauth/token` accepts it once.
   *
   * @param proof what the exchange must prove: the verifier of PKCE, the redirect URI
   */
  issueAuthorizationCode(
    user_id: number,
    application_id = 500,
    proof?: {
      /** The SHA-256 of the verifier of PKCE, in base64url; absent without PKCE. */
      readonly code_challenge?: string | undefined;
      readonly redirect_uri?: string | undefined;
    },
  ): string {
    this.getOrThrow(user_id);
    assertCodeProof(proof ?? {});
    const value = this.#newValue('TG', user_id, application_id);
    this.data.grants.set(value, { kind: 'authorization_code', value, user_id, application_id, proof });
    return value;
  }

  /** Issues a refresh token. `POST /oauth/token` accepts it once. */
  issueRefreshToken(user_id: number, application_id = 500, accessToken?: string): string {
    this.getOrThrow(user_id);
    const value = this.#newValue('TG-R', user_id, application_id);
    this.data.grants.set(value, { kind: 'refresh_token', value, user_id, application_id, accessToken });
    return value;
  }

  /** Uses up an authorization code or a refresh token. */
  redeem(kind: Grant['kind'], value: string, application_id: number): Grant | undefined {
    const grant = this.data.grants.get(value);
    if (!grant) return undefined;
    if (grant.kind !== kind || grant.application_id !== application_id) return undefined;
    this.data.grants.delete(value);
    return grant;
  }

  /**
   * Ends the grants of a user, as when the user revokes an application or changes the password: its access tokens get a
   * 401, and its codes and refresh tokens `invalid_grant`.
   *
   * @param application_id only the grant of this application; by default those of all
   */
  endGrant(user: Pick<Account, 'user_id'>, application_id?: number): void {
    const { user_id } = this.of(user);
    const tables: Map<string, Pick<Bearer, 'user_id' | 'application_id'>>[] = [this.data.tokens, this.data.grants];
    for (const table of tables)
      for (const [value, granted] of table)
        if (granted.user_id === user_id && (application_id ?? granted.application_id) === granted.application_id)
          table.delete(value);
  }

  #isExpired({ expiresAt }: Bearer): boolean {
    return expiresAt !== null && expiresAt <= this.#clock.ms;
  }

  #freeUserId(): number {
    while (this.data.entries.has(this.data.nextUser)) this.data.nextUser += 1;
    return this.data.nextUser++;
  }

  #newValue(prefix: string, user_id: number, application_id: number | null): string {
    return `${prefix}-${application_id ?? 'none'}-${String(this.data.nextToken++).padStart(6, '0')}-${user_id}`;
  }
}
