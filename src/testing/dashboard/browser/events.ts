import type { Snapshot } from '../snapshot.js';
import { token } from './server.js';

type Parts = Readonly<Record<string, unknown>>;

/** Listens to the server's events. */
export function listen(show: (state: Snapshot) => void, link: (isUp: boolean) => void): void {
  const events = new EventSource(`/__fake/events?token=${token}`);
  events.addEventListener('open', () => link(true));
  events.addEventListener('error', () => {
    link(false);
    // A restarted server has another token, which only a reloaded page contains.
    if (events.readyState === EventSource.CLOSED) window.setTimeout(() => void reloadWhenUp(), 1500);
  });
  let current: Parts = {};
  const take = (next: Parts): void => {
    current = next;
    show(next as unknown as Snapshot);
  };
  events.addEventListener('state', (event) => take(dataOf(event)));
  events.addEventListener('change', (event) => take({ ...current, ...applied(current, dataOf(event)) }));
}

/** Returns what a change makes of the fields that it names. In a list, `[from, count]` are entries that stay. */
function applied(before: Parts, change: Parts): Parts {
  const merged = (name: string, edits: readonly unknown[]): unknown[] =>
    edits.flatMap((edit) => (isKept(edit) ? (before[name] as unknown[]).slice(edit[0], edit[0] + edit[1]) : [edit]));
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, Array.isArray(value) ? merged(name, value) : value]),
  );
}

function isKept(edit: unknown): edit is readonly [from: number, count: number] {
  return Array.isArray(edit);
}

/** The data of an event, as `EventStream` sends it. */
function dataOf(event: MessageEvent): Parts {
  return JSON.parse(String(event.data)) as Parts;
}

/** Reloads the page as soon as the server responds again. */
async function reloadWhenUp(): Promise<void> {
  try {
    await fetch('/__fake/style.css');
    location.reload();
  } catch {
    window.setTimeout(() => void reloadWhenUp(), 1500);
  }
}
