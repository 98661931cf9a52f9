import type { QueuedNotification } from '../queued-notification.js';
import type { Row } from './sqlite-database.js';
import type { StoreStats } from './store.js';

/** Reads rows within a transaction. */
interface Reader {
  all(sql: string, ...values: (string | number)[]): Row[];
}

/** The entry of a row; `undefined` when the row is damaged. */
export function entryOf({ key, entry }: Row): QueuedNotification | undefined {
  try {
    const parsed = JSON.parse(entry) as Partial<QueuedNotification> | null;
    return parsed?.key === key && typeof parsed.notification === 'object' ? (parsed as QueuedNotification) : undefined;
  } catch {
    return undefined;
  }
}

/** Counts what the tables hold, without reading all of it. */
export function statsOf(db: Reader, entries: number): StoreStats {
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
