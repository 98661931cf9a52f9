import type { WriteRecord } from '../core/recover/write-hook.js';
import type { Lease, Notes, Verdict } from './store.js';

/** What the runs of an entry have reached. */
export interface RunNotes extends Notes {
  /** Its writes; of a job, those of the step that is next. */
  readonly writes?: readonly WriteRecord[] | undefined;
  /** How often the service did not show whether a write was carried out. */
  readonly unknowns?: number | undefined;
  /** Whether the last run failed with an error that waiting does not change. */
  readonly wasLasting?: boolean | undefined;
  /** Since when moderation has not decided about a message, in milliseconds since 1970. */
  readonly followedSince?: number | undefined;
  /** When the service did not show the message of a notification for the last time, in milliseconds since 1970. */
  readonly missingAt?: number | undefined;
  /** The pack whose conversation has shown it. */
  readonly shownIn?: string | undefined;
  /** What the steps of a job have returned that are accepted. */
  readonly outputs?: readonly StepOutput[] | undefined;
}

/** What a step of a job has returned. */
export interface StepOutput {
  /** Absent if the service returned nothing. */
  readonly output?: unknown;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** One run of an entry. */
export interface Run {
  /** Aborted when nobody waits for the run any more: it must not write. */
  readonly signal: AbortSignal;
  /** What has been reached. The task keeps it true: it is stored when the run has ended, however it ended. */
  notes: RunNotes;
  /** Ends the run early, such as after its time limit: what it writes from now on is not sent. */
  abort(reason: Error): void;
  /** Stores what has been reached. Resolves once it survives a power cut; to `false` when the lease is lost. */
  note(notes: RunNotes): Promise<boolean>;
}

/** What is done for one lease. It does not know where the lease came from. */
export interface Task {
  /** Does it once. @throws what prevented it: `failed` then decides what follows */
  run(): Promise<Verdict>;
  /** What follows from an error. Does not throw. */
  failed(error: unknown): Verdict;
  /** Whether the user listens to what has become of it. Then what was reached is stored before it is told. */
  isObserved(verdict: Verdict): boolean;
  /**
   * Tells the user what has become of it. The verdict is stored after that, so that a process that is killed meanwhile is
   * followed by one that tells it again. Does not throw.
   */
  tell(verdict: Verdict, error: unknown): Promise<unknown>;
}

/** Makes the task of a lease. */
export type TaskOf = (lease: Lease, run: Run) => Task;

/** The lease ends without a result: another process does it, or this one later. It counts as no attempt. */
export const released: Verdict = { state: 'open', inMs: 0, failed: false };
