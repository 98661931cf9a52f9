import type { Row, Statements } from '../../work/sqlite-rows.js';
import type { LastFailure } from '../handling/outcome.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { StoreStats } from './store.js';

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
