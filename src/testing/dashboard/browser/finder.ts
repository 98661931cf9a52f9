import type { Snapshot } from '../snapshot.js';
import { noteOf, valueOf } from './parts.js';
import { html, useEffect, useRef, useState } from './preact.js';
import type { VNode } from './preact.js';
import { search } from './server.js';
import type { Found, SearchedList } from './server.js';

interface Finder<List extends SearchedList> {
  /** The newest entries, or those that contain the text of the field. */
  readonly entries: Snapshot[List];
  /** Says how many entries are shown or found. */
  readonly note: string;
  readonly field: VNode;
  readonly setText: (text: string) => void;
}

/** The newest entries of a list, or those that contain what a person types into its search field. */
export function useFinder<List extends SearchedList>(list: List, state: Snapshot, props: object = {}): Finder<List> {
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found<List> | undefined>(undefined);
  const { current: searching } = useRef({ text, isStale: false, isBusy: false });
  // One search at a time: a busy marketplace changes more often than it can be searched.
  const refresh = async (): Promise<void> => {
    if (searching.isBusy) return;
    searching.isBusy = true;
    while (searching.isStale) {
      searching.isStale = false;
      setFound(searching.text === '' ? undefined : await search(list, searching.text, 100));
    }
    searching.isBusy = false;
  };
  useEffect(() => {
    searching.text = text.trim();
    searching.isStale = true;
    void refresh();
  }, [text, state]);
  const attributes = {
    id: `find-${list}`,
    type: 'search',
    placeholder: 'Search',
    'aria-label': `Search the ${list}`,
    ...props,
  };
  const input = (event: Event): void => setText(valueOf(event));
  const field = html`<input class="filter" value=${text} onInput=${input} ...${attributes} />`;
  return {
    entries: found?.entries ?? state[list],
    note: found ? describe(found) : noteOf(list, state),
    field,
    setText,
  };
}

function describe({ count, entries }: { readonly count: number; readonly entries: readonly unknown[] }): string {
  if (count === 0) return 'No entry contains this text.';
  return entries.length < count ? `${entries.length} newest of ${count.toLocaleString('en')} found` : `${count} found`;
}
