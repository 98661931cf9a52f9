import type { Bytes } from '../../core/files/file-source.js';
import type { OptionId } from '../../resources/action-guide/schemas.js';
import { assertFields, assertObject, assertText, FakeMarketplaceError } from '../errors.js';
import type { PageOf, PageParams } from '../http/read-request.js';
import { hexOf } from '../random.js';
import type { MarketplaceSettings } from '../settings.js';
import type { StoredFile } from './attachments.js';
import { EntityStore, type Omittable, type PackId } from './entity-store.js';
import type { MarketplaceState } from './marketplace-state.js';
import { numberOf, type Pack } from './packs.js';

/** A stored message. */
export interface StoredMessage {
  readonly id: string;
  /** The pack's number. */
  readonly pack: PackId;
  readonly site_id: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The application that sent it; `null` for a person. */
  readonly client_id: number | null;
  /** The action guide option that sent it. */
  readonly option: OptionId | null;
  readonly files: readonly StoredFile[];
  /** Time of sending, in milliseconds since 1970. */
  readonly sentAt: number;
  readonly moderation: { readonly status: 'clean' | 'rejected' | 'pending'; readonly reason: string | null };
  /** Time of the moderation decision; `null` while it is pending. */
  readonly moderatedAt: number | null;
  readonly readAt: number | null;
}

/** The fields of a new message. */
export type MessageInit = Pick<StoredMessage, 'from' | 'text'> &
  Omittable<Pick<StoredMessage, 'client_id' | 'option' | 'files'>>;

/** A message that the buyer of a pack writes. */
export interface BuyerMessage {
  readonly pack: Pack;
  readonly text: string;
  readonly files?:
    | readonly {
        readonly filename: string;
        readonly content: string | Bytes;
        /** The media type. @default 'application/octet-stream' */
        readonly type?: string | undefined;
      }[]
    | undefined;
}

/** The maximum length of a buyer's message, in characters. Spec: Limits. */
export const buyerTextLimit = 3500;

/**
 * The messages of all conversations, and their moderation.
 *
 * @example
 * const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
 * const message = marketplace.messages.add(pack, { from: 31, text: 'Where is my parcel?' });
 * marketplace.messages.choose('Where is', null); // moderation accepts it
 * marketplace.messages.moderate(); // finishes the moderation of pending messages
 * marketplace.messages.markAsRead(7, pack);
 * console.log(marketplace.messages.getOrThrow(message.id).text);
 * console.log(marketplace.messages.get(message.id)?.readAt, marketplace.messages.of(pack).length);
 * console.log(marketplace.messages.visibleTo(31, pack).length, marketplace.messages.withFile('a.pdf').length);
 * console.log(marketplace.messages.hasReply(pack), marketplace.messages.firstReplyAt(pack));
 * console.log(marketplace.messages.capOf('OTHER', pack));
 * const unlock = marketplace.messages.lock(pack); // options are answered with 409 meanwhile
 * console.log(marketplace.messages.isLocked(pack)); // true
 * unlock();
 */
export class MessageStore extends EntityStore<string, StoredMessage> {
  readonly #state: MarketplaceState;
  /** @internal */
  protected data = { entries: new Map<string, StoredMessage>(), locks: new Set<PackId>(), nextMessage: 1 };
  readonly #conversations = new Map<PackId, ConversationIndex>();
  readonly #chosen = new Map<string, string | null>();
  /** When messages are moderated: `atOnce`, or `later`, by `moderate()`. @default 'atOnce' */
  moderation: 'atOnce' | 'later' = 'atOnce';
  /** Makes reading a message by id fail with 404, as if its storage were not ready. @default false */
  isUnavailable = false;

  /** @internal */
  constructor(state: MarketplaceState) {
    super('message');
    this.#state = state;
  }

  /** The shape of a message that is read by id: the setting `messageShape`. */
  get shape(): MarketplaceSettings['messageShape'] {
    return this.#state.settings.messageShape;
  }

  set shape(shape: MarketplaceSettings['messageShape']) {
    this.#state.settings.messageShape = shape;
  }

  /**
   * Returns the messages of a pack, the oldest first. Its id is enough: `of({ pack_id })`, for a single order with the order's id.
   *
   * @throws {FakeMarketplaceError} when there is no such pack
   */
  of(pack: Pack | Pick<Pack, 'pack_id'>): StoredMessage[] {
    assertObject('`pack`', pack, ': what addPack() returned, or { pack_id }');
    const sale = 'order_ids' in pack ? pack : this.#state.packs.getOrThrow(pack.pack_id ?? 0);
    return this.#existing(this.#of(numberOf(sale)).ids);
  }

  /** @internal Returns a page of the messages that a user can see, the newest first, and their number. */
  pageFor(user_id: number, pack: Pack, { offset, limit }: PageParams): PageOf<StoredMessage> {
    const conversation = this.#of(numberOf(pack));
    const ids: string[] = [];
    for (let at = conversation.ids.length - 1; at >= 0 && ids.length < offset + limit; at -= 1) {
      const id = conversation.ids[at];
      if (id !== undefined && !conversation.isHidden(user_id, id)) ids.push(id);
    }
    const total = conversation.countFor(user_id);
    return { items: this.#existing(ids.slice(offset)), paging: { total, offset, limit } };
  }

  /** @internal Whether a message is the first of its pack. */
  isFirst({ id, pack }: StoredMessage): boolean {
    return this.#of(pack).ids[0] === id;
  }

  #of(pack: PackId): ConversationIndex {
    const conversation = this.#conversations.get(pack) ?? new ConversationIndex();
    this.#conversations.set(pack, conversation);
    return conversation;
  }

  #existing(ids: readonly string[]): StoredMessage[] {
    return ids.flatMap((id) => this.data.entries.get(id) ?? []);
  }

  /** Returns the messages of a pack that a user can see, the oldest first. Only the sender sees a pending or rejected message. */
  visibleTo(user_id: number, pack: Pack): StoredMessage[] {
    return this.of(pack).filter(({ from, moderation }) => from === user_id || moderation.status === 'clean');
  }

  /** Returns the messages that use a file. */
  withFile(file_id: string): StoredMessage[] {
    return this.all.filter(({ files }) => files.some(({ id }) => id === file_id));
  }

  /** Returns when the buyer first wrote, in milliseconds since 1970. */
  firstReplyAt(pack: Pack): number | undefined {
    return this.#of(numberOf(pack)).firstFrom(pack.buyer_id)?.sentAt;
  }

  /** Whether the buyer has written, which opens the conversation for the seller. */
  hasReply(pack: Pack): boolean {
    return this.firstReplyAt(pack) !== undefined;
  }

  /** Returns how many messages the seller can still send with an option. A reply of the buyer resets it. */
  capOf(option: OptionId, pack: Pack): number {
    assertObject('`pack`', pack, ': what addPack() returned');
    const messages = this.visibleTo(pack.seller_id, pack).reverse();
    const reply = messages.findIndex(({ from }) => from === pack.buyer_id);
    const since = reply < 0 ? messages : messages.slice(0, reply);
    return Math.max(0, this.#state.settings.capPerOption - since.filter((message) => message.option === option).length);
  }

  /** Adds a message to a conversation, whatever its status, and moderates it unless `moderation` is `later`. */
  add(pack: Pack, init: MessageInit): StoredMessage {
    const message = this.#save(this.draft(pack, init));
    return this.moderation === 'atOnce' ? this.#moderate(message) : message;
  }

  /** @internal Returns a message that is not part of the conversation. */
  draft(pack: Pack, init: MessageInit): StoredMessage {
    const sale = numberOf(pack);
    assertFields('a message', init, ['from', 'text', 'client_id', 'option', 'files']);
    const { from, text, client_id = null, option = null, files = [] } = init;
    assertText('text', text);
    if (Array.from(text).length > buyerTextLimit)
      throw new FakeMarketplaceError(`a message has at most ${buyerTextLimit} characters`);
    const number = this.data.nextMessage++;
    const id = number.toString(16).padStart(8, '0') + hexOf(number, 24);
    return {
      id,
      pack: sale,
      site_id: pack.site_id,
      from,
      to: from === pack.seller_id ? pack.buyer_id : pack.seller_id,
      text,
      client_id,
      option,
      files,
      sentAt: this.#state.clock.ms,
      moderation: { status: 'pending', reason: null },
      moderatedAt: null,
      readAt: null,
    };
  }

  /**
   * Chooses what moderation decides about every message that contains a text, in place of `settings.moderate`: the reason
   * why it is rejected, or `null` if it is accepted.
   */
  choose(text: string, reason: string | null): void {
    assertText('text', text);
    if (reason !== null) assertText('reason', reason);
    if (text.trim() === '') throw new FakeMarketplaceError('`text` is empty');
    if (reason?.trim() === '') throw new FakeMarketplaceError('`reason` is empty; `null` accepts the text');
    // The newest choice counts.
    this.#chosen.delete(text);
    this.#chosen.set(text, reason);
  }

  /** Moderates all pending messages. */
  moderate(): StoredMessage[] {
    return this.all
      .filter(({ moderation }) => moderation.status === 'pending')
      .map((message) => this.#moderate(message));
  }

  /** Marks the messages to a user in a pack as read. */
  markAsRead(user_id: number, pack: Pack): void {
    for (const message of this.#existing(this.#of(numberOf(pack)).unreadOf(user_id)))
      this.#save({ ...message, readAt: this.#state.clock.ms });
  }

  /** @internal Returns how many messages to a user in a pack are unread. */
  unreadCount(user_id: number, pack: Pack): number {
    return this.#of(numberOf(pack)).unreadCount(user_id);
  }

  /** Locks the options of a pack, as a request in progress does. @returns a function that unlocks them */
  lock(pack: Pack): () => void {
    if (this.isLocked(pack)) throw new FakeMarketplaceError(`pack ${numberOf(pack)} is already locked`);
    this.data.locks.add(numberOf(pack));
    return () => this.data.locks.delete(numberOf(pack));
  }

  /** Whether another request of the action guide is in progress for this sale. */
  isLocked(pack: Pack): boolean {
    return this.data.locks.has(numberOf(pack));
  }

  #moderate(message: StoredMessage): StoredMessage {
    const chosen = [...this.#chosen].findLast(([text]) => message.text.includes(text));
    const reason = chosen ? chosen[1] : (this.#state.settings.moderate(message.text) ?? null);
    const status = reason === null ? 'clean' : 'rejected';
    const moderated = this.#save({ ...message, moderation: { status, reason }, moderatedAt: this.#state.clock.ms });
    if (status === 'clean') this.#state.events.emit({ topic: 'messages', resource: message.id, user_id: message.to });
    return moderated;
  }

  #save(message: StoredMessage): StoredMessage {
    this.#of(message.pack).save(message, !this.data.entries.has(message.id));
    this.data.entries.set(message.id, message);
    return message;
  }

  override checkpoint(): () => void {
    const restore = super.checkpoint();
    return () => {
      restore();
      this.#conversations.clear();
      for (const message of this.all) this.#of(message.pack).save(message, true);
    };
  }
}

/** What a store knows of the messages of one pack, so that a page costs the same however many there are. */
class ConversationIndex {
  /** The ids, the oldest first. */
  readonly ids: string[] = [];
  /** By user: the messages to them that they cannot see, and those that they can see and have not read. */
  readonly #hidden = new Map<number, Set<string>>();
  readonly #unread = new Map<number, Set<string>>();
  /** By user: their first message that the other one can see. */
  readonly #firstFrom = new Map<number, StoredMessage>();

  /** Adds a message, or a new version of one. */
  save(message: StoredMessage, isNew: boolean): void {
    const { id, from, to, moderation, readAt } = message;
    if (isNew) this.ids.push(id);
    const isClean = moderation.status === 'clean';
    put(this.#hidden, to, id, !isClean);
    put(this.#unread, to, id, isClean && readAt === null);
    const first = this.#firstFrom.get(from);
    if (isClean && (!first || message.sentAt < first.sentAt)) this.#firstFrom.set(from, message);
  }

  /** The number of messages that a user can see. */
  countFor(user_id: number): number {
    return this.ids.length - (this.#hidden.get(user_id)?.size ?? 0);
  }

  /** Whether a user cannot see a message. */
  isHidden(user_id: number, id: string): boolean {
    return this.#hidden.get(user_id)?.has(id) ?? false;
  }

  /** The ids of the messages that a user can see and has not read. */
  unreadOf(user_id: number): string[] {
    return [...(this.#unread.get(user_id) ?? [])];
  }

  /** The number of these messages. */
  unreadCount(user_id: number): number {
    return this.#unread.get(user_id)?.size ?? 0;
  }

  /** The first message of a user that moderation accepted. */
  firstFrom(user_id: number): StoredMessage | undefined {
    return this.#firstFrom.get(user_id);
  }
}

function put(sets: Map<number, Set<string>>, user_id: number, id: string, isIn: boolean): void {
  const ids = sets.get(user_id) ?? new Set<string>();
  sets.set(user_id, ids);
  if (isIn) ids.add(id);
  else ids.delete(id);
}
