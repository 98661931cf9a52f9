import { byId } from './dom.js';
import { search } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

/**
 * Shows the newest entries of a list, or those that contain what a person types into its search field.
 *
 * @param {'users' | 'items' | 'questions' | 'conversations' | 'requests'} list
 * @param {(entries: any[]) => void} show
 * @returns {{ update(state: Snapshot): Promise<void>, find(text: string): Promise<void> }}
 */
export function startFinder(list, show) {
  const input = /** @type {HTMLInputElement} */ (byId(`find-${list}`));
  /** @type {Snapshot | undefined} */
  let state;
  /** @type {Promise<void> | undefined} */
  let drawing;
  let isStale = false;

  // One search at a time: a busy marketplace changes more often than it can be searched.
  const draw = async () => {
    while (isStale) {
      isStale = false;
      const text = input.value.trim();
      const found = text === '' ? undefined : await search(list, text, 100);
      show(found?.entries ?? state?.[list] ?? []);
      if (found) say(list, found.count === 0 ? 'No entry contains this text.' : describe(found));
      else if (state) showCount(list, state);
    }
  };
  const refresh = () => {
    isStale = true;
    return (drawing ??= draw().finally(() => (drawing = undefined)));
  };
  input.addEventListener('input', () => void refresh());
  return {
    async update(next) {
      state = next;
      await refresh();
    },
    async find(text) {
      input.value = text;
      await refresh();
    },
  };
}

/**
 * Says how many entries of a list are shown, if not all of them are.
 *
 * @param {keyof Snapshot['counts'] & keyof Snapshot} list
 * @param {Snapshot} state
 */
export function showCount(list, state) {
  const shown = state[list].length;
  const count = state.counts[list];
  say(list, shown === count ? '' : `${shown} newest of ${count.toLocaleString('en')}`);
}

/** @param {{ count: number, entries: unknown[] }} found */
function describe({ count, entries }) {
  return entries.length < count ? `${entries.length} newest of ${count.toLocaleString('en')} found` : `${count} found`;
}

/**
 * @param {string} list
 * @param {string} text
 */
function say(list, text) {
  const box = byId(`shown-${list}`);
  box.hidden = text === '';
  box.textContent = text;
}
