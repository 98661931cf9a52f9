import { writesOf } from '../../work/sqlite-rows.js';
import type { Row, Statements } from '../../work/sqlite-rows.js';
import type { LastFailure } from '../handling/outcome.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { StoreStats, WaitingEntry } from './store.js';

/** The entry of a row; `undefined` when the row is damaged. Without its writes, some could happen twice. */
export function entryOf({ key, entry, writes }: Pick<Row, 'key' | 'entry' | 'writes'>): QueuedNotification | undefined {
  try {
    writesOf({ writes });
    const parsed = JSON.parse(entry) as Partial<QueuedNotification> | null;
    return parsed?.key === key && typeof parsed.notification === 'object' ? (parsed as QueuedNotification) : undefined;
  } catch {
    return undefined;
  }
}

/** The last error of a row; `undefined` when there is none, or it is damaged. */
export function lastFailureOf({ last_failure }: Pick<Row, 'last_failure'>): LastFailure | undefined {
  try {
    return last_failure === null ? undefined : (JSON.parse(last_failure) as LastFailure);
  } catch {
    return undefined;
  }
}

/** Counts what the tables hold, without reading all of it. */
export function countsOf(db: Pick<Statements, 'all'>): StoreStats {
  const [first] = db.all('SELECT arrived_at FROM notification_waiting ORDER BY number LIMIT 1');
  const [leased] = db.all('SELECT count(*) AS entries FROM notification_group WHERE token IS NOT NULL');
  const totals = new Map(db.all('SELECT name, entries FROM notification_total').map((row) => [row.name, row.entries]));
  const total = (name: string): number => totals.get(name) ?? 0;
  const running = leased?.entries ?? 0;
  return {
    waiting: total('waiting') - running,
    running,
    dead: total('dead'),
    ...(total('unconfirmed') > 0 && { unconfirmed: total('unconfirmed') }),
    ...(total('expired') > 0 && { expired: total('expired') }),
    ...(first && { oldestAgeMs: Math.max(0, Date.now() - first.arrived_at) }),
    topics: topicsOf(db),
  };
}

function topicsOf(db: Pick<Statements, 'all'>): StoreStats['topics'] {
  const oldest = '(SELECT min(arrived_at) FROM notification_waiting WHERE topic = counted.topic) AS arrived_at';
  const rows = db.all(`SELECT topic, entries, last_arrival, ${oldest} FROM notification_topic AS counted`);
  const stats = rows.map(({ topic, entries: waiting, last_arrival: lastArrivalAt, arrived_at: first }) => {
    // Without one that waits, there is no oldest.
    const oldestAgeMs = (first as number | null) === null ? undefined : Math.max(0, Date.now() - first);
    return [topic, { waiting, lastArrivalAt, ...(oldestAgeMs !== undefined && { oldestAgeMs }) }] as const;
  });
  return Object.fromEntries(stats);
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
