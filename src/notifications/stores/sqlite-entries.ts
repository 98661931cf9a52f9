import type { Row, Statements } from '../../work/sqlite-rows.js';
import type { LastFailure } from '../handling/outcome.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { StoreStats, WaitingEntry } from './store.js';

/** The entry of a row; `undefined` when the row is damaged. */
export function entryOf({ key, entry }: Pick<Row, 'key' | 'entry'>): QueuedNotification | undefined {
  try {
    const parsed = JSON.parse(entry) as Partial<QueuedNotification> | null;
    return parsed?.key === key && typeof parsed.notification === 'object' ? (parsed as QueuedNotification) : undefined;
  } catch {
    return undefined;
  }
}

/** The last error of a row; `undefined` when there is none. */
export function lastFailureOf({ last_failure }: Pick<Row, 'last_failure'>): LastFailure | undefined {
  return last_failure === null ? undefined : (JSON.parse(last_failure) as LastFailure);
}

/** Counts what the tables hold, without reading all of it. */
export function countsOf(db: Pick<Statements, 'all'>, entries: number): StoreStats {
  const [first] = db.all('SELECT arrived_at FROM notification_waiting ORDER BY number LIMIT 1');
  const [leased] = db.all('SELECT count(*) AS entries FROM notification_group WHERE token IS NOT NULL');
  const [dead] = db.all("SELECT entries FROM notification_total WHERE name = 'dead'");
  const topics = db.all('SELECT topic, entries, last_arrival FROM notification_topic');
  const running = leased?.entries ?? 0;
  return {
    waiting: entries - running,
    running,
    dead: dead?.entries ?? 0,
    ...(first && { oldestAgeMs: Math.max(0, Date.now() - first.arrived_at) }),
    topics: Object.fromEntries(
      topics.map(({ topic, entries: waiting, last_arrival: lastArrivalAt }) => [topic, { waiting, lastArrivalAt }]),
    ),
  };
}

/** What waits, after one with a number, in the order of arrival. */
export function waitingOf(
  db: Pick<Statements, 'all'>,
  { limit, after, now }: { readonly limit: number; readonly after: number; readonly now: number },
): WaitingEntry[] {
  const select = `SELECT waiting.*, turn, ready_at, coalesce(leased_key = key AND token IS NOT NULL, 0) AS running
    FROM notification_waiting AS waiting LEFT JOIN notification_group USING (group_id)
    WHERE number > ? ORDER BY number LIMIT ?`;
  const entries: WaitingEntry[] = [];
  // A page is full although some rows are damaged: a shorter one is the last.
  for (let from = after; entries.length < limit;) {
    const rows = db.all(select, from, Math.min(limit - entries.length, Number.MAX_SAFE_INTEGER));
    entries.push(...rows.flatMap((row) => waitingEntryOf(row, now)));
    const last = rows.at(-1);
    if (!last) break;
    from = last.number;
  }
  return entries;
}

function waitingEntryOf(row: Row, now: number): WaitingEntry[] {
  const { failures, stalls, arrived_at: addedAt, number, turn, ready_at, running } = row;
  const [entry, lastFailure] = [entryOf(row), lastFailureOf(row)];
  if (!entry) return [];
  const nextInMs = turn === null ? Math.max(0, (ready_at ?? now) - now) : 0;
  return [
    {
      entry,
      attempts: failures + stalls,
      ...(lastFailure && { failure: lastFailure.failure }),
      ...(!running && { nextInMs }),
      addedAt,
      number,
    },
  ];
}
