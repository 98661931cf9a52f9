import { platform } from '#platform';
import { parseHttpDate } from '../errors/response-headers.js';
import type {
  BookedWrite,
  ConfirmContext,
  Endpoint,
  KnownWrites,
  OtherWrite,
  SentTime,
  WriteBook,
} from '../operation/endpoint.js';
import type { ClientOptions } from '../options/client-options.js';
import { contentOf, targetOf, type WriteRecord, type WriteResult } from './write-hook.js';

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
  /** Whether its call is still running; `undefined` if another process has made it. */
  isInFlight: boolean | undefined;
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
    this.isInFlight = known.isInFlight;
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
/** By the id of a write: since when this process has watched how it was sent last, a time of `performance.now()`. */
const watched = ofProcess(() => new Map<string, Watched>());

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

  /** The times of a write that is sent now. From now on this process watches it. */
  timesNow(id: string): Pick<WriteRecord, 'sentAt' | 'latestAt' | 'aheadMs'> {
    const { aheadMs, latestNow } = this.clock;
    const sentAt = Date.now();
    watch({ id, sentAt }, this.clock);
    return { sentAt, ...(aheadMs > 0 && { aheadMs }), ...(latestNow < Infinity && { latestAt: latestNow }) };
  }

  /**
   * How long ago a write was sent at least, in milliseconds. The clocks of two machines may differ, so their difference counts only as far
   * as the service's `Date` agrees. A service may send none, or one that stands still: what this process itself has watched counts always.
   */
  ageMs(write: Pick<BookedWrite, 'id' | 'sentAt' | 'latestAt'>): number {
    const { sentAt, latestAt = Infinity } = write;
    const byClocks = Math.min(Date.now() - sentAt, this.clock.earliestNow - latestAt);
    return Math.max(byClocks, performance.now() - watch(write, this.clock).since);
  }

  /**
   * By how much the clock was ahead that says when a write was sent, in milliseconds; 0 if nothing proves that. A few responses that its
   * process had seen prove it if this process has seen it as well. Headers have no fraction of a second, so it may have been ahead by less.
   */
  aheadMs(write: Pick<WriteRecord, 'id' | 'sentAt' | 'latestAt' | 'aheadMs'>): number {
    const { sentAt, latestAt = sentAt, aheadMs = 0 } = write;
    const provenMs = watch(write, this.clock).isAhead ? Math.max(aheadMs, sentAt - latestAt) : aheadMs;
    return provenMs > 0 ? provenMs + headerMs : 0;
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
    // Those of forgotten writes.
    for (const oldest of this.#proofs.keys()) {
      if (this.#proofs.size <= maxWrites) break;
      this.#proofs.delete(oldest);
    }
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
  askFor(stored: RememberedWrite): { readonly write: RememberedWrite; readonly isUncertain: boolean } {
    const { target, content, sentAt } = stored;
    const later = [...this.#writes.values()].filter(
      (each) => each.target === target && each.content === content && each.calledAt >= sentAt - 1,
    );
    const soon = later.filter(({ calledAt }) => calledAt <= sentAt + storingMs);
    const found = bestOf(soon, sentAt);
    const write = found ?? stored;
    write.askedBy = sentAt;
    // Behind the others, so that the next one who asks gets another.
    this.#writes.delete(write.id);
    this.add(write);
    return { write, isUncertain: !found && later.some(({ askedBy }) => askedBy === undefined) };
  }
}

/** How a write was sent last. `isAhead`: its time of sending was still to come by each clock that this process knew. */
interface Watched {
  readonly sentAt: number;
  readonly since: number;
  readonly isAhead: boolean;
}

/** Returns since when this process has watched a write. The first question begins, and another time of sending begins anew. */
function watch({ id, sentAt }: Pick<BookedWrite, 'id' | 'sentAt'>, { latestNow }: ServiceClock): Watched {
  const writes = watched();
  const known = writes.get(id);
  if (known?.sentAt === sentAt) return known;
  writes.delete(id);
  for (const oldest of writes.keys()) {
    if (writes.size < maxWrites) break;
    writes.delete(oldest);
  }
  const shown = latestNow < Infinity ? latestNow : 0;
  const found = { sentAt, since: performance.now(), isAhead: sentAt > Math.max(Date.now(), shown) };
  writes.set(id, found);
  return found;
}

/** The rank of a write that others have asked for. */
const taken = 4;

/** Returns which of some equal writes was stored at this time: the first one with the least rank. */
function bestOf(writes: readonly RememberedWrite[], storedAt: number): RememberedWrite | undefined {
  const byAsker = Map.groupBy(writes, ({ askedBy }) => askedBy);
  const rankOf = ({ askedBy, state }: RememberedWrite): number => {
    if (askedBy === undefined) return state === 'sent' ? 0 : 2;
    if (askedBy === storedAt) return 1;
    // Another one asked twice, and took the one that was meant.
    return (byAsker.get(askedBy)?.length ?? 0) > 1 ? 3 : taken;
  };
  const [best] = writes.filter((each) => rankOf(each) < taken).sort((a, b) => rankOf(a) - rankOf(b));
  return best;
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

/** What is needed to see the books from one write. */
export interface BookViewOptions {
  readonly endpoint: Endpoint;
  /** The write that is read back. */
  readonly write: BookedWrite;
  /** The book of this process. */
  readonly memory: MemoryBook;
  /** The book of all processes. */
  readonly stored?: WriteBook | undefined;
  /** Whether another process has sent the write, which may not have ended. @default false */
  readonly mayBeInFlight?: boolean;
  /** After this time the service no longer carries out a write of another process, in milliseconds. */
  readonly timeoutMs: number;
}

type Asked = Parameters<ConfirmContext['look']>;
type SeenWrite = BookedWrite & { readonly isInFlight?: boolean | undefined };

/** What the books know, as it matters for one write. */
export class BookView {
  readonly #options: BookViewOptions;

  constructor(options: BookViewOptions) {
    this.#options = options;
  }

  /** See `ConfirmContext`. `sent` is when this write was sent, with this token. */
  async look([entries, beside = []]: Asked, sent: SentTime, token: string | undefined): Promise<KnownWrites> {
    const { write, memory, timeoutMs } = this.#options;
    const targets = [write.target, ...beside.map(({ endpoint, input }) => targetOf(endpoint, input, token))];
    const found = await Promise.all(targets.map((target) => this.#writesTo(target, entries)));
    const writes = found.flat().sort((a, b) => a.sentAt - b.sentAt);
    const proved = new Map(writes.map((each) => [each.entry, each]));
    const isOther = ({ id, target, state, entry }: BookedWrite): boolean =>
      id !== write.id && targets.includes(target) && state !== 'rejected' && entry === undefined;
    return {
      provedBy: (entry) => (proved.has(entry) ? (proved.get(entry)?.id === write.id ? 'this' : 'another') : undefined),
      sentOf: (entry) => this.#sentOf(proved.get(entry), sent),
      isInFlight: this.#options.mayBeInFlight === true && memory.ageMs(write) < timeoutMs,
      others: writes.filter(isOther).map((other) => this.#seen(other, sent)),
    };
  }

  async claim(entry: string): Promise<boolean> {
    const { write, memory, stored } = this.#options;
    return ((await stored?.claim(entry, write.id)) ?? true) && memory.claim(entry, write.id);
  }

  /** The writes of both books. This process knows more of its own ones. */
  async #writesTo(target: string, entries: readonly string[]): Promise<readonly SeenWrite[]> {
    const { memory, stored } = this.#options;
    const own = await memory.look(target, entries);
    const others = (await stored?.look(target, entries)) ?? [];
    const known = own.map(({ id, target: to, input, sentAt, state, isInFlight, entry }) => {
      const noted = others.find((each) => each.id === id);
      const last: Partial<BookedWrite> =
        isInFlight === undefined && state === 'sent' && noted ? noted : { sentAt, state };
      return { id, target: to, input, sentAt, state, ...last, isInFlight, entry: entry ?? noted?.entry };
    });
    return [...others.filter(({ id }) => own.every((each) => each.id !== id)), ...known];
  }

  /** By the time of this write: both are known by the same clock. */
  #sentOf(other: BookedWrite | undefined, sent: SentTime): SentTime | undefined {
    const { write } = this.#options;
    // A book may know that an entry is a proof, and nothing more.
    if (!other || other.id === write.id || other.sentAt === 0) return undefined;
    const laterMs = other.sentAt - write.sentAt;
    return {
      earliest: sent.earliest + laterMs,
      latest: sent.latest + laterMs,
      ...(sent.clocks && { clocks: sent.clocks.map((clock) => ({ ...clock, sent: clock.sent + laterMs })) }),
    };
  }

  #seen(other: SeenWrite, sent: SentTime): OtherWrite {
    const { endpoint, write, timeoutMs, memory } = this.#options;
    return {
      input: other.input,
      sent: this.#sentOf(other, sent) ?? sent,
      isDone: other.state === 'done',
      isEqual: contentOf(endpoint, other.input) === contentOf(endpoint, write.input),
      isInFlight: other.isInFlight ?? (other.state === 'sent' && memory.ageMs(other) < timeoutMs),
    };
  }
}

/** The header has no fraction of a second. */
const headerMs = 1000;
/** A clock that differs by more is told: then dates prove less. */
const toldMs = 2000;
/** A single header may be wrong, but not five that agree. */
const fewest = 5;

/**
 * By how much the clock of this machine is ahead of a service's, as the `Date` headers of many responses show: each was written
 * between the sending of its request and its arrival.
 */
export class ServiceClock {
  #least = -Infinity;
  #most = Infinity;
  /** How many headers agree. */
  #count = 0;
  #isTold = false;
  /** The difference of the two clocks of this machine: one of them can be set. */
  #offset = NaN;

  /** By how much it is ahead at least, in milliseconds; 0 if nothing shows that, also after this machine's clock was set. */
  get aheadMs(): number {
    return this.#count < fewest || !this.#isKnown ? 0 : Math.max(0, this.#least);
  }

  /** The time of the service at the latest, in milliseconds since 1970; `Infinity` if nothing shows it. */
  get latestNow(): number {
    return this.#isKnown ? Date.now() - this.#least : Infinity;
  }

  /** The time of the service at the earliest, in milliseconds since 1970; `-Infinity` if nothing shows it. */
  get earliestNow(): number {
    return this.#isKnown ? Date.now() - this.#most : -Infinity;
  }

  /** Whether a header has come since this machine's clock was set. */
  get #isKnown(): boolean {
    return Math.abs(offsetNow() - this.#offset) < toldMs;
  }

  /**
   * Learns from a response that has just arrived, and whose request was sent at a time of `Date.now()`. `tell` is called once if
   * the clocks differ.
   */
  observe(sentAt: number, headers: Pick<Headers, 'get'>, tell: (aheadMs: number) => void): void {
    const stated = parseHttpDate(headers.get('date'));
    // A response of a cache says when it was stored.
    if (stated === undefined || headers.get('age') !== null) return;
    const [least, most] = [sentAt - stated - headerMs, Date.now() - stated];
    // One of the clocks was set.
    const isOther = least > this.#most || most < this.#least;
    this.#least = isOther ? least : Math.max(least, this.#least);
    this.#most = isOther ? most : Math.min(most, this.#most);
    this.#count = isOther ? 1 : this.#count + 1;
    this.#offset = offsetNow();
    if (this.#isTold || this.#count < fewest || (this.#least <= toldMs && this.#most >= -toldMs)) return;
    this.#isTold = true;
    tell((this.#least + this.#most) / 2);
  }
}

const offsetNow = (): number => Date.now() - performance.now();

/**
 * Returns how to get something that a process has once, beside all of its objects. It is made on first use. What a module keeps in this
 * way ends with its process, also in a simulation, whose processes share the modules.
 */
export function ofProcess<T>(make: () => T): () => T {
  return () => {
    const memory = platform.memory();
    if (!memory.has(make)) memory.set(make, make());
    return memory.get(make) as T;
  };
}
