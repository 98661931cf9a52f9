import type { Log } from './log.js';
import type { Store } from './store.js';
import type { TaskOf } from './task.js';

/** What a worker is for. */
export interface WorkerOptions {
  /** How its log names it: `inbox` or `outbox`. */
  readonly name: string;
  /** What it claims; none: it claims nothing. */
  readonly kinds: readonly string[];
  readonly taskOf: TaskOf;
  /** How many tasks run at once. */
  readonly concurrency: number;
  /** How long a lease lasts without renewal, in milliseconds. */
  readonly leaseMs: number;
  readonly log: Log;
}

/** What runs the tasks of an inbox or an outbox. */
export interface Works {
  /** Runs what is due from now on, and keeps the process alive until `close`. */
  start(): void;
  /** Something was added or made due: runs what is due, from now on. Keeps nothing alive. */
  wake(): void;
  /** Starts to run what is due, and resolves once nothing is due and nothing runs here. Keeps the process alive meanwhile. */
  idle(): Promise<void>;
  /** Claims nothing more, waits for what runs, then aborts it, and gives back what ignores that. */
  close(graceMs: number): Promise<void>;
}

/** What is kept without leases: what the door, the lists and the commands need. */
export type Shelf = Omit<Store, 'claim' | 'renew' | 'note' | 'settle'>;

/** Gives out its leases by itself, such as `bullmq`. */
export interface Engine extends Shelf {
  works(options: WorkerOptions): Works;
}
