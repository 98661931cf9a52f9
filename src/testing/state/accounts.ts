import { FakeMarketplaceError } from '../errors.js';

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
  /** The application that the token belongs to; `null` for none. */
  readonly application_id: number | null;
}

/** The users and their access tokens. */
export class Accounts {
  readonly #users = new Map<number, Account>();
  readonly #tokens = new Map<string, Bearer>();
  #nextUser = 1001;
  #nextToken = 1;

  /** Adds a user. Fields that you omit get default values. */
  add({ user_id = this.#nextUser++, nickname = `USER${user_id}`, site_id = 'MLA' }: Partial<Account> = {}): Account {
    if (this.#users.has(user_id)) throw new FakeMarketplaceError(`user ${user_id} already exists`);
    const account = { user_id, nickname, site_id };
    this.#users.set(user_id, account);
    return account;
  }

  /** All users, the oldest first. */
  get all(): readonly Account[] {
    return [...this.#users.values()];
  }

  /** All valid tokens, the oldest first. */
  get bearers(): readonly Bearer[] {
    return [...this.#tokens.values()];
  }

  get(user_id: number): Account | undefined {
    return this.#users.get(user_id);
  }

  /** Returns a user. @throws {FakeMarketplaceError} when there is none */
  getOrThrow(user_id: number): Account {
    const account = this.#users.get(user_id);
    if (!account)
      throw new FakeMarketplaceError(`there is no user ${user_id}; add one with addUser({ user_id: ${user_id} })`);
    return account;
  }

  /** Issues a token for a user; `application_id: null` for a token without application. */
  issueToken(
    user_id: number,
    application_id: number | null = 500,
    token = this.#newToken(user_id, application_id),
  ): string {
    this.getOrThrow(user_id);
    if (this.#tokens.has(token)) throw new FakeMarketplaceError(`the token of user ${user_id} is already in use`);
    this.#tokens.set(token, { token, user_id, application_id });
    return token;
  }

  /** Revokes a token: calls with it fail with 401. */
  revokeToken(token: string): void {
    if (!this.#tokens.delete(token))
      throw new FakeMarketplaceError('this token was never issued or is already revoked');
  }

  bearerOf(token: string): Bearer | undefined {
    return this.#tokens.get(token);
  }

  #newToken(user_id: number, application_id: number | null): string {
    return `APP_USR-${application_id ?? 'none'}-${String(this.#nextToken++).padStart(6, '0')}-${user_id}`;
  }
}
