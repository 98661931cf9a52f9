import type { DeadLetterFacts, DeadLetters } from '../../work/dead-letters.js';
import type { StoredFacts } from '../../work/pages.js';
import type { WaitingEntries } from '../../work/waiting-entries.js';

/** What is known of something that waits. */
export interface WaitingFacts extends StoredFacts {
  readonly attempts: number;
  /** The last error. */
  readonly failure?: string | undefined;
  /** When it is tried next, in milliseconds; absent while it runs. */
  readonly nextInMs?: number | undefined;
  /** In milliseconds since 1970. */
  readonly addedAt: number;
}

/** What is known of something that was given up. */
export interface GivenUpFacts extends DeadLetterFacts {
  readonly attempts: number;
  readonly failure: string;
}

/** A row of a table: by column, in their order. A column in `...Ms` is a duration, one in `...At` a time since 1970. */
export type WorkRow = Readonly<Record<string, string | number | null>>;

/** What a command shows and changes of what is stored: the notifications of an inbox, or the jobs of an outbox. */
export interface StoredWork {
  /** Counts what is stored: numbers, and tables of rows by name. */
  stats(): Promise<object>;
  readonly waiting: WaitingEntries<WaitingFacts>;
  readonly deadLetters: DeadLetters<GivenUpFacts>;
  /** The columns that say what an entry is about. `topic` is what `--topic` looks at. */
  columnsOf(entry: StoredFacts['entry']): WorkRow & { readonly topic: string };
  close(): Promise<void>;
}
