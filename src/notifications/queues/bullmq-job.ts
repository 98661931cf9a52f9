import type { WriteRecord } from '../../core/recover/write-hook.js';
import type { LastFailure } from '../handling/outcome.js';
import type { QueuedNotification } from '../queued-notification.js';

/** What a job of `bullmqQueue` holds. */
export interface BullMQJobData extends QueuedNotification {
  /** The last error, if it was permanent. */
  readonly lastFailure?: LastFailure | undefined;
  /** The writes of its handler. An entry that has them has version 2. */
  readonly writes?: readonly WriteRecord[] | undefined;
}

/** The id of the job of an entry. BullMQ takes no number for an id, and hexadecimal digits may be one. */
export function jobIdOf(key: string): string {
  return `n-${key}`;
}
