import type { WriteRecord } from '../core/recover/write-hook.js';
import { WriteRecords } from './write-records.js';
import { LedgerBook } from './ledger-book.js';
import type { Ledger } from './ledger.js';

/** What a run needs to keep its writes. */
export interface RunWritesOptions {
  /** The writes of earlier runs. */
  readonly writes: readonly WriteRecord[];
  /** Keeps all of them with the entry. Resolves to `false` when another run has it. */
  readonly note: (writes: readonly WriteRecord[]) => Promise<boolean>;
  /** Where the book of all runs is. */
  readonly ledger: Ledger | undefined;
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
  readonly #book: LedgerBook | undefined;
  #isOver = false;

  constructor(options: RunWritesOptions) {
    this.#options = options;
    this.#book = options.ledger && new LedgerBook(options.ledger, options.writes);
    const note = (writes: readonly WriteRecord[]): Promise<void> => this.#note(writes);
    this.records = new WriteRecords({ writes: options.writes, note, book: this.#book, rejections: options.rejections });
  }

  async #note(writes: readonly WriteRecord[]): Promise<void> {
    this.#options.signal.throwIfAborted();
    // What a handler has left running may outlive its run.
    if (this.#isOver || !(await this.#options.note(writes)))
      throw new Error('Not sent: the run has ended, or another process has taken over');
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
      this.#options.failed('The writes of a run were not entered in the book', error);
    }
    return writes;
  }
}
