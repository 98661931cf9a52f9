import type { ListOptions } from './pages.js';
import { StoredEntries } from './stored-entries.js';
import type { Shown } from './stored-entries.js';

/** A notification or a job with a message that moderation rejected. */
export interface Rejected<Entry> {
  readonly entry: Entry;
  /** The reason of moderation, e.g. `PERSONAL_DATA`. */
  readonly reason: string;
  /** When that was known, in milliseconds since 1970. */
  readonly rejectedAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** What `StoredEntries` does, as a type that a program's declarations may show without its name. */
export type RejectedEntries<Entry> = Readonly<{
  /** Lists them in the order in which it was known. */
  list(options?: ListOptions): Promise<readonly Rejected<Entry>[]>;
  /** Removes one. `false` if there is none with this key. */
  remove(key: string): Promise<boolean>;
  /** Removes those for which `where` returns `true`. Returns how many they were. */
  removeAll(where: (found: Rejected<Entry>) => boolean): Promise<number>;
}>;

/** What moderation rejected, in the order in which that was known. */
export function rejectedEntries<Entry extends { readonly key: string }>(shown: Shown<Entry>): RejectedEntries<Entry> {
  return new StoredEntries<Rejected<Entry>>(shown, ['rejected'], (status) => {
    const { failure: reason = '', endedAt: rejectedAt = 0, number } = status;
    return { entry: shown.entryOf(status), reason, rejectedAt, number };
  });
}
