import { userOfClient } from '../../core/recover/write-hook.js';
import type { Notification } from '../notification.js';
import type { Inbox } from '../inbox.js';
import { ForeignClientError, UnknownSellerError } from './errors.js';
import type { NotificationClient } from './read-notification.js';

/** What a run notes of its notification. */
interface Confirmable {
  confirmed?: boolean | undefined;
}

/** The clients of the users whom notifications are for. */
export class Clients {
  readonly #inbox: Inbox;
  /** For whom each client was returned first. */
  readonly #users = new WeakMap<object, number>();
  #hasWarned = false;

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  /**
   * Returns the client of a user; `undefined` without the option `clientFor`.
   *
   * @throws {UnknownSellerError} when the user is not ours.
   * @throws {ForeignClientError} when the client is known to be another user's.
   */
  async of({ user_id }: Pick<Notification, 'user_id'>, run: Confirmable): Promise<NotificationClient | undefined> {
    const { clientFor } = this.#inbox.options;
    if (!clientFor) return undefined;
    const client = await clientFor(user_id);
    if (!client) throw new UnknownSellerError('clientFor returned no client: the user is not ours');
    assertOwner(client, user_id, run);
    const first = this.#users.get(client) ?? user_id;
    this.#users.set(client, first);
    if (first !== user_id) this.#warn(first, user_id);
    return client;
  }

  #warn(first: number, second: number): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#inbox.reporter.warned(
      `clientFor returned one client for the users ${first} and ${second}: return undefined for those whose client it is not`,
    );
  }
}

/**
 * @param run Of it nothing is confirmed if the client is another user's: anybody may have named the user.
 * @throws {ForeignClientError} when the token of a client, as far as it is known, is another user's.
 */
export function assertOwner(client: object, user_id: number, run: Confirmable = {}): void {
  const owner = userOfClient(client);
  if (owner === undefined || owner === String(user_id)) return;
  run.confirmed = false;
  throw new ForeignClientError(
    `clientFor returned for user ${user_id} a client whose token is of user ${owner}: return undefined for users who are not yours`,
  );
}
