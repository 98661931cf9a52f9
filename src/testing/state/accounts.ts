import { FakeMarketplaceError } from '../errors.js';

/** A user of the marketplace: a seller, a buyer, or both. */
export interface Account {
  readonly user_id: number;
  readonly nickname: string;
  readonly site_id: string;
}

/** Who a token speaks for. */
export interface Bearer {
  readonly token: string;
  readonly user_id: number;
  /** The application the token was given to; `null` for a token without one. */
  readonly application_id: number | null;
}

/** Users and their tokens. */
export class Accounts {
  readonly #users = new Map<number, Account>();
  readonly #tokens = new Map<string, Bearer>();
  #nextUser = 1001;
  #nextToken = 1;

  /** Adds a user; what is left out is made up. */
  add({ user_id = this.#nextUser++, nickname = `USER${user_id}`, site_id = 'MLA' }: Partial<Account> = {}): Account {
    if (this.#users.has(user_id)) throw new FakeMarketplaceError(`there is a user ${user_id} already`);
    const account = { user_id, nickname, site_id };
    this.#users.set(user_id, account);
    return account;
  }

  /** All users, the oldest first. */
  get all(): readonly Account[] {
    return [...this.#users.values()];
  }

  /** The tokens that are in force, the oldest first. */
  get bearers(): readonly Bearer[] {
    return [...this.#tokens.values()];
  }

  get(user_id: number): Account | undefined {
    return this.#users.get(user_id);
  }

  /** The user, who must exist. */
  getOrThrow(user_id: number): Account {
    const account = this.#users.get(user_id);
    if (!account)
      throw new FakeMarketplaceError(`there is no user ${user_id}; add one with addUser({ user_id: ${user_id} })`);
    return account;
  }

  /** Gives a user a new token, made up unless given, and tied to an application unless `application_id` is `null`. */
  issueToken(
    user_id: number,
    application_id: number | null = 500,
    token = this.#newToken(user_id, application_id),
  ): string {
    this.getOrThrow(user_id);
    if (this.#tokens.has(token)) throw new FakeMarketplaceError(`the token for user ${user_id} is given out already`);
    this.#tokens.set(token, { token, user_id, application_id });
    return token;
  }

  /** Ends a token: calls with it are refused with 401 from now on. */
  revokeToken(token: string): void {
    if (!this.#tokens.delete(token))
      throw new FakeMarketplaceError('this token was never issued, or is revoked already');
  }

  bearerOf(token: string): Bearer | undefined {
    return this.#tokens.get(token);
  }

  #newToken(user_id: number, application_id: number | null): string {
    return `APP_USR-${application_id ?? 'none'}-${String(this.#nextToken++).padStart(6, '0')}-${user_id}`;
  }
}
