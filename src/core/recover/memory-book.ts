import type { Endpoint } from '../operation/endpoint.js';
import type { BookedWrite, WriteBook } from '../operation/write-book.js';
import type { ClientOptions } from '../options/client-options.js';
import { ofProcess } from './process-memory.js';
import { ServiceClock } from './service-clock.js';
import type { WriteResult } from './write-hook.js';
import { contentOf, targetOf } from './write-target.js';

/** What is known of a write of this process, or of one that was stored before a restart and is read back. */
interface KnownWrite {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  readonly token: string | undefined;
  /** When its call began, in milliseconds since 1970. */
  readonly calledAt: number;
  /** The `id` and the `target` of a write that was stored. */
  readonly id?: string | undefined;
  readonly target?: string | undefined;
  readonly sentAt?: number | undefined;
  readonly state?: BookedWrite['state'] | undefined;
  readonly isInFlight?: boolean | undefined;
}

/** A write in the book of this process. Few are compared with others, so their target and content are found on use. */
export class RememberedWrite implements BookedWrite {
  readonly id: string;
  readonly input: unknown;
  readonly calledAt: number;
  sentAt: number;
  state: BookedWrite['state'];
  /** Whether its call is still running. */
  isInFlight: boolean;
  entry: string | undefined;
  /** The stored time by which `seller.confirm` asked for it last. */
  askedBy: number | undefined;
  readonly endpoint: Endpoint;
  readonly #token: string | undefined;
  #target: string | undefined;
  #content: string | undefined;

  constructor(known: KnownWrite) {
    this.endpoint = known.endpoint;
    this.#token = known.token;
    this.#target = known.target;
    this.id = known.id ?? `call ${(numbers().last += 1)}`;
    this.input = known.input;
    this.calledAt = known.calledAt;
    this.sentAt = known.sentAt ?? Date.now();
    this.state = known.state ?? 'sent';
    this.isInFlight = known.isInFlight ?? false;
  }

  get target(): string {
    const { endpoint, input } = this;
    return (this.#target ??= targetOf(endpoint, input, this.#token));
  }

  /** The content, to find equal writes. */
  get content(): string {
    return (this.#content ??= contentOf(this.endpoint, this.input));
  }
}

const numbers = ofProcess(() => ({ last: 0 }));

/** Entries that are older cannot be confused with a write that is read back today. */
const rememberedMs = 24 * 3_600_000;
/** Some ten megabytes. The oldest are forgotten first; what is forgotten makes results `unknown`, not wrong. */
const maxWrites = 20_000;
/** The time that a program needs to store a write before it calls. */
const storingMs = 60_000;

/** The book of the writes of this process, of all sellers of a service. */
export class MemoryBook implements WriteBook {
  /** Whether a client was made with it, and not derived from another one. */
  hasClient = false;
  readonly clock = new ServiceClock();
  /** By id. The first were added first, and nobody asked for them. */
  readonly #writes = new Map<string, RememberedWrite>();
  /** The id of the write that an entry proves, by the name of the entry. */
  readonly #proofs = new Map<string, string>();

  /** Enters a write, and returns it. */
  add(write: RememberedWrite): RememberedWrite {
    const now = Date.now();
    for (const oldest of this.#writes.values()) {
      if (now - oldest.calledAt < rememberedMs && this.#writes.size < maxWrites) break;
      this.#remove(oldest);
    }
    this.#writes.set(write.id, write);
    return write;
  }

  /** Enters how a call ended. @returns the name of the entry that its write made, if the `output` of a success shows it */
  end(write: RememberedWrite, result: WriteResult): string | undefined {
    write.isInFlight = false;
    write.state = result.state;
    // It was certainly not carried out.
    if (result.state === 'rejected') this.#remove(write);
    if (result.state !== 'done') return undefined;
    try {
      const entry = write.endpoint.entryOf?.(result.output, write.input);
      if (entry !== undefined) this.#prove(entry, write.id);
      return entry;
    } catch {
      // An endpoint of the user may throw, but the call has succeeded.
      return undefined;
    }
  }

  get(id: string): RememberedWrite | undefined {
    return this.#writes.get(id);
  }

  #remove({ id, entry }: RememberedWrite): void {
    if (entry !== undefined) this.#proofs.delete(entry);
    this.#writes.delete(id);
  }

  look(target: string, entries: readonly string[]): Promise<readonly RememberedWrite[]> {
    const writes = [...this.#writes.values()];
    return Promise.resolve(writes.filter((each) => each.target === target || entries.includes(each.entry ?? '')));
  }

  claim(entry: string, id: string): Promise<boolean> {
    return Promise.resolve(this.#prove(entry, id));
  }

  #prove(entry: string, id: string): boolean {
    const proved = this.#proofs.get(entry);
    if (proved !== undefined) return proved === id;
    this.#proofs.set(entry, id);
    const write = this.#writes.get(id);
    if (write) write.entry = entry;
    return true;
  }

  /**
   * Finds the write of this process that a program has stored, or enters one of an earlier process. Equal writes are
   * interchangeable, but each stored one is another: one that was not asked for goes first, above all one whose outcome is
   * not known.
   *
   * `isUncertain`: none was called soon after it was stored, but an equal one later, which may be it.
   */
  askFor(stored: RememberedWrite): {
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
    const write = found ?? stored;
    write.askedBy = sentAt;
    // Behind the others, so that the next one who asks gets another.
    this.#writes.delete(write.id);
    this.#writes.set(write.id, write);
    return { write, isUncertain: !found && later.some(isFree) };
  }
}

/** The books of a process by base URL, for each `fetch` that users have given. */
const booksOf = ofProcess(() => new WeakMap<object, Map<string, MemoryBook>>());
/** Stands for the `fetch` of the platform, which may be replaced. */
const ofPlatform = {};

/**
 * Returns the book of a service: all clients with its base URL have the same, so that a second client of a seller knows what
 * the first one wrote. Behind a `fetch` of the user there may be another service with the same URL, as in tests.
 */
export function bookOf({ baseUrl, fetch }: ClientOptions): MemoryBook {
  const books = booksOf().get(fetch ?? ofPlatform) ?? new Map<string, MemoryBook>();
  booksOf().set(fetch ?? ofPlatform, books);
  const book = books.get(baseUrl) ?? new MemoryBook();
  books.set(baseUrl, book);
  return book;
}
