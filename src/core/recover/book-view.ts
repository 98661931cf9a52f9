import type { ConfirmContext, Endpoint, KnownWrites, OtherWrite, SentTime } from '../operation/endpoint.js';
import type { BookedWrite, WriteBook } from '../operation/write-book.js';
import type { MemoryBook } from './memory-book.js';
import { contentOf, targetOf } from './write-target.js';

/** What is needed to see the books from one write. */
export interface BookViewOptions {
  readonly endpoint: Endpoint;
  /** The write that is read back. */
  readonly write: BookedWrite;
  /** The book of this process. */
  readonly memory: MemoryBook;
  /** The book of all processes. */
  readonly stored?: WriteBook | undefined;
  /** After this time the service no longer carries out a write of another process, in milliseconds. */
  readonly timeoutMs: number;
}

type Asked = Parameters<ConfirmContext['look']>;
type SeenWrite = BookedWrite & { readonly isInFlight?: boolean };

/** What the books know, as it matters for one write. */
export class BookView {
  readonly #options: BookViewOptions;

  constructor(options: BookViewOptions) {
    this.#options = options;
  }

  /** See `ConfirmContext`. `sent` is when this write was sent, with this token. */
  async look([entries, beside = []]: Asked, sent: SentTime, token: string | undefined): Promise<KnownWrites> {
    const { write } = this.#options;
    const targets = [write.target, ...beside.map(({ endpoint, input }) => targetOf(endpoint, input, token))];
    const found = await Promise.all(targets.map((target) => this.#writesTo(target, entries)));
    const writes = found.flat().sort((a, b) => a.sentAt - b.sentAt);
    const proved = new Map(writes.map((each) => [each.entry, each]));
    const isOther = ({ id, target, state, entry }: BookedWrite): boolean =>
      id !== write.id && targets.includes(target) && state !== 'rejected' && entry === undefined;
    return {
      provedBy: (entry) => (proved.has(entry) ? (proved.get(entry)?.id === write.id ? 'this' : 'another') : undefined),
      sentOf: (entry) => this.#sentOf(proved.get(entry), sent),
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
      const proved = entry ?? others.find((each) => each.id === id)?.entry;
      return { id, target: to, input, sentAt, state, isInFlight, entry: proved };
    });
    return [...others.filter(({ id }) => own.every((each) => each.id !== id)), ...known];
  }

  /** By the time of this write: both are known by the same clock. */
  #sentOf(other: BookedWrite | undefined, sent: SentTime): SentTime | undefined {
    const { write } = this.#options;
    // A book may know that an entry is a proof, and nothing more.
    if (!other || other.id === write.id || other.sentAt === 0) return undefined;
    const laterMs = other.sentAt - write.sentAt;
    return { earliest: sent.earliest + laterMs, latest: sent.latest + laterMs };
  }

  #seen(other: SeenWrite, sent: SentTime): OtherWrite {
    const { endpoint, write, timeoutMs } = this.#options;
    return {
      input: other.input,
      sent: this.#sentOf(other, sent) ?? sent,
      isDone: other.state === 'done',
      isEqual: contentOf(endpoint, other.input) === contentOf(endpoint, write.input),
      isInFlight: other.isInFlight ?? (other.state === 'sent' && Date.now() - other.sentAt < timeoutMs),
    };
  }
}
