import type { StoredMessage } from './message.js';

/** What a store knows of the messages of one pack, so that a page costs the same however many there are. */
export class ConversationIndex {
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
