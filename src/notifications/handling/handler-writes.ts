import type { WriteRecord } from '../../core/recover/write-hook.js';
import { WriteRecords } from '../../core/recover/write-records.js';
import { LedgerBook } from '../stores/ledger-book.js';
import type { Ledger } from '../stores/ledger.js';
import type { Reporter } from './reporter.js';

/** What a run needs to keep its writes. */
export interface HandlerWritesOptions {
  /** The writes of earlier runs. */
  readonly writes: readonly WriteRecord[];
  /** Keeps all of them with the entry. Resolves to `false` when another run has it. */
  readonly note: (writes: readonly WriteRecord[]) => Promise<boolean>;
  /** Where the book of all runs is. */
  readonly ledger: Ledger | undefined;
  readonly reporter: Reporter;
  /** Aborted when nobody waits for the handler any more. */
  readonly signal: AbortSignal;
}

/** The writes of one run of a handler: each is kept, with its entry and in the book, before it is sent. */
export class HandlerWrites {
  readonly records: WriteRecords;
  readonly #options: HandlerWritesOptions;
  readonly #book: LedgerBook | undefined;
  #isOver = false;

  constructor(options: HandlerWritesOptions) {
    this.#options = options;
    this.#book = options.ledger && new LedgerBook(options.ledger);
    const note = (writes: readonly WriteRecord[]): Promise<void> => this.#note(writes);
    this.records = new WriteRecords({ writes: options.writes, note, book: this.#book });
  }

  async #note(writes: readonly WriteRecord[]): Promise<void> {
    this.#options.signal.throwIfAborted();
    // What a handler has left running may outlive it.
    if (this.#isOver || !(await this.#options.note(writes)))
      throw new Error('Not sent: the run of the handler has ended, or another process has taken over');
    await this.#book?.enter(writes);
  }

  /** Ends the run. Nothing more is sent. Returns what to keep with an entry that is not handled. */
  async end(): Promise<readonly WriteRecord[]> {
    this.#isOver = true;
    const { writes } = this.records;
    try {
      if (writes.length > 0) await this.#book?.enter(writes);
    } catch (error) {
      // The entry has them, and the next run reads back what the book does not know.
      this.#options.reporter.failed('The writes of a handler were not entered in the book', error);
    }
    return writes;
  }
}
