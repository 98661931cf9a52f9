import type { WriteRecord } from '../core/recover/write-hook.js';

/** A row of any of the tables; each query has only the columns that it names. */
export interface Row {
  readonly key: string;
  readonly group_id: string;
  readonly number: number;
  readonly sent_at: number;
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
  readonly until: number;
  readonly name: string;
  readonly running: number;
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

/** The writes of the runs of an entry; `undefined` when there are none. */
export function writesOf({ writes }: Pick<Row, 'writes'>): readonly WriteRecord[] | undefined {
  return writes === null ? undefined : (JSON.parse(writes) as readonly WriteRecord[]);
}
