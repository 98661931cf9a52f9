import type { WriteRecord } from '../../core/recover/write-hook.js';
import type { LastFailure } from '../handling/outcome.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { StoreStats } from './store.js';

/** A row of any of the tables; each query has only the columns that it names. */
export interface Row {
  readonly key: string;
  readonly group_id: string;
  readonly number: number;
  readonly topic: string;
  readonly arrived_at: number;
  readonly last_arrival: number;
  readonly user_version: number;
  readonly user_id: number | null;
  readonly turn: number | null;
  readonly entry: string;
  readonly failures: number;
  readonly stalls: number;
  readonly last_failure: string | null;
  readonly writes: string | null;
  readonly alone: number;
  readonly value: string;
  readonly token: string | null;
  readonly leased_key: string | null;
  readonly ready_at: number | null;
  readonly attempts: number;
  readonly failure: string;
  readonly dead_lettered_at: number;
  readonly entries: number;
  readonly bytes: number;
  readonly latest: number;
  readonly offset: number;
  readonly served: number;
  readonly state: 'waiting' | 'processed';
}

/** Runs statements within a transaction. */
export interface Statements {
  /** Returns the rows. */
  all(sql: string, ...values: (string | number | null)[]): Row[];
  /** Returns how many rows were changed. */
  run(sql: string, ...values: (string | number | null)[]): number;
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

/** The last error of a row; `undefined` when there is none. */
export function lastFailureOf({ last_failure }: Pick<Row, 'last_failure'>): LastFailure | undefined {
  return last_failure === null ? undefined : (JSON.parse(last_failure) as LastFailure);
}

/** The writes of the runs of an entry; `undefined` when there are none. */
export function writesOf({ writes }: Pick<Row, 'writes'>): readonly WriteRecord[] | undefined {
  return writes === null ? undefined : (JSON.parse(writes) as readonly WriteRecord[]);
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
