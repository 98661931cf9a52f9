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
import type { ErrorWords } from './http/handler.js';
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
import { itemHandlers, siteHandlers } from './handlers/storefront.js';
import type { MarketplaceState } from './state/marketplace-state.js';

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
  readonly events = new MarketplaceEvents();
  /** Tells applications what happens on it. */
  readonly notifications: NotificationService;
  /** What goes wrong on the way to it, on purpose. */
  readonly faults = new Faults();
  /** Its users and their tokens. */
  readonly accounts = new Accounts();
  /** What is sold on it. */
  readonly items = new ItemStore(this.accounts);
  /** What was bought on it. */
  readonly packs = new PackStore(this.accounts);
  /** What was asked on it. */
  readonly questions: QuestionStore;
  /** Who delivers with Flex, how, and what. */
  readonly flex: FlexStore;
  /** The contacts that were made through classified items. */
  readonly contacts: ContactStore;
  /** What was written after sales. */
  readonly messages: MessageStore;
  /** The files of messages. */
  readonly attachments: AttachmentStore;
  readonly #router: Router;

  constructor({ now }: FakeMarketplaceOptions = {}) {
    this.clock = new Clock(now);
    this.#router = new Router(this.accounts, this.clock);
    this.notifications = new NotificationService(this.clock, this.events);
    const { accounts, clock, events, items, packs } = this;
    const world: MarketplaceState = { accounts, clock, events, items, packs };
    this.#router.interceptors.push(this.faults.interceptor);
    // A resource is its state, built from the world, and one line here.
    this.questions = new QuestionStore(world);
    this.#router.add(endpoints.questions, questionHandlers(this.questions, world), questionConventions);
    this.flex = new FlexStore(world);
    this.#router.add(endpoints.flex, flexHandlers(this.flex, world), flexConventions);
    this.contacts = new ContactStore(world);
    this.#router.add(endpoints.contacts, contactHandlers(this.contacts, world));
    this.#router.add(endpoints.items, itemHandlers(items));
    this.#router.add(endpoints.sites, siteHandlers(items));
    this.#router.add(endpoints.currencies, currencyHandlers());
    this.messages = new MessageStore(world);
    this.attachments = new AttachmentStore(world);
    this.#router.add(endpoints.actionGuide, actionGuideHandlers(this.messages, world), actionGuideConventions);
    this.#router.add(endpoints.messages, messageHandlers(this.messages, this.attachments, world), messageConventions);
  }

  /** Answers a request: give it to a client as `fetch`. */
  readonly fetch = (input: Request | string | URL, init?: RequestInit): Promise<Response> =>
    this.#router.handle(input instanceof Request && init === undefined ? input : new Request(input, init));

  /** Answers over HTTP on a port of this machine, with a page at `/` if told. Loaded on first use; takes Node. */
  async listen({ page = false, ...where }: ListenOptions = {}): Promise<Listening> {
    const node = await import('./server.js');
    if (!page) return node.listen(this.fetch, where);
    const { Dashboard } = await import('./dashboard/dashboard.js');
    return node.listen(new Dashboard(this).fetch, where);
  }

  /**
   * Handlers for msw 3, of which the marketplace answers everything under a base URL.
   *
   * @example
   * const server = setupServer(...marketplace.handlers('https://api.example.com'));
   */
  handlers(baseUrl: string = this.baseUrl): MswHandler[] {
    return [mswHandler(baseUrl.replace(/\/+$/, ''), this.fetch)];
  }

  /** Adds a user: a seller, a buyer or both. What is left out is made up. */
  addUser(sketch?: Partial<Account>): Account {
    return this.accounts.add(sketch);
  }

  /** Adds an item of a seller, active unless said otherwise. What is left out is made up. */
  addItem(sketch: ItemInit): Item {
    return this.items.add(sketch);
  }

  /** A user asks about an item, whatever the item's state: the way to a marketplace on which things have happened. */
  ask({ from, item_id, text }: { from: { readonly user_id: number }; item_id: string; text: string }): StoredQuestion {
    return this.questions.add(this.items.getOrThrow(item_id), this.accounts.getOrThrow(from.user_id).user_id, text);
  }

  /** Somebody clicks on "See phone" of an item: now and once, unless said otherwise. */
  viewPhone(item: Pick<Item, 'item_id'>, sketch?: ContactInit): void {
    this.contacts.record('phone_view', item, sketch);
  }

  /** A guest, who is not logged in, asks about an item: such questions are counted and never shown. */
  guestQuestion(item: Pick<Item, 'item_id'>, sketch?: ContactInit): void {
    this.contacts.record('question', item, sketch);
  }

  /** Adds a sale of a seller to a buyer. What is left out is made up. */
  addPack(sketch: PackInit): Pack {
    return this.packs.add(sketch);
  }

  /** The buyer of a pack writes, at most 3,500 characters: the seller's conversation is open from then on. */
  buyerWrites({ pack, text }: { readonly pack: Pack; readonly text: string }): StoredMessage {
    return this.messages.add(pack, { from: pack.buyer_id, text });
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
  failNext(endpoint: Endpoint, refusal: Omit<DocumentedError, 'error'>, words?: ErrorWords): void {
    this.#router.failNext(endpoint, errorResponse(refusal, words));
  }
}
