import { SellerClient } from '../client.js';
import type { Endpoint } from '../core/endpoint.js';
import type { ClientOptions } from '../core/options/client-options.js';
import type { DocumentedError } from '../core/errors/documented-error.js';
import { endpoints } from '../endpoints.js';
import { Accounts } from './state/accounts.js';
import type { Account } from './state/accounts.js';
import { actionGuideHandlers, actionGuideConventions } from './handlers/action-guide.js';
import { AttachmentStore } from './state/attachments.js';
import { errorResponse } from './http/handler.js';
import type { ErrorOverrides } from './http/handler.js';
import { Clock } from './clock.js';
import { ContactStore } from './state/contacts.js';
import type { ContactInit } from './state/contacts.js';
import { contactHandlers } from './handlers/contacts.js';
import { currencyHandlers } from './handlers/currencies.js';
import { MarketplaceEvents } from './state/events.js';
import { Faults } from './http/faults.js';
import { FlexStore } from './state/flex.js';
import { flexHandlers, flexConventions } from './handlers/flex.js';
import { ItemStore } from './state/items.js';
import type { Item, ItemInit } from './state/items.js';
import { MessageStore } from './state/messages.js';
import type { StoredMessage } from './state/messages.js';
import { messageHandlers, messageConventions } from './handlers/messages.js';
import { mswHandler } from './msw.js';
import type { MswHandler } from './msw.js';
import type { Listening, ListenOptions } from './server.js';
import { NotificationService } from './webhooks/notification-service.js';
import { PackStore } from './state/packs.js';
import type { Pack, PackInit } from './state/packs.js';
import { QuestionStore } from './state/questions.js';
import type { StoredQuestion } from './state/questions.js';
import { questionHandlers, questionConventions } from './handlers/questions.js';
import { Router } from './http/router.js';
import { itemHandlers } from './handlers/items.js';
import { siteHandlers } from './handlers/sites.js';
import type { MarketplaceState } from './state/marketplace-state.js';

/** Options of a fake marketplace. */
export interface FakeMarketplaceOptions {
  /** Stops the marketplace's clock at this time. @default the clock follows the machine's */
  readonly now?: Date | string | number;
}

/**
 * Implements the marketplace in memory: a `Request -> Response` function with state.
 *
 * Use it as `fetch`, on a port (`listen()`), or through msw (`handlers()`).
 *
 * @example
 * const marketplace = new FakeMarketplace();
 * const seller = marketplace.addUser();
 * const client = marketplace.clientFor(seller);
 */
export class FakeMarketplace {
  /** The base URL to use with `marketplace.fetch`. */
  readonly baseUrl = 'https://marketplace.test';
  /** The marketplace's time. */
  readonly clock: Clock;
  /** Emits an event for each change that applications are notified about. */
  readonly events = new MarketplaceEvents();
  /** Posts notifications to the callbacks of applications. */
  readonly notifications: NotificationService;
  /** Injects network and service faults. */
  readonly faults = new Faults();
  /** The users and their access tokens. */
  readonly accounts = new Accounts();
  /** The items for sale. */
  readonly items = new ItemStore(this.accounts);
  /** The packs: one per sale. */
  readonly packs = new PackStore(this.accounts);
  /** The questions, their answers and the blacklists. */
  readonly questions: QuestionStore;
  /** The Flex subscriptions, items, shipments and drivers. */
  readonly flex: FlexStore;
  /** The contacts made through classified items. */
  readonly contacts: ContactStore;
  /** The messages of all conversations. */
  readonly messages: MessageStore;
  /** The uploaded files. */
  readonly attachments: AttachmentStore;
  readonly #router: Router;

  constructor({ now }: FakeMarketplaceOptions = {}) {
    this.clock = new Clock(now);
    this.#router = new Router(this.accounts, this.clock);
    this.notifications = new NotificationService(this.clock, this.events);
    const { accounts, clock, events, items, packs } = this;
    const state: MarketplaceState = { accounts, clock, events, items, packs };
    this.#router.interceptors.push(this.faults.interceptor);
    // Each resource is a store and one line here.
    this.questions = new QuestionStore(state);
    this.#router.add(endpoints.questions, questionHandlers(this.questions, state), questionConventions);
    this.flex = new FlexStore(state);
    this.#router.add(endpoints.flex, flexHandlers(this.flex, state), flexConventions);
    this.contacts = new ContactStore(state);
    this.#router.add(endpoints.contacts, contactHandlers(this.contacts, state));
    this.#router.add(endpoints.items, itemHandlers(items));
    this.#router.add(endpoints.sites, siteHandlers(items));
    this.#router.add(endpoints.currencies, currencyHandlers());
    this.messages = new MessageStore(state);
    this.attachments = new AttachmentStore(state);
    this.#router.add(endpoints.actionGuide, actionGuideHandlers(this.messages, state), actionGuideConventions);
    this.#router.add(endpoints.messages, messageHandlers(this.messages, this.attachments, state), messageConventions);
  }

  /** Handles a request. Pass it to a client as `fetch`. */
  readonly fetch = (input: Request | string | URL, init?: RequestInit): Promise<Response> =>
    this.#router.handle(input instanceof Request && init === undefined ? input : new Request(input, init));

  /** Serves the marketplace over HTTP, with the dashboard at `/` if `page` is `true`. Needs Node. */
  async listen({ page = false, ...where }: ListenOptions = {}): Promise<Listening> {
    const { listen } = await import('./server.js');
    if (!page) return listen(this.fetch, where);
    const { Dashboard } = await import('./dashboard/dashboard.js');
    return listen(new Dashboard(this).fetch, where);
  }

  /**
   * Returns msw handlers that pass every request under a base URL to the marketplace.
   *
   * @example
   * const server = setupServer(...marketplace.handlers('https://api.example.com'));
   */
  handlers(baseUrl: string = this.baseUrl): MswHandler[] {
    return [mswHandler(baseUrl.replace(/(?<!\/)\/+$/, ''), this.fetch)];
  }

  /** Adds a user: a seller, a buyer or both. Fields that you omit get default values. */
  addUser(init?: Partial<Account>): Account {
    return this.accounts.add(init);
  }

  /** Adds an item of a seller. Fields that you omit get default values; `status` is `active`. */
  addItem(init: ItemInit): Item {
    return this.items.add(init);
  }

  /** Adds a question of a user about an item, whatever the item's status. */
  ask({ from, item_id, text }: { from: { readonly user_id: number }; item_id: string; text: string }): StoredQuestion {
    return this.questions.add(this.items.getOrThrow(item_id), this.accounts.getOrThrow(from.user_id).user_id, text);
  }

  /** Records clicks on "See phone" of an item: one click, now, by default. */
  viewPhone(item: Pick<Item, 'item_id'>, init?: ContactInit): void {
    this.contacts.record('phone_view', item, init);
  }

  /** Records questions of guests about an item. Guests are not logged in; their questions are only counted. */
  guestQuestion(item: Pick<Item, 'item_id'>, init?: ContactInit): void {
    this.contacts.record('question', item, init);
  }

  /** Adds a sale of a seller to a buyer. Fields that you omit get default values. */
  addPack(init: PackInit): Pack {
    return this.packs.add(init);
  }

  /** Adds a message of the buyer of a pack, which opens the conversation for the seller. */
  buyerWrites({ pack, text }: { readonly pack: Pack; readonly text: string }): StoredMessage {
    return this.messages.add(pack, { from: pack.buyer_id, text });
  }

  /** Issues an access token for a user. @param application_id `null` for a token without application. @default 500 */
  tokenFor(user: { readonly user_id: number }, application_id?: number | null): string {
    return this.accounts.issueToken(user.user_id, application_id);
  }

  /** Creates a client that is logged in as a user and calls this marketplace in process. */
  clientFor(user: { readonly user_id: number }, options: Partial<ClientOptions> = {}): SellerClient {
    return new SellerClient({ baseUrl: this.baseUrl, accessToken: this.tokenFor(user), fetch: this.fetch, ...options });
  }

  /** Makes the next call of the endpoint fail with a documented error; `overrides` change its message, code or cause. */
  failNext(endpoint: Endpoint, error: Omit<DocumentedError, 'error'>, overrides?: ErrorOverrides): void {
    this.#router.failNext(endpoint, errorResponse(error, overrides));
  }
}
