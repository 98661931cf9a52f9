import type { BookedWrite, WriteBook } from '../operation/write-book.js';

/** A write of this process, or one that was stored before a restart and is read back. */
export interface RememberedWrite extends BookedWrite {
  /** The content, to find equal writes. */
  readonly content: string;
  /** When its call began, in milliseconds since 1970. */
  readonly calledAt: number;
  /** Whether its call is still running. */
  readonly isInFlight: boolean;
  /** The stored time by which `seller.confirm` asked for it last. */
  readonly askedBy?: number | undefined;
}

/** Entries that are older cannot be confused with a write that is read back today. */
const rememberedMs = 24 * 3_600_000;
/** Some ten megabytes. The oldest are forgotten first; what is forgotten makes results `unknown`, not wrong. */
const maxWrites = 20_000;
/** The time that a program needs to store a write before it calls. */
const storingMs = 60_000;

/** The book of the writes of this process, of all sellers of a service. */
export class MemoryBook implements WriteBook {
  /** By id. The first were added first, and nobody asked for them. */
  readonly #writes = new Map<string, RememberedWrite>();
  /** The id of the write that an entry proves, by the name of the entry. */
  readonly #proofs = new Map<string, string>();

  add(write: RememberedWrite): void {
    const now = Date.now();
    for (const oldest of this.#writes.values()) {
      if (now - oldest.calledAt < rememberedMs && this.#writes.size < maxWrites) break;
      this.remove(oldest.id);
    }
    this.#writes.set(write.id, { ...this.#writes.get(write.id), ...write });
  }

  change(id: string, changes: Partial<RememberedWrite>): void {
    const write = this.#writes.get(id);
    if (write) this.#writes.set(id, { ...write, ...changes });
  }

  get(id: string): RememberedWrite | undefined {
    return this.#writes.get(id);
  }

  /** Forgets a write, for example because it was certainly not carried out. */
  remove(id: string): void {
    const entry = this.#writes.get(id)?.entry;
    if (entry !== undefined) this.#proofs.delete(entry);
    this.#writes.delete(id);
  }

  look(target: string, entries: readonly string[]): Promise<readonly RememberedWrite[]> {
    const writes = [...this.#writes.values()];
    return Promise.resolve(writes.filter((each) => each.target === target || entries.includes(each.entry ?? '')));
  }

  claim(entry: string, id: string): Promise<boolean> {
    if (!this.#proofs.has(entry)) {
      this.#proofs.set(entry, id);
      this.change(id, { entry });
    }
    return Promise.resolve(this.#proofs.get(entry) === id);
  }

  /**
   * Finds the write of this process that a program has stored, or enters one of an earlier process. Equal writes are
   * interchangeable, but each stored one is another: one that was not asked for goes first, above all one whose outcome is
   * not known.
   *
   * `isUncertain`: none was called soon after it was stored, but an equal one later, which may be it.
   */
  askFor(stored: Pick<RememberedWrite, 'target' | 'input' | 'content' | 'sentAt'>): {
    readonly write: RememberedWrite;
    readonly isUncertain: boolean;
  } {
    const { target, content, sentAt } = stored;
    const later = [...this.#writes.values()].filter(
      (each) => each.target === target && each.content === content && each.calledAt >= sentAt - 1,
    );
    const soon = later.filter(({ calledAt }) => calledAt <= sentAt + storingMs);
    const isFree = ({ askedBy }: RememberedWrite): boolean => askedBy === undefined;
    const found =
      soon.find((each) => isFree(each) && each.state === 'sent') ??
      soon.find(({ askedBy }) => askedBy === sentAt) ??
      soon.find(isFree) ??
      // Another one asked twice, and took the one that was meant.
      soon.find((each) => soon.some(({ id, askedBy }) => id !== each.id && askedBy === each.askedBy));
    const write = found ?? { ...stored, id: nextWriteId(), calledAt: sentAt, state: 'sent', isInFlight: false };
    // Behind the others, so that the next one who asks gets another.
    this.#writes.delete(write.id);
    this.#writes.set(write.id, { ...write, askedBy: sentAt });
    return { write, isUncertain: !found && later.some(isFree) };
  }
}

let lastNumber = 0;

/** Identifies a write of this process. */
export function nextWriteId(): string {
  return `call ${(lastNumber += 1)}`;
}

const ofPlatform = new Map<string, MemoryBook>();
const ofFetch = new WeakMap<object, Map<string, MemoryBook>>();

/**
 * Returns the book of a service: all clients with its base URL have the same, so that a second client of a seller knows what
 * the first one wrote. Behind a `fetch` of the user there may be another service with the same URL, as in tests.
 */
export function bookOf({
  baseUrl,
  fetch,
}: {
  readonly baseUrl: string;
  readonly fetch?: object | undefined;
}): MemoryBook {
  let books = ofPlatform;
  if (fetch) {
    books = ofFetch.get(fetch) ?? new Map<string, MemoryBook>();
    ofFetch.set(fetch, books);
  }
  const book = books.get(baseUrl) ?? new MemoryBook();
  books.set(baseUrl, book);
  return book;
}
