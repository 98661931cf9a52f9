import { unlessAborted } from '../core/scope/cancel-scope.js';
import { EarlierWriteOpenError, EarlierWriteUnknownError } from '../core/errors/errors.js';
import type { BookedWrite, WriteBook } from '../core/operation/endpoint.js';
import { canonical, contentOf } from '../core/recover/write-hook.js';
import type { PendingWrite, WriteHook, WriteRecord, WriteResult, WriteDecision } from '../core/recover/write-hook.js';
import { causesOf, isLastingError } from './policy.js';
import type { Ledger } from './store.js';

/** What a run needs to keep its writes. */
export interface RunWritesOptions {
  /** The writes of earlier runs. */
  readonly writes: readonly WriteRecord[];
  /** Keeps all of them with the entry. Resolves to `false` when another run has it. */
  readonly note: (writes: readonly WriteRecord[]) => Promise<boolean>;
  /** Where the book of all runs is. */
  readonly ledger: Ledger;
  /** Reports a failure of the store. */
  readonly failed: (message: string, error: unknown) => void;
  /** Aborted when nobody waits for the run any more. */
  readonly signal: AbortSignal;
  /** The errors of rejected writes, for the later runs of this process. */
  readonly rejections?: Map<string, unknown> | undefined;
}

/** The writes of one run of a handler or a job: each is kept, with its entry and in the book, before it is sent. */
export class RunWrites {
  readonly records: WriteRecords;
  readonly #options: RunWritesOptions;
  readonly #book: LedgerBook;
  #isOver = false;

  constructor(options: RunWritesOptions) {
    this.#options = options;
    const { ledger, writes, signal, rejections } = options;
    this.#book = new LedgerBook(ledger, writes);
    const note = async (noted: readonly WriteRecord[]): Promise<void> => {
      signal.throwIfAborted();
      // A store that is away must not hold a handler whose time is over: its write is not sent.
      await unlessAborted(signal, this.#keep(noted));
    };
    this.records = new WriteRecords({ writes, note, book: this.#book, rejections });
  }

  async #keep(writes: readonly WriteRecord[]): Promise<void> {
    // What a handler has left running may outlive its run.
    if (this.#isOver || !(await this.#options.note(writes)))
      throw new Error('Not sent: the run has ended, or another process has taken over');
    await this.#book.enter(writes);
  }

  /** Ends the run. Nothing more is sent. Returns what to keep with an entry that is not handled. */
  async end(): Promise<readonly WriteRecord[]> {
    this.#isOver = true;
    const { writes } = this.records;
    try {
      if (writes.length > 0) await this.#book.enter(writes);
    } catch (error) {
      // The entry has them, and the next run reads back what the book does not know.
      this.#options.failed('The writes of a run were not entered in the book', error);
    }
    return writes;
  }
}

/** What `WriteRecords` needs of the store of the entry. */
export interface WriteRecordsOptions {
  /** The writes of the earlier runs, as they were noted. */
  readonly writes: readonly WriteRecord[];
  /**
   * Stores all writes of the entry, in place of those that it has. Resolves when they survive the end of the process.
   *
   * @throws when the entry is leased to another run: then nothing is sent.
   */
  readonly note: (writes: readonly WriteRecord[]) => Promise<unknown>;
  /**
   * The book of all entries and processes. It shows a write from when it is noted until a day after its entry was handled.
   *
   * @default the writes of this entry, and the book of this process
   */
  readonly book?: WriteBook | undefined;
  /**
   * The errors of rejected writes, by the `id` of the write, for the later runs of this process.
   *
   * @default each rejected write is sent again by the next run
   */
  readonly rejections?: Pick<Map<string, unknown>, 'get' | 'set' | 'delete'> | undefined;
}

/** The place of a write in the order of an entry's writes. */
interface Place {
  record: WriteRecord;
  /** What this run has made of it. `tried`: it was not carried out, or may have been, so only an equal write takes it again. */
  use: 'free' | 'taken' | 'tried';
}

/** A later attempt of a call is noted again, because reading back goes by the time of sending. It is not more exact. */
const exactMs = 100;

/**
 * The writes of a handler or a job, which may run several times: each write is noted before it is sent, and happens once.
 *
 * A write takes the place of an equal one of an earlier run, else of the first one to the same target that is left, so that
 * another text counts as the same write. What was done returns its output. What was rejected is sent, unless the service has
 * rejected the same content for a reason that a retry does not change: then its error is thrown again. What may have been carried
 * out is read back once: it is done, it was not carried out and the new content is sent, or it stays unknown and nothing is sent.
 *
 * `done` and `rejected` are noted only where the write cannot be read back.
 *
 * A run creates one with the noted writes, calls its handler with `runWithWrites`, and stores `records.writes` with its result.
 */
export class WriteRecords implements WriteHook {
  /**
   * The last error with which a write was stopped because of an earlier run. A handler may have caught it, and the entry
   * must not count as handled nevertheless.
   */
  stoppedBy: EarlierWriteOpenError | EarlierWriteUnknownError | undefined;
  readonly #options: WriteRecordsOptions;
  readonly #places: Place[];
  readonly #rejected = new Set<unknown>();
  #lastNote: Promise<unknown> = Promise.resolve();

  constructor(options: WriteRecordsOptions) {
    this.#options = options;
    this.#places = options.writes.map((record) => ({ record, use: 'free' }));
  }

  /** All writes of the entry, in the order in which they were sent first. */
  get writes(): readonly WriteRecord[] {
    return this.#places.map(({ record }) => record);
  }

  /** Whether an error is that of a write of this run that the service has rejected, or was caused by it. */
  wasRejected(error: unknown): boolean {
    for (const each of causesOf(error)) if (this.#rejected.has(each)) return true;
    return false;
  }

  /** The entry is not tried again by itself: what was rejected is sent if a person has it tried again. */
  forgetRejections(): void {
    for (const { id } of this.writes) this.#options.rejections?.delete(id);
  }

  async begin(write: PendingWrite): Promise<WriteDecision> {
    const place = this.#placeOf(write);
    if (!place) return this.#replaceOrSend(write);
    const rejection = this.#rejectionOf(place, write);
    if (rejection !== undefined) {
      place.use = 'tried';
      throw this.#keepRejection(place, rejection);
    }
    const { use } = place;
    await this.#take(place, write);
    const { state, output } = place.record;
    return state === 'done' ? { isDone: true, output } : this.#sendAgain(place, write, use);
  }

  /** A write that an earlier run has made in another way is done, or was not carried out, before this one is sent. */
  async #replaceOrSend(write: PendingWrite): Promise<WriteDecision> {
    const place = write.replaced && this.#placeOf(write.replaced);
    if (!write.replaced || place?.use !== 'free' || place.record.state === 'rejected') return this.#sendNew(write);
    await this.#take(place, write.replaced);
    const { record } = place;
    if (record.state === 'done') return { isDone: true, output: record.output };
    place.record = { ...record, state: 'rejected' };
    return this.#sendNew(write);
  }

  /** Takes a place. Its write is then done, or was certainly not carried out; else the place is as before. */
  async #take(place: Place, write: PendingWrite): Promise<void> {
    const { use } = place;
    place.use = 'taken';
    try {
      if (place.record.state === 'sent') await this.#readBack(place, write);
    } catch (error) {
      place.use = use;
      throw error;
    }
  }

  /** The error of an equal write of an earlier run. Within a run it may be sent again: the handler may have seen to the reason. */
  #rejectionOf({ record, use }: Place, { input }: PendingWrite): unknown {
    if (use !== 'free' || record.state !== 'rejected') return undefined;
    return canonical(record.input) === canonical(input) ? this.#options.rejections?.get(record.id) : undefined;
  }

  #keepRejection({ record }: Place, error: unknown): unknown {
    this.#rejected.add(error);
    this.#options.rejections?.set(record.id, error);
    return error;
  }

  #placeOf({ endpoint, target, input }: PendingWrite): Place | undefined {
    const places = this.#places.filter(({ record, use }) => use !== 'taken' && record.target === target);
    const content = contentOf(endpoint, input);
    const equal = places.find(({ record }) => contentOf(endpoint, record.input) === content);
    return equal ?? places.find(({ use }) => use === 'free');
  }

  /** @throws unless the write is done, or was certainly not carried out. */
  async #readBack(place: Place, write: PendingWrite): Promise<void> {
    const { record } = place;
    const startedAt = performance.now();
    const found = await write.confirm(record, this.#book());
    if (found.done) {
      place.record = { ...place.record, state: 'done', output: found.output };
      return;
    }
    const { method, path } = write.endpoint;
    const what = `${method} ${path} was sent by an earlier run`;
    if (found.unknown !== undefined && !found.mayChange) {
      const message = `${what}, and nothing shows whether it was carried out: ${found.unknown}. It was not sent again; a person has to look`;
      throw (this.stoppedBy = new EarlierWriteUnknownError(message));
    }
    // When it was read back. Another write that is being sent will have ended once all of the time has passed again.
    const ageMs = found.unknown === undefined ? write.memory.ageMs(record) - (performance.now() - startedAt) : 0;
    const retryAfterMs = write.timeoutMs - ageMs;
    if (retryAfterMs > 0) {
      const message = `${what} and may still be carried out: it was not sent again`;
      const limits = { retryAfterMs: Math.ceil(Math.min(retryAfterMs, write.timeoutMs)) };
      throw (this.stoppedBy = new EarlierWriteOpenError(message, limits));
    }
  }

  async #sendNew(write: PendingWrite): Promise<WriteDecision> {
    const id = globalThis.crypto.randomUUID();
    const place: Place = { record: newRecord(id, write), use: 'taken' };
    this.#places.push(place);
    try {
      return await this.#noteAndSend(place, write);
    } catch (error) {
      this.#places.splice(this.#places.indexOf(place), 1);
      throw error;
    }
  }

  async #sendAgain(place: Place, write: PendingWrite, use: Place['use']): Promise<WriteDecision> {
    const { record } = place;
    place.record = newRecord(record.id, write);
    try {
      return await this.#noteAndSend(place, write);
    } catch (error) {
      Object.assign(place, { record, use });
      throw error;
    }
  }

  async #noteAndSend(place: Place, write: PendingWrite): Promise<WriteDecision> {
    const before = await write.readBefore();
    place.record = { ...newRecord(place.record.id, write), ...(before !== undefined && { before }) };
    await this.#note();
    return {
      isDone: false,
      id: place.record.id,
      beforeSend: async () => {
        if (Math.abs(Date.now() - place.record.sentAt) < exactMs) return;
        place.record = { ...place.record, ...write.memory.timesNow(place.record.id) };
        await this.#note();
      },
      end: (result) => this.#end(place, write, result),
    };
  }

  async #end(place: Place, { endpoint }: PendingWrite, result: WriteResult): Promise<void> {
    const { record } = place;
    if (result.state !== 'done') {
      place.record = { ...record, state: result.state };
      place.use = 'tried';
      if (result.state === 'rejected' && isLastingError(result.error)) this.#keepRejection(place, result.error);
    } else {
      place.record = { ...record, state: 'done', output: result.output };
    }
    // The call has ended, whatever the store says; what is lost is read back by the next run.
    if (result.state === 'done' && result.entry !== undefined)
      await this.#claim(result.entry, record.id).catch(() => undefined);
    if (!endpoint.confirm) await this.#note().catch(() => undefined);
  }

  /** One after the other: an older list must not replace a newer one. */
  #note(): Promise<unknown> {
    const noted = this.#lastNote.then(() => this.#options.note(this.writes));
    this.#lastNote = noted.catch(() => undefined);
    return noted;
  }

  /** The book of the store, with the writes of this entry as they are now. */
  #book(): WriteBook {
    const { book } = this.#options;
    return {
      look: async (target, entries) => {
        const noted = (await book?.look(target, entries)) ?? [];
        // An earlier run may have ended after its claim, before it was noted.
        const proved = (id: string): string | undefined => noted.find((each) => each.id === id)?.entry;
        const own = this.writes
          .map((each) => ({ ...each, entry: each.entry ?? proved(each.id) }))
          .filter((each) => each.target === target || entries.includes(each.entry ?? ''));
        return [...noted.filter(({ id }) => own.every((each) => each.id !== id)), ...own];
      },
      claim: (entry, id) => this.#claim(entry, id),
    };
  }

  async #claim(entry: string, id: string): Promise<boolean> {
    const isOurs = (await this.#options.book?.claim(entry, id)) ?? true;
    const place = this.#places.find(({ record }) => record.id === id);
    if (isOurs && place) place.record = { ...place.record, entry };
    return isOurs;
  }
}

function newRecord(id: string, write: PendingWrite): WriteRecord {
  const { endpoint, target, input } = write;
  return { id, endpoint: endpoint.name, target, input, ...write.memory.timesNow(id), state: 'sent' };
}

/**
 * Returns the writes without those whose outcome is not known, which are then sent: a person has looked, and replays one
 * dead letter.
 */
export function withoutUnknown(writes: readonly WriteRecord[]): readonly WriteRecord[] {
  return writes.filter(({ state }) => state !== 'sent');
}

/** Entries of the service that are older cannot be confused with a write that is read back today, in milliseconds. */
const rememberedMs = 86_400_000;

/** What a ledger has of an entry of the service: which write it proves. */
interface Proof {
  readonly id: string;
  readonly target: string;
}

/**
 * The book of the writes of all processes, in a ledger: the writes to a target are one value, and so is what an entry of the
 * service proves.
 */
export class LedgerBook implements WriteBook {
  readonly #ledger: Ledger;
  /** Where the writes of this run write to. */
  readonly #targets = new Map<string, string>();

  /** @param earlier The writes of earlier runs, which may be read back before one is entered. */
  constructor(ledger: Ledger, earlier: readonly BookedWrite[] = []) {
    for (const { id, target } of earlier) this.#targets.set(id, target);
    this.#ledger = ledger;
  }

  /** A process may have been killed after its claim, before it entered which entry its write has made. */
  async look(target: string, entries: readonly string[]): Promise<readonly BookedWrite[]> {
    const found = await Promise.all(entries.map(async (entry) => ({ entry, ...(await this.#proof(entry)) })));
    const proofs = found.filter((each): each is Proof & { readonly entry: string } => each.id !== undefined);
    const targets = new Set([target, ...proofs.map((proof) => proof.target)]);
    const written = (await Promise.all([...targets].map(async (each) => this.#writesTo(each)))).flat();
    const proved = proofs.map((proof): BookedWrite => {
      const write = written.find(({ id }) => id === proof.id);
      return { input: undefined, sentAt: 0, state: 'done', ...proof, ...write, entry: proof.entry };
    });
    const others = written.filter((each) => each.target === target && proofs.every(({ id }) => id !== each.id));
    return [...others, ...proved];
  }

  async claim(entry: string, id: string): Promise<boolean> {
    const proof: Proof = { id, target: this.#targets.get(id) ?? '' };
    const isFirst = await this.#ledger.replace(proofOf(entry), undefined, JSON.stringify(proof), rememberedMs);
    return isFirst || (await this.#proof(entry))?.id === id;
  }

  /** Enters writes, in place of what the book has of them. */
  async enter(writes: readonly BookedWrite[]): Promise<void> {
    for (const { id, target } of writes) this.#targets.set(id, target);
    for (const target of new Set(writes.map((each) => each.target)))
      await this.#enter(
        target,
        writes.filter((each) => each.target === target),
      );
  }

  async #enter(target: string, entered: readonly BookedWrite[]): Promise<void> {
    for (;;) {
      const value = await this.#ledger.get(writesOf(target));
      const oldest = Date.now() - rememberedMs;
      const others = parsed(value).filter(
        ({ id, sentAt }) => sentAt > oldest && entered.every((each) => each.id !== id),
      );
      const next = JSON.stringify([...others, ...entered.map(booked)]);
      if (next === value || (await this.#ledger.replace(writesOf(target), value, next, rememberedMs))) return;
    }
  }

  async #writesTo(target: string): Promise<readonly BookedWrite[]> {
    return parsed(await this.#ledger.get(writesOf(target)));
  }

  async #proof(entry: string): Promise<Proof | undefined> {
    const value = await this.#ledger.get(proofOf(entry));
    return value === undefined ? undefined : (JSON.parse(value) as Proof);
  }
}

function booked({ id, target, input, sentAt, latestAt, state, entry }: BookedWrite): BookedWrite {
  return {
    id,
    target,
    input,
    sentAt,
    state,
    ...(latestAt !== undefined && { latestAt }),
    ...(entry !== undefined && { entry }),
  };
}

function parsed(value: string | undefined): readonly BookedWrite[] {
  return value === undefined ? [] : (JSON.parse(value) as readonly BookedWrite[]);
}

const writesOf = (target: string): string => `writes ${target}`;
const proofOf = (entry: string): string => `proof ${entry}`;
