import type { Notes, EntryState, Verdict, Work } from './store.js';

/** What a job of BullMQ holds. */
export interface JobData {
  readonly work: Work;
  readonly failures: number;
  readonly failure?: string | undefined;
  readonly notes: Notes;
  /** What a job that BullMQ has completed came to. */
  readonly state?: Verdict['state'] | undefined;
  /** How often it had stalled when it had its last result. */
  readonly stallsBefore?: number | undefined;
  /** How often in a row its process has ended while it ran alone. */
  readonly endings?: number | undefined;
}

/** The part of BullMQ's `Job` that is used. */
export interface BullMQJob {
  readonly id?: string | undefined;
  readonly data: JobData;
  readonly timestamp: number;
  readonly attemptsStarted: number;
  readonly stalledCounter?: number | undefined;
  readonly finishedOn?: number | null | undefined;
  readonly delay?: number | undefined;
  readonly opts: { removeOnComplete?: unknown };
  getState(): Promise<string>;
  updateData(data: JobData): Promise<void>;
  /** Keeps the job for this worker, if it has it still. */
  extendLock(token: string, duration: number): Promise<number>;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
  retry(state: 'failed', options: object): Promise<void>;
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** The part of BullMQ's `Queue` that is used. */
export interface BullMQQueue {
  add(name: string, data: JobData, options: object): Promise<unknown>;
  toKey(type: string): string;
  /** Has the Redis client, since BullMQ 6. */
  getBackend?(): unknown;
  getJobCounts(): Promise<Readonly<Record<string, number>>>;
  /** The ids of the jobs in these states. */
  getRanges(states: string[], start: number, end: number, isAscending: boolean): Promise<string[]>;
  getJob(id: string): Promise<BullMQJob | undefined>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  close(): Promise<void>;
}

/** The id of the job of an entry. BullMQ takes neither a number nor a colon. */
export function idOf(key: string): string {
  return `n-${encodeURIComponent(key.toWellFormed())}`;
}

/** How a job is listed that is in a state of BullMQ. */
export function stateOf({ data }: BullMQJob, state: string): EntryState {
  if (state === 'completed') return (data.state ?? 'done') as EntryState;
  if (state === 'failed') return 'dead';
  return state === 'active' ? 'running' : 'waiting';
}
