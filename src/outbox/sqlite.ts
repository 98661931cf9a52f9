import { ConfigurationError } from '../core/errors/errors.js';
import { SqliteDatabase, inMemory } from '../work/sqlite-database.js';
import { SqliteLedger } from '../work/sqlite-ledger.js';
import type { Row } from '../work/sqlite-rows.js';
import type { StoreTransaction } from '../work/sqlite-transaction.js';
import { noProgress } from './job.js';
import type { JobProgress, JobState, JobStatus, StoredJob } from './job.js';
import { deadLetterOf, redriven, statusOf, waitingOf } from './kept-job.js';
import type { KeptJob } from './kept-job.js';
import type {
  ClaimedJobs,
  JobDeadLetter,
  JobLease,
  JobLeaseId,
  JobQuery,
  JobSettlement,
  OutboxStats,
  OutboxStore,
  WaitingJob,
} from './store.js';

/**
 * Creates an outbox in a SQLite file, for the processes of one machine: jobs survive crashes and power cuts. The file of an
 * inbox can have one too: then both know what the other one wrote, and a lost response is read back more exactly.
 *
 * Needs Node 22.13 or later; `node:sqlite` is loaded on first use. Do not use it on a network file system.
 *
 * @example
 * const outbox = createOutbox({ store: sqliteOutbox(path), clientFor: () => seller });
 * await outbox.close();
 * @param path The file. It is created if it does not exist. `':memory:'` is not durable.
 * @throws {ConfigurationError} when `path` is no text.
 */
export function sqliteOutbox(path: string): OutboxStore {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError('sqliteOutbox takes the name of a file, such as "outbox.db"');
  return new SqliteOutbox(path);
}

/** A row of a job. */
interface JobRow extends Omit<Row, 'state'> {
  readonly state: KeptJob['state'];
  readonly job: string;
  readonly progress: string | null;
  readonly reason: string | null;
  readonly added_at: number;
  readonly ended_at: number;
  readonly due_at: number;
  readonly dead_number: number;
}

/** The latest time that fits into a column. */
const never = Number.MAX_SAFE_INTEGER;

/** How many expired keys one transaction deletes. */
const expiredAtATime = 1_000;

class SqliteOutbox implements OutboxStore {
  readonly durable: boolean;
  readonly ledger: SqliteLedger;
  readonly #db: SqliteDatabase;

  constructor(path: string) {
    this.durable = path !== inMemory;
    this.#db = new SqliteDatabase(path, 'sqliteOutbox', 'outbox');
    this.ledger = new SqliteLedger(this.#db);
  }

  /** Of the processes of a simulation, one runs at a time: the worker does not have to poll. */
  get shared(): boolean {
    return this.durable && !('isSimulated' in globalThis.setTimeout);
  }

  onlyOpen(): void {
    this.#db.mustExist = this.durable;
  }

  add(job: StoredJob): Promise<JobStatus> {
    // Only an outbox that works adds and claims.
    this.#db.mustExist = false;
    return this.#db.write(({ now }) => {
      this.#db.run(`DELETE FROM outbox_job WHERE key = ? AND ${isExpired}`, job.key, now);
      const insert = `INSERT OR IGNORE INTO outbox_job (key, job, added_at, due_at) VALUES (?, ?, ?, ?)`;
      this.#db.run(insert, job.key, JSON.stringify(job), Date.now(), now);
      const stored = this.#find(job.key);
      if (!stored) throw new Error(`The job ${job.key} was not stored`);
      return stored;
    });
  }

  get(key: string): Promise<JobStatus | undefined> {
    return this.#read(() => this.#find(key));
  }

  #find(key: string): JobStatus | undefined {
    const [row] = this.#rows('SELECT * FROM outbox_job WHERE key = ?', key);
    return row && statusOf(keptOf(row), progressOf(row));
  }

  /** After a power cut, a lost lease has a job done again, which reads back: only notes and results wait for the disk. */
  #read<R>(run: (transaction: StoreTransaction) => R): Promise<R> {
    return this.#db.write(run, { isDurable: false });
  }

  #rows(sql: string, ...values: (string | number)[]): JobRow[] {
    return this.#db.all(sql, ...values) as unknown as JobRow[];
  }

  list({ state, limit, after }: JobQuery): Promise<readonly JobStatus[]> {
    const isOfState = state === undefined ? '' : `AND ${conditions[state]}`;
    const select = `SELECT * FROM outbox_job WHERE number > ? ${isOfState} ORDER BY number LIMIT ?`;
    return this.#read(() => this.#rows(select, after, limit).map((row) => statusOf(keptOf(row), progressOf(row))));
  }

  claim({ leaseMs, limit }: { leaseMs: number; limit: number }): Promise<ClaimedJobs> {
    this.#db.mustExist = false;
    return this.#read((transaction) => {
      const due = "SELECT * FROM outbox_job WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at LIMIT ?";
      const leases = this.#rows(due, transaction.now, limit).map((row) => this.#lease(row, transaction, leaseMs));
      const [next] = this.#rows("SELECT min(due_at) AS due_at FROM outbox_job WHERE state = 'waiting'");
      const at = next?.due_at ?? null;
      return { leases, ...(at !== null && { nextInMs: Math.max(0, at - transaction.now) }) };
    });
  }

  #lease(row: JobRow, transaction: StoreTransaction, leaseMs: number): JobLease {
    const token = crypto.randomUUID();
    const update = 'UPDATE outbox_job SET token = ?, due_at = ? WHERE number = ?';
    this.#db.run(update, token, Math.ceil(transaction.now + leaseMs), row.number);
    transaction.keepTime();
    return { entry: jobOf(row), token, failures: row.failures, progress: progressOf(row) };
  }

  renew(leases: readonly JobLeaseId[], leaseMs: number): Promise<readonly string[]> {
    return this.#read((transaction) => {
      transaction.keepTime();
      const update = 'UPDATE outbox_job SET due_at = ? WHERE key = ? AND token = ?';
      const until = Math.ceil(transaction.now + leaseMs);
      return leases.filter(({ key, token }) => this.#db.run(update, until, key, token) === 0).map(({ key }) => key);
    });
  }

  note({ key, token }: JobLeaseId, progress: JobProgress): Promise<boolean> {
    const update = 'UPDATE outbox_job SET progress = ? WHERE key = ? AND token = ?';
    return this.#db.write(() => this.#db.run(update, JSON.stringify(progress), key, token) > 0);
  }

  settle({ key, token }: JobLeaseId, settlement: JobSettlement): Promise<boolean> {
    const { state, inMs, failed, reason = null, progress } = settlement;
    return this.#db.write((transaction) => {
      const update = `UPDATE outbox_job SET state = ?, due_at = ?, failures = failures + ?, reason = coalesce(?, reason),
        progress = ?, ended_at = ?, dead_number = ${state === 'dead' ? nextDeadNumber : 'NULL'}, token = NULL
        WHERE key = ? AND token = ?`;
      const dueAt = Math.min(Math.ceil(transaction.now + inMs), never);
      const values = [state, dueAt, Number(failed), reason, JSON.stringify(progress), Date.now()];
      const isHeld = this.#db.run(update, ...values, key, token) > 0;
      this.#forgetExpired(transaction);
      return isHeld;
    });
  }

  #forgetExpired(transaction: StoreTransaction): void {
    for (const state of ['accepted', 'rejected'])
      this.#db.run(
        `DELETE FROM outbox_job WHERE number IN
          (SELECT number FROM outbox_job WHERE state = ? AND due_at <= ? LIMIT ${expiredAtATime})`,
        state,
        transaction.now,
      );
    transaction.forgetExpired();
  }

  deadLetters(limit: number, after = 0): Promise<readonly JobDeadLetter[]> {
    const select = 'SELECT * FROM outbox_job WHERE dead_number > ? ORDER BY dead_number LIMIT ?';
    return this.#read(() => this.#rows(select, after, limit).map((row) => deadLetterOf(keptOf(row))));
  }

  redrive(key: string, forgetsUnknown = false): Promise<boolean> {
    return this.#db.write(({ now }) => {
      const [row] = this.#rows("SELECT * FROM outbox_job WHERE key = ? AND state = 'dead'", key);
      if (!row) return false;
      const update = `UPDATE outbox_job SET state = 'waiting', failures = 0, due_at = ?, dead_number = NULL, progress = ?
        WHERE number = ?`;
      return this.#db.run(update, now, JSON.stringify(redriven(progressOf(row), forgetsUnknown)), row.number) > 0;
    });
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return this.#db.write(() => this.#db.run("DELETE FROM outbox_job WHERE key = ? AND state = 'dead'", key) > 0);
  }

  waiting(limit: number, after = 0): Promise<readonly WaitingJob[]> {
    const select = "SELECT * FROM outbox_job WHERE state = 'waiting' AND number > ? ORDER BY number LIMIT ?";
    return this.#read(({ now }) => this.#rows(select, after, limit).map((row) => waitingOf(keptOf(row), now)));
  }

  retryNow(key: string): Promise<boolean> {
    const update = "UPDATE outbox_job SET due_at = ? WHERE key = ? AND state = 'waiting' AND token IS NULL";
    return this.#db.write(({ now }) => this.#db.run(update, now, key) > 0);
  }

  removeWaiting(key: string): Promise<boolean> {
    const remove = "DELETE FROM outbox_job WHERE key = ? AND state = 'waiting' AND token IS NULL";
    return this.#db.write(() => this.#db.run(remove, key) > 0);
  }

  stats(): Promise<OutboxStats> {
    return this.#read(() => {
      const count = (state: JobState): number =>
        this.#db.all(`SELECT count(*) AS entries FROM outbox_job WHERE ${conditions[state]}`)[0]?.entries ?? 0;
      const [oldest] = this.#rows("SELECT min(added_at) AS added_at FROM outbox_job WHERE state = 'waiting'");
      const addedAt = oldest?.added_at ?? null;
      return {
        waiting: count('waiting'),
        running: count('running'),
        dead: count('dead'),
        accepted: count('accepted'),
        rejected: count('rejected'),
        ...(addedAt !== null && { oldestAgeMs: Math.max(0, Date.now() - addedAt) }),
      };
    });
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}

/** Whether the key of a job need not be kept any longer. */
const isExpired = "state IN ('accepted', 'rejected') AND due_at <= ?";

const nextDeadNumber = '(SELECT coalesce(max(dead_number), 0) + 1 FROM outbox_job)';

/** Which rows are in a state. */
const conditions: Readonly<Record<JobState, string>> = {
  waiting: "state = 'waiting' AND token IS NULL",
  running: "state = 'waiting' AND token IS NOT NULL",
  accepted: "state = 'accepted'",
  rejected: "state = 'rejected'",
  dead: "state = 'dead'",
};

/** A row in the form that both outboxes share. */
function keptOf(row: JobRow): KeptJob {
  const { number, failures, token, reason } = row;
  const { added_at: addedAt, ended_at: endedAt, due_at: dueAt, dead_number: deadNumber } = row;
  const times = { addedAt, endedAt, dueAt, deadNumber };
  const entry = jobOf(row);
  return {
    entry,
    number,
    state: row.state,
    failures,
    reason: reason ?? undefined,
    token: token ?? undefined,
    ...times,
  };
}

function jobOf({ job }: JobRow): StoredJob {
  return JSON.parse(job) as StoredJob;
}

function progressOf({ progress }: JobRow): JobProgress {
  return progress === null ? noProgress : (JSON.parse(progress) as JobProgress);
}
