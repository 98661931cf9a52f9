import { SellerClient } from '../client.js';
import type { Endpoint } from '../core/endpoint.js';
import type { ClientOptions } from '../core/options.js';
import type { Refusal } from '../core/refusal.js';
import { endpoints } from '../endpoints.js';
import { Accounts } from './accounts.js';
import type { Account } from './accounts.js';
import { actionGuideBehaviours, actionGuideManners } from './action-guide.js';
import { AttachmentStore } from './attachment-store.js';
import { refuse } from './behaviour.js';
import type { RefusalWords } from './behaviour.js';
import { Clock } from './clock.js';
import { ContactLog } from './contact-log.js';
import type { ContactSketch } from './contact-log.js';
import { contactBehaviours } from './contacts.js';
import { currencyBehaviours } from './currencies.js';
import { Events } from './events.js';
import { Faults } from './faults.js';
import { FlexDesk } from './flex-desk.js';
import { flexBehaviours, flexManners } from './flex.js';
import { Items } from './items.js';
import type { Item, ItemSketch } from './items.js';
import { Mailbox } from './mailbox.js';
import type { StoredMessage } from './mailbox.js';
import { messageBehaviours, messageManners } from './messages.js';
import { mswHandler } from './msw.js';
import type { MswHandler } from './msw.js';
import type { Listening, ListenOptions } from './node.js';
import { NotificationService } from './notifications.js';
import { Packs } from './packs.js';
import type { Pack, PackSketch } from './packs.js';
import { QuestionDesk } from './question-desk.js';
import type { StoredQuestion } from './question-desk.js';
import { questionBehaviours, questionManners } from './questions.js';
import { Router } from './router.js';
import { itemBehaviours, siteBehaviours } from './storefront.js';
import type { World } from './world.js';

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
  /** Tells applications what happens on it. */
  readonly notifications: NotificationService;
  /** What goes wrong on the way to it, on purpose. */
  readonly faults = new Faults();
  /** Its users and their tokens. */
  readonly accounts = new Accounts();
  /** What is sold on it. */
  readonly items = new Items(this.accounts);
  /** What was bought on it. */
  readonly packs = new Packs(this.accounts);
  /** What was asked on it. */
  readonly questions: QuestionDesk;
  /** Who delivers with Flex, how, and what. */
  readonly flex: FlexDesk;
  /** The contacts that were made through classified items. */
  readonly contacts: ContactLog;
  /** What was written after sales. */
  readonly messages: Mailbox;
  /** The files of messages. */
  readonly attachments: AttachmentStore;
  readonly #router: Router;

  constructor({ now }: FakeMarketplaceOptions = {}) {
    this.clock = new Clock(now);
    this.#router = new Router(this.accounts, this.clock);
    this.notifications = new NotificationService(this.clock, this.events);
    const { accounts, clock, events, items, packs } = this;
    const world: World = { accounts, clock, events, items, packs };
    this.#router.interceptors.push(this.faults.interceptor);
    // A resource is its state, built from the world, and one line here.
    this.questions = new QuestionDesk(world);
    this.#router.add(endpoints.questions, questionBehaviours(this.questions, world), questionManners);
    this.flex = new FlexDesk(world);
    this.#router.add(endpoints.flex, flexBehaviours(this.flex, world), flexManners);
    this.contacts = new ContactLog(world);
    this.#router.add(endpoints.contacts, contactBehaviours(this.contacts, world));
    this.#router.add(endpoints.items, itemBehaviours(items));
    this.#router.add(endpoints.sites, siteBehaviours(items));
    this.#router.add(endpoints.currencies, currencyBehaviours());
    this.messages = new Mailbox(world);
    this.attachments = new AttachmentStore(world);
    this.#router.add(endpoints.actionGuide, actionGuideBehaviours(this.messages, world), actionGuideManners);
    this.#router.add(endpoints.messages, messageBehaviours(this.messages, this.attachments, world), messageManners);
  }

  /** Answers a request: give it to a client as `fetch`. */
  readonly fetch = (input: Request | string | URL, init?: RequestInit): Promise<Response> =>
    this.#router.handle(input instanceof Request && init === undefined ? input : new Request(input, init));

  /** Answers over HTTP on a port of this machine, with a page at `/` if told. Loaded on first use; takes Node. */
  async listen({ page = false, ...where }: ListenOptions = {}): Promise<Listening> {
    const node = await import('./node.js');
    if (!page) return node.listen(this.fetch, where);
    const { Page } = await import('./page/page.js');
    return node.listen(new Page(this).fetch, where);
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
  addItem(sketch: ItemSketch): Item {
    return this.items.add(sketch);
  }

  /** A user asks about an item, whatever the item's state: the way to a marketplace on which things have happened. */
  ask({ from, item_id, text }: { from: { readonly user_id: number }; item_id: string; text: string }): StoredQuestion {
    return this.questions.add(this.items.need(item_id), this.accounts.need(from.user_id).user_id, text);
  }

  /** Somebody clicks on "See phone" of an item: now and once, unless said otherwise. */
  viewPhone(item: Pick<Item, 'item_id'>, sketch?: ContactSketch): void {
    this.contacts.record('phone_view', item, sketch);
  }

  /** A guest, who is not logged in, asks about an item: such questions are counted and never shown. */
  guestQuestion(item: Pick<Item, 'item_id'>, sketch?: ContactSketch): void {
    this.contacts.record('question', item, sketch);
  }

  /** Adds a sale of a seller to a buyer. What is left out is made up. */
  addPack(sketch: PackSketch): Pack {
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
  refuseNext(endpoint: Endpoint, refusal: Omit<Refusal, 'error'>, words?: RefusalWords): void {
    this.#router.refuseNext(endpoint, refuse(refusal, words));
  }
}
