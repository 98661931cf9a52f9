import type { OptionId } from '../../resources/action-guide/schemas.js';
import type { StoredFile } from './attachments.js';
import { FakeMarketplaceError } from '../errors.js';
import { moderationOf } from '../handlers/moderation.js';
import { numberOf } from './packs.js';
import type { Pack } from './packs.js';
import type { MarketplaceState } from './marketplace-state.js';

/** A message as the marketplace keeps it. */
export interface StoredMessage {
  readonly id: string;
  /** The pack's number. */
  readonly pack: number;
  readonly site_id: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The application that sent it; `null` for a person. */
  readonly client_id: number | null;
  /** The option of the action guide it came through. */
  readonly option: OptionId | null;
  readonly files: readonly StoredFile[];
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  readonly moderation: { readonly status: 'clean' | 'rejected' | 'pending'; readonly reason: string | null };
  /** When moderation decided; `null` while it has not. */
  readonly moderatedAt: number | null;
  readonly readAt: number | null;
}

/** What a new message is made of. */
export type MessageInit = Pick<StoredMessage, 'from' | 'text'> &
  Partial<Pick<StoredMessage, 'client_id' | 'option' | 'files'>>;

/** So many messages through each option, until the buyer replies. */
const capOfOption = 1;

/** Every message on the marketplace, and what moderation makes of it. */
export class MessageStore {
  readonly #messages = new Map<string, StoredMessage>();
  readonly #locks = new Set<number>();
  readonly #world: MarketplaceState;
  #nextMessage = 1;
  /** `later`: messages are pending until `moderate()`; `atOnce`: they are looked at as they come. */
  moderation: 'atOnce' | 'later' = 'atOnce';
  /** The shape in which a message is answered by its id. What selects it in life is not known. */
  shape: 'wrapped' | 'legacy' | 'current' = 'wrapped';

  constructor(world: MarketplaceState) {
    this.#world = world;
  }

  get(id: string): StoredMessage | undefined {
    return this.#messages.get(id);
  }

  /** The messages of a pack, the newest first. */
  of(pack: Pack): StoredMessage[] {
    return [...this.#messages.values()].filter((message) => message.pack === numberOf(pack)).reverse();
  }

  /** The messages of a pack that a user may see: what moderation rejected or holds, only its sender sees. */
  seenBy(user_id: number, pack: Pack): StoredMessage[] {
    return this.of(pack).filter(({ from, moderation }) => from === user_id || moderation.status === 'clean');
  }

  /** Whether the buyer has written, so that the conversation is open to the seller. */
  hasReply(pack: Pack): boolean {
    return this.of(pack).some(({ from, moderation }) => from === pack.buyer_id && moderation.status === 'clean');
  }

  /** How many messages an option still takes: the cap is used up by the seller and comes back when the buyer writes. */
  capOf(option: OptionId, pack: Pack): number {
    const messages = this.seenBy(pack.seller_id, pack);
    const reply = messages.findIndex(({ from }) => from === pack.buyer_id);
    const since = reply < 0 ? messages : messages.slice(0, reply);
    return Math.max(0, capOfOption - since.filter((message) => message.option === option).length);
  }

  /** Puts a message into a conversation, whatever its state, and lets moderation look at it. */
  add(pack: Pack, { from, text, client_id = null, option = null, files = [] }: MessageInit): StoredMessage {
    const id = `${(this.#nextMessage++).toString(16).padStart(8, '0')}${crypto.randomUUID().replaceAll('-', '').slice(8)}`;
    const message: StoredMessage = {
      id,
      pack: numberOf(pack),
      site_id: pack.site_id,
      from,
      to: from === pack.seller_id ? pack.buyer_id : pack.seller_id,
      text,
      client_id,
      option,
      files,
      sentAt: this.#world.clock.ms,
      moderation: { status: 'pending', reason: null },
      moderatedAt: null,
      readAt: null,
    };
    this.#messages.set(id, message);
    return this.moderation === 'atOnce' ? this.#look(message) : message;
  }

  /** Moderation looks at everything that is pending. */
  moderate(): StoredMessage[] {
    return [...this.#messages.values()]
      .filter(({ moderation }) => moderation.status === 'pending')
      .map((message) => this.#look(message));
  }

  /** The receiver has read what was sent to them in a pack. */
  markAsRead(user_id: number, pack: Pack): void {
    for (const message of this.seenBy(user_id, pack)) {
      if (message.to === user_id && message.readAt === null) this.#keep({ ...message, readAt: this.#world.clock.ms });
    }
  }

  /** Locks the options of a pack, as a request that is under way does; the function given back ends it. */
  lock(pack: Pack): () => void {
    if (this.isLocked(pack)) throw new FakeMarketplaceError(`the pack ${numberOf(pack)} is locked already`);
    this.#locks.add(numberOf(pack));
    return () => this.#locks.delete(numberOf(pack));
  }

  isLocked(pack: Pack): boolean {
    return this.#locks.has(numberOf(pack));
  }

  #look(message: StoredMessage): StoredMessage {
    const reason = moderationOf(message.text) ?? null;
    const status = reason === null ? 'clean' : 'rejected';
    const looked = this.#keep({ ...message, moderation: { status, reason }, moderatedAt: this.#world.clock.ms });
    if (status === 'clean') this.#world.events.emit({ topic: 'messages', resource: message.id, user_id: message.to });
    return looked;
  }

  #keep(message: StoredMessage): StoredMessage {
    this.#messages.set(message.id, message);
    return message;
  }
}
