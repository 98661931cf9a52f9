import { userOfClient } from '../../core/recover/write-hook.js';
import type { Notification } from '../notification.js';
import type { InboxContext } from '../context.js';
import { ForeignClientError, UnknownSellerError } from './errors.js';
import type { NotificationClient } from './read-notification.js';

/** The clients of the users whom notifications are for. */
export class Clients {
  readonly #context: InboxContext;
  /** For whom each client was returned first. */
  readonly #users = new WeakMap<object, number>();
  #hasWarned = false;

  constructor(context: InboxContext) {
    this.#context = context;
  }

  /**
   * Returns the client of a user; `undefined` without the option `clientFor`.
   *
   * @throws {UnknownSellerError} when the user is not ours.
   * @throws {ForeignClientError} when the client is known to be another user's.
   */
  async of({ user_id }: Pick<Notification, 'user_id'>): Promise<NotificationClient | undefined> {
    const { clientFor } = this.#context.options;
    if (!clientFor) return undefined;
    const client = await clientFor(user_id);
    if (!client) throw new UnknownSellerError('clientFor returned no client: the user is not ours');
    assertOwner(client, user_id);
    const first = this.#users.get(client) ?? user_id;
    this.#users.set(client, first);
    if (first !== user_id) this.#warn(first, user_id);
    return client;
  }

  #warn(first: number, second: number): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#context.reporter.warned(
      `clientFor returned one client for the users ${first} and ${second}: return undefined for those whose client it is not`,
    );
  }
}

/** @throws {ForeignClientError} when the token of a client, as far as it is known, is another user's. */
export function assertOwner(client: object, user_id: number): void {
  if (!isForeign(client, user_id)) return;
  throw new ForeignClientError(
    `clientFor returned for user ${user_id} a client whose token is of user ${userOfClient(client)}: return undefined for users who are not yours`,
  );
}

/** Whether the token of a client is known to be another user's. */
export function isForeign(client: object, user_id: number): boolean {
  const owner = userOfClient(client);
  return owner !== undefined && owner !== String(user_id);
}
