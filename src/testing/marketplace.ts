import { SellerClient } from '../client.js';
import type { DocumentedError } from '../core/operation/documented-error.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import type { ClientOptions } from '../core/options/client-options.js';
import { Clock } from './clock.js';
import { Dashboard } from './dashboard/dashboard.js';
import { assertFields, assertObject, assertText, FakeMarketplaceError } from './errors.js';
import { Faults } from './http/faults.js';
import { withBody, type ErrorOverrides } from './http/handler.js';
import { ServiceRateLimiter } from './http/rate-limit.js';
import { Requests } from './http/requests.js';
import { mswHandler, type RequestHandler } from './msw.js';
import { authorize } from './oauth.js';
import type { Operation } from './operations/operation.js';
import { Operations } from './operations/operations.js';
import { Router } from './router.js';
import { addSaleWithMessages, applySeed } from './seed/apply.js';
import type { SeedOf } from './seed/schema.js';
import { listen, type Listening, type ListenOptions } from './server.js';
import { defaultSettings, optionLockMsOverHttp, type MarketplaceSettings } from './settings.js';
import type { Account, Accounts } from './state/accounts.js';
import type { AttachmentStore } from './state/attachments.js';
import type { ContactStore } from './state/contacts.js';
import type { Omittable, RecordStore } from './state/entity-store.js';
import { MarketplaceEvents } from './state/events.js';
import type { FlexStore } from './state/flex.js';
import type { Item, ItemInit, ItemStore } from './state/items.js';
import type { BuyerMessage, MessageStore, StoredMessage } from './state/messages.js';
import type { Pack, PackInit, PackStore } from './state/packs.js';
import type { QuestionStore, StoredQuestion } from './state/questions.js';
import { createStores, setNextIds, type NextIds, type Stores } from './state/stores.js';
import { NotificationService } from './webhooks/notification-service.js';

/** The initial content of a marketplace. */
export interface SeedInit extends SeedOf<FakeMarketplace> {}

/** Options of a fake marketplace. `Inputs` are the inputs of its own operations. */
export interface FakeMarketplaceOptions<Inputs extends readonly unknown[] = readonly unknown[]> {
  /** Stops the marketplace's clock at this time. @default the clock shows the machine's time */
  readonly now?: Date | string | number | undefined;
  /**
   * Which one the marketplace follows if the live service and the specification differ. It selects the defaults of
   * `settings`.
   *
   * @default 'live'
   */
  readonly follow?: 'live' | 'documents' | undefined;
  /** Responds 429 to calls above a rate, e.g. `{ perSecond: 10 }`. @default no limit */
  readonly limit?: ServiceRateLimiter['limit'];
  /** Behaviour that the specification leaves open. @default see `MarketplaceSettings` */
  readonly settings?: Partial<MarketplaceSettings> | undefined;
  /**
   * Operations of your own, beside those of the service.
   *
   * @default none
   * @example
   * const rates = { ...endpoints.currencies.get, name: 'rates.get', path: '/rates/{id}' } as const;
   * const withRates = new FakeMarketplace({
   *   operations: [{ endpoint: rates, handle: ({ input }, { records }) => records.of('rates').get(String(input.id)) }],
   * });
   * withRates.records.of('rates').set('USD', { id: 'USD', symbol: 'U$S' });
   * console.log(await withRates.clientFor(withRates.addUser()).call(rates, { id: 'USD' }));
   */
  readonly operations?: { readonly [Index in keyof Inputs]: Operation<Inputs[Index], FakeMarketplace> } | undefined;
}

/**
 * Implements the marketplace in memory: a `Request -> Response` function with state.
 *
 * Use it as `fetch`, on a port (`listen()`), or through msw (`handlers()`).
 *
 * @example
 * const marketplace = new FakeMarketplace();
 * const seller = marketplace.addUser();
 * const buyer = marketplace.addUser();
 * const client = marketplace.clientFor(seller);
 * const item = marketplace.addItem({ seller_id: seller.user_id });
 *
 * marketplace.ask({ from: buyer, item_id: item.item_id, text: 'Is it new?' });
 * const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
 * marketplace.buyerWrites({ pack, text: 'Where is my parcel?' });
 * marketplace.viewPhone(item, { times: 3 });
 * marketplace.guestQuestion(item);
 * marketplace.failNext(endpoints.questions.get, { status: 500, message: 'Internal server error' });
 *
 * const { url, close } = await marketplace.listen();
 * const overHttp = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(seller) });
 * await close();
 * marketplace.reset();
 */
export class FakeMarketplace<Inputs extends readonly unknown[] = readonly unknown[]> {
  /** The base URL to use with `marketplace.fetch`. */
  readonly baseUrl = 'https://marketplace.test';
  /** The marketplace's clock. */
  readonly clock: Clock;
  /** Emits an event for each change that applications are notified about. */
  readonly events = new MarketplaceEvents();
  /** Posts notifications to the callbacks of applications. */
  readonly notifications: NotificationService;
  /** The behaviour that the specification leaves open. */
  readonly settings: MarketplaceSettings;
  /** The operations of your own, and stubs. */
  readonly operations = new Operations(this);
  /** Injects network and service faults. */
  readonly faults = new Faults(this.operations.routes);
  /** Limits the rate of calls. */
  readonly rateLimiter: ServiceRateLimiter;
  /** The requests that the marketplace received. */
  readonly requests = new Requests(this.operations.routes);
  readonly #options: FakeMarketplaceOptions<Inputs>;
  readonly #startSettings: MarketplaceSettings;
  #stores: Stores;
  #router: Router;

  /** @throws {FakeMarketplaceError} when an option is unknown or invalid */
  constructor(options: FakeMarketplaceOptions<Inputs> = {}) {
    this.#options = options;
    this.#startSettings = settingsOf(options);
    this.settings = { ...this.#startSettings };
    this.clock = new Clock(options.now);
    this.notifications = new NotificationService(this.clock, this.events);
    this.rateLimiter = new ServiceRateLimiter(this.clock);
    this.rateLimiter.set(options.limit);
    for (const operation of options.operations ?? []) this.operations.add(operation);
    [this.#stores, this.#router] = this.#start();
  }

  /** The users and their access tokens. */
  get accounts(): Accounts {
    return this.#stores.accounts;
  }

  /** The items for sale. */
  get items(): ItemStore {
    return this.#stores.items;
  }

  /** The packs: one per sale. */
  get packs(): PackStore {
    return this.#stores.packs;
  }

  /** The questions, their answers and the blacklists. */
  get questions(): QuestionStore {
    return this.#stores.questions;
  }

  /** The Flex subscriptions, items, shipments and drivers. */
  get flex(): FlexStore {
    return this.#stores.flex;
  }

  /** The contacts made through classified items. */
  get contacts(): ContactStore {
    return this.#stores.contacts;
  }

  /** The messages of all conversations. */
  get messages(): MessageStore {
    return this.#stores.messages;
  }

  /** The state that operations of your own keep. */
  get records(): RecordStore {
    return this.#stores.records;
  }

  /** The uploaded files. */
  get attachments(): AttachmentStore {
    return this.#stores.attachments;
  }

  /** Handles a request. Pass it to a client as `fetch`. */
  readonly fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> =>
    withBody(await this.serve(input instanceof Request && init === undefined ? input : new Request(input, init)));

  /** @internal Handles a request. The response may have no body yet. */
  readonly serve = (request: Request): Promise<Response> => this.#router.handle(request);

  /**
   * Serves the marketplace over HTTP, with the dashboard at `/` if `page` is `true`, and with the control endpoints if `controls`
   * is. Only on Node.js.
   */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    if (this.#options.settings?.optionLockMs === undefined)
      this.settings.optionLockMs = this.#startSettings.optionLockMs = optionLockMsOverHttp;
    const { page = false, controls = page, controlToken } = options;
    if (!controls) return listen(this.fetch, options);
    const dashboard = new Dashboard(this, { controlToken, page });
    const served = await listen(dashboard.fetch, options).catch((error: unknown) => {
      dashboard.close();
      throw error;
    });
    const close = () => served.close().finally(dashboard.close);
    return { ...served, controlToken: dashboard.controlToken, close };
  }

  /**
   * Returns handlers of msw 2.15 or later that pass every request under a base URL to the marketplace.
   *
   * @example
   * const server = setupServer(...marketplace.handlers('https://api.example.com'));
   */
  handlers(baseUrl: string = this.baseUrl): RequestHandler[] {
    return [mswHandler(baseUrl.replace(/(?<!\/)\/+$/, ''), this.fetch)];
  }

  /**
   * Adds everything in a seed, e.g. the JSON of a seed file. When an entry is invalid, nothing is added.
   *
   * @throws {FakeMarketplaceError} that names each invalid entry
   * @example
   * marketplace.seed({ users: [{ user_id: 8, nickname: 'SHOP' }], items: [{ seller_id: 8, item_id: 'MLA200' }] });
   */
  seed(seed: SeedInit): void {
    applySeed(this.#stores, this.operations, this.faults, seed);
  }

  /** Removes everything: users, tokens, items, requests, faults, stubs, subscriptions. Clock, settings and limit go back to their start. */
  reset(): void {
    this.clock.reset(this.#options.now);
    Object.assign(this.settings, this.#startSettings);
    this.operations.reset();
    [this.#stores, this.#router] = this.#start();
    this.faults.clear();
    this.rateLimiter.set(this.#options.limit);
    this.notifications.reset();
    this.requests.clear();
  }

  /** Adds a user: a seller, a buyer or both. Fields that you omit get default values. */
  addUser(init: Omittable<Account> = {}): Account {
    return this.accounts.add(init);
  }

  /** Adds an item of a seller. Fields that you omit get default values; `status` is `active`. */
  addItem(init: ItemInit): Item {
    return this.items.add(init);
  }

  /**
   * Adds a question of a user about an item, whatever the item's status. One that is held back (`hold`), taken from the
   * listing (`deleted_from_listing`) or of a paused item is `UNANSWERED`, but cannot be answered.
   */
  ask(
    question: { from: { readonly user_id: number }; item_id: string; text: string } & Pick<
      StoredQuestion,
      'hold' | 'deleted_from_listing'
    >,
  ): StoredQuestion {
    assertFields('a question', question, ['from', 'item_id', 'text', 'hold', 'deleted_from_listing']);
    const { from, item_id, text, ...marks } = question;
    const item = this.items.getOrThrow(item_id);
    return this.questions.add(item, this.accounts.of(from).user_id, text, marks);
  }

  /** Records clicks on "See phone" of an item: one click, now, by default. */
  viewPhone(item: Pick<Item, 'item_id'>, init?: Parameters<ContactStore['record']>[2]): void {
    this.contacts.record('phone_view', item, init);
  }

  /** Records questions from guests about an item. Guests are not logged in; their questions are only counted. */
  guestQuestion(item: Pick<Item, 'item_id'>, init?: Parameters<ContactStore['record']>[2]): void {
    this.contacts.record('question', item, init);
  }

  /**
   * Adds a sale of a seller to a buyer, with the messages of its conversation, the oldest first. Fields that you omit get default
   * values.
   *
   * @throws {FakeMarketplaceError} when a field is wrong; then nothing is added
   * @example
   * const { pack_id } = marketplace.addPack({
   *   ...{ seller_id: 7, buyer_id: 31 },
   *   messages: [{ from: 'buyer', text: 'Where is it?' }, { from: 'seller', text: 'On its way.' }],
   * });
   * console.log(marketplace.messages.of({ pack_id }).length); // 2
   */
  addPack(
    init: PackInit & {
      readonly messages?: NonNullable<NonNullable<SeedInit['packs']>[number]['messages']> | undefined;
    },
  ): Pack {
    const { messages } = (init as typeof init | undefined) ?? {};
    if (messages === undefined) return this.packs.add(init);
    return addSaleWithMessages(this.#stores, init);
  }

  /** Adds a message of the buyer of a pack (at most 3,500 characters). It opens the conversation for the seller. */
  buyerWrites(message: BuyerMessage): StoredMessage {
    assertFields('a message of a buyer', message, ['pack', 'text', 'files']);
    const { pack, text, files = [] } = message;
    assertText('text', text);
    const sale = this.packs.current(pack);
    const stored = files.map((file) => this.attachments.addSent(sale, file));
    return this.messages.add(sale, { from: sale.buyer_id, text, files: stored });
  }

  /**
   * Sets the ids that the next entries get, e.g. those that a fixture of your program expects. An id that is taken is skipped.
   *
   * @throws {FakeMarketplaceError} that names a wrong id
   * @example
   * marketplace.nextIds({ question_id: 42 });
   */
  nextIds(ids: NextIds): void {
    setNextIds(this.#stores, ids);
  }

  /** Issues an access token for a user. @param application_id `null` for a token without application. @default 500 */
  tokenFor(user: number | { readonly user_id: number }, application_id?: number | null): string {
    return this.accounts.issueToken(this.accounts.of(user).user_id, application_id);
  }

  /**
   * Lets a user agree on the authorisation page of an application.
   *
   * @param url the address of the page, with the parameters of the application
   * @returns the address to which the user's browser returns, with a code
   * @example
   * const { url, state, verifier } = await oauth.start();
   * const callback = marketplace.authorize({ user_id }, url);
   * const tokens = await oauth.exchange({ url: callback, state, verifier });
   */
  authorize(user: number | { readonly user_id: number }, url: string): string {
    return authorize(this.accounts, this.accounts.of(user).user_id, url);
  }

  /**
   * Creates a client that is logged in as a user and calls this marketplace in process. It fits `clientFor` of an inbox and an outbox.
   *
   * @example
   * const client = marketplace.clientFor(user_id);
   * const outbox = createOutbox({ store: memoryStore(), clientFor: (id) => marketplace.clientFor(id) });
   */
  clientFor(user: number | { readonly user_id: number }, options: Partial<ClientOptions> = {}): SellerClient {
    return new SellerClient({ baseUrl: this.baseUrl, accessToken: this.tokenFor(user), fetch: this.fetch, ...options });
  }

  /** Makes the next call of an endpoint, or of the one with a name, fail with a documented error. `overrides` replace some of its fields. */
  failNext(
    endpoint: Pick<Endpoint, 'name'> | string,
    error: Omit<DocumentedError, 'error'>,
    overrides?: ErrorOverrides,
  ): void {
    assertObject('the error', error, ', such as one of `endpoint.errors`');
    if (overrides !== undefined) assertObject('`overrides`', overrides);
    this.#router.failNext(endpoint, error, overrides);
  }

  #start(): readonly [Stores, Router] {
    const stores = createStores(this.clock, this.events, this.settings);
    const interceptors = [this.requests, this.rateLimiter, this.faults].map(({ interceptor }) => interceptor);
    return [stores, new Router(stores, this.operations, interceptors)];
  }
}

/** The start of a fake marketplace. */
type MarketplaceStart = Pick<FakeMarketplaceOptions, 'now' | 'follow' | 'limit' | 'settings'>;

/** Returns the settings at the start. @throws {FakeMarketplaceError} when an option is unknown or invalid */
function settingsOf(options: MarketplaceStart): MarketplaceSettings {
  assertFields('the options', options, ['now', 'follow', 'limit', 'settings', 'operations']);
  const { follow = 'live', settings = {} } = options;
  if (!['live', 'documents'].includes(follow))
    throw new FakeMarketplaceError(`\`follow\` is 'live' or 'documents', not ${follow}`);
  const defaults = defaultSettings(follow);
  assertFields('`settings`', settings, Object.keys(defaults));
  return { ...defaults, ...settings };
}
