import { SellerClient } from '../client.js';
import type { Endpoint } from '../core/endpoint.js';
import type { Refusal } from '../core/refusal.js';
import type { ClientOptions } from '../core/settings.js';
import { Accounts } from './accounts.js';
import type { Account } from './accounts.js';
import { refuse } from './behaviour.js';
import type { RefusalWords } from './behaviour.js';
import { Clock } from './clock.js';
import { Events } from './events.js';
import { Router } from './router.js';

/** How a fake marketplace is set up. */
export interface FakeMarketplaceOptions {
  /** Where the clock stands; without it the clock follows the machine's. */
  readonly now?: Date | string | number;
}

/**
 * A marketplace in memory that behaves as the specification says: a `Request -> Response` function with state.
 *
 * Use it as `fetch`, on a port (`listen()`), or through msw (`handlers()`).
 *
 * @example
 * const marketplace = new FakeMarketplace();
 * const seller = marketplace.addUser();
 * const client = marketplace.clientFor(seller);
 */
export class FakeMarketplace {
  /** The base URL under which it answers when it is used as `fetch`. */
  readonly baseUrl = 'https://marketplace.test';
  /** The marketplace's time. */
  readonly clock: Clock;
  /** What happens on it. */
  readonly events = new Events();
  readonly accounts = new Accounts();
  readonly #router: Router;

  constructor({ now }: FakeMarketplaceOptions = {}) {
    this.clock = new Clock(now);
    this.#router = new Router(this.accounts, this.clock);
  }

  /** Answers a request: give it to a client as `fetch`. */
  readonly fetch = (input: Request | string | URL, init?: RequestInit): Promise<Response> =>
    this.#router.handle(input instanceof Request && init === undefined ? input : new Request(input, init));

  /** Adds a user: a seller, a buyer or both. What is left out is made up. */
  addUser(sketch?: Partial<Account>): Account {
    return this.accounts.add(sketch);
  }

  /** A token of a user, tied to application 500 unless said otherwise; `null` gives one without an application. */
  tokenFor(user: { readonly user_id: number }, application_id?: number | null): string {
    return this.accounts.issueToken(user.user_id, application_id);
  }

  /** A client that speaks for a user, in this process. */
  clientFor(user: { readonly user_id: number }, options: Partial<ClientOptions> = {}): SellerClient {
    return new SellerClient({ baseUrl: this.baseUrl, accessToken: this.tokenFor(user), fetch: this.fetch, ...options });
  }

  /** The next call of the endpoint is refused with this documented refusal, in other words if given. */
  refuseNext(endpoint: Endpoint, refusal: Omit<Refusal, 'error'>, words?: RefusalWords): void {
    this.#router.refuseNext(endpoint, refuse(refusal, words));
  }
}
