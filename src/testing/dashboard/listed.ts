/** The most entries of a list that the dashboard shows. */
export const maxShown = 100;

/** A list of the dashboard. */
export interface Listed<View> {
  readonly count: number;
  /** The newest entries, the newest first. */
  newest(): View[];
  /** Returns how many entries contain all words of a text, and the newest of them. */
  find(text: string, limit: number): FoundEntries<View>;
}

/** What a search has found. */
export interface FoundEntries<View> {
  readonly count: number;
  readonly entries: readonly View[];
}

/** Whether an entry contains a word, which is in lower case. */
type Contains<Entry> = (entry: Entry, word: string) => boolean;

/** Creates a list of entries, the oldest first. */
export function listed<Entry, View>(
  entries: readonly Entry[],
  view: (entry: Entry) => View,
  contains: Contains<Entry> = (entry, word) => textOf(view(entry)).includes(word),
): Listed<View> {
  return {
    count: entries.length,
    newest: () => entries.slice(-maxShown).reverse().map(view),
    find(text, limit) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const found = entries.filter((entry) => words.every((word) => contains(entry, word)));
      return { count: found.length, entries: found.slice(-limit).reverse().map(view) };
    },
  };
}

/** The values of an entry in lower case, without the names of its fields. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textOf).join('\n');
  return String(value).toLowerCase();
}
