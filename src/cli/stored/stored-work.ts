import type { DeadLetters } from '../../work/dead-letters.js';
import type { Accepted } from '../../outbox/stored-jobs.js';
import { pageSize } from '../../work/pages.js';
import type { RejectedEntries } from '../../work/rejected-entries.js';
import type { EntryRow, StoredEntries } from '../../work/stored-entries.js';
import type { WaitingEntries } from '../../work/waiting-entries.js';

/** A row of a table: by column, in their order. A column in `...Ms` is a duration, one in `...At` a time since 1970. */
export type WorkRow = Readonly<Record<string, string | number | null>>;

/** What `openInbox` and `openOutbox` return. */
interface Opened<Entry extends { readonly key: string }> {
  readonly waiting: WaitingEntries<Entry>;
  readonly deadLetters: DeadLetters<Entry>;
  readonly rejected: RejectedEntries<Entry>;
  /** Only of an outbox. */
  readonly accepted?: StoredEntries<Accepted> | undefined;
  forget(key: string): Promise<boolean>;
  stats(): Promise<object>;
  close(): Promise<void>;
}

/** The words that list something. */
export type ListName = 'waiting' | 'dead' | 'rejected' | 'accepted';

/** Something that is listed, and what a filter looks at. */
interface FoundWork {
  readonly key: string;
  readonly row: WorkRow;
  /** When it was added, or ended, in milliseconds since 1970. */
  readonly at: number;
  readonly failure?: string | undefined;
}

export type IsMeant = (found: FoundWork) => boolean;

/** One of the lists of an inbox or an outbox. */
export interface StoredList {
  /** All of it, page by page. */
  pages(): AsyncIterable<readonly FoundWork[]>;
  remove(isMeant: IsMeant): Promise<number>;
}

/** What a command shows and changes: the notifications of an inbox, or the jobs of an outbox. */
export interface StoredWork extends Pick<Opened<never>, 'stats' | 'close'> {
  /** By the word that lists it. */
  readonly lists: Readonly<Partial<Record<ListName, StoredList>>>;
  forget(key: string): Promise<boolean>;
  /** A person has looked at this one: what is unknown of it is done again. */
  replay(key: string): Promise<boolean>;
  replayAll(isMeant: IsMeant): Promise<number>;
  retryAll(isMeant: IsMeant): Promise<number>;
}

/** What a command shows and changes of something opened. `columnsOf` says what an entry is about. */
export function storedWork<Entry extends { readonly key: string }>(
  opened: Opened<Entry>,
  columnsOf: (entry: Entry) => WorkRow,
): StoredWork {
  const found = (entry: Entry, at: number, failure: string | undefined, columns: WorkRow): FoundWork => {
    const { key } = entry;
    return { key, row: { key, ...columnsOf(entry), ...columns }, at, failure };
  };
  const waiting = listed(opened.waiting, ({ entry, attempts, nextInMs, addedAt, failure }) => {
    const columns = { attempts, nextInMs: nextInMs ?? null, addedAt, error: failure ?? null };
    return found(entry, addedAt, failure, columns);
  });
  const dead = listed(opened.deadLetters, ({ entry, attempts, deadLetteredAt, failure: error }) =>
    found(entry, deadLetteredAt, error, { attempts, deadLetteredAt, error }),
  );
  const rejected = listed(opened.rejected, ({ entry, rejectedAt, reason }) =>
    found(entry, rejectedAt, reason, { rejectedAt, reason }),
  );
  const accepted =
    opened.accepted &&
    listed(opened.accepted, ({ entry, acceptedAt }) =>
      found(entry as unknown as Entry, acceptedAt, undefined, { acceptedAt }),
    );
  return {
    stats: () => opened.stats(),
    lists: { waiting, dead, rejected, ...(accepted && { accepted }) },
    forget: (key) => opened.forget(key),
    replay: (key) => opened.deadLetters.replay(key),
    replayAll: (isMeant) => opened.deadLetters.replayAll((each) => isMeant(dead.foundOf(each))),
    retryAll: (isMeant) => opened.waiting.retryAll((each) => isMeant(waiting.foundOf(each))),
    close: () => opened.close(),
  };
}

/** A list, and what is found in it. */
function listed<Each extends EntryRow>(
  entries: Pick<StoredEntries<Each>, 'list' | 'removeAll'>,
  foundOf: (each: Each) => FoundWork,
): StoredList & { readonly foundOf: (each: Each) => FoundWork } {
  return {
    foundOf,
    pages: async function* () {
      for (let after = 0; ;) {
        const page = await entries.list({ limit: pageSize, after });
        yield page.map(foundOf);
        const last = page.at(-1);
        if (page.length < pageSize || !last) return;
        after = last.number;
      }
    },
    remove: (isMeant) => entries.removeAll((each) => isMeant(foundOf(each))),
  };
}
