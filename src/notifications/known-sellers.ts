import type { InboxContext } from './context.js';
import { isForeign } from './handling/clients.js';
import { sellerIdsOf } from './seller-ids.js';

/** Whose notifications an inbox accepts. */
export class KnownSellers {
  readonly #options: InboxContext['options'];
  /** Those that `sellers()` has returned last. */
  #last: ReadonlySet<number> = new Set();

  constructor({ options }: Pick<InboxContext, 'options'>) {
    this.#options = options;
  }

  /**
   * Whether a user is one of the `sellers`; without them, one for whom `clientFor` has a client. A function is asked again about those
   * whom it has not named.
   */
  async has(user_id: number): Promise<boolean> {
    const { sellers, clientFor } = this.#options;
    if (typeof sellers === 'function') {
      if (!this.#last.has(user_id)) this.#last = new Set(await sellerIdsOf(sellers));
      return this.#last.has(user_id);
    }
    if (sellers) return sellers instanceof Set ? sellers.has(user_id) : [...sellers].includes(user_id);
    if (!clientFor) return true;
    const client = await clientFor(user_id);
    return Boolean(client) && !isForeign(client as object, user_id);
  }
}
