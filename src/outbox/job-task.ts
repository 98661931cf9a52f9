import { ApiError } from '../core/errors/response-errors.js';
import { isLastingError } from '../work/failures.js';
import { verdictOf } from '../work/policy.js';
import type { Lease, Verdict } from '../work/store.js';
import type { Run, Task } from '../work/task.js';
import type { StoredJob } from './job.js';
import type { OutboxContext } from './options.js';
import { runJob } from './run-job.js';
import type { JobResult } from './run-job.js';

/** What a worker does with a job: its steps, what follows from them, and who is told. */
export function jobTask(lease: Lease, run: Run, context: OutboxContext): Task {
  const { options, log } = context;
  const entry = lease.data as StoredJob;
  const attempt = lease.failures + 1;
  return {
    run: async () => verdictOfResult(await runJob(entry, run, context), run, options.keep.keysMs),
    failed: (error) => {
      const { failures } = lease;
      const { retry, leaseMs } = options;
      return verdictOf(error, { failures, notes: run.notes, retry, leaseMs, isFinal });
    },
    isObserved: ({ state, failed }) =>
      (state === 'accepted' && options.onSuccess !== undefined) ||
      (state === 'rejected' && options.onRejection !== undefined) ||
      (failed && options.onFailure !== undefined),
    tell: async ({ state, failed, failure: reason = '' }, error) => {
      if (state === 'accepted') {
        const outputs = (run.notes.outputs ?? []).map(({ output }) => output);
        await log.observe('onSuccess', () => options.onSuccess?.({ entry, outputs, attempt }));
      } else if (state === 'rejected') {
        if (options.logger || !options.onRejection)
          void log.write('warn', `Job ${entry.key}: moderation rejected the message (${reason})`);
        await log.observe('onRejection', () => options.onRejection?.({ entry, reason }));
      } else if (failed) {
        const dead = state === 'dead';
        const message = `Job ${entry.key} failed at attempt ${attempt}; ${dead ? 'it is a dead letter now' : 'it will be retried'}: ${reason}`;
        if (options.logger || !options.onFailure) void log.write(dead ? 'error' : 'warn', message);
        const failure = { entry, error: error ?? new Error(reason), attempt, dead };
        await log.observe('onFailure', () => options.onFailure?.(failure));
      }
    },
  };
}

/** Decides what follows from how far a job came. */
function verdictOfResult(result: JobResult, { notes }: Run, inMs: number): Verdict {
  switch (result.state) {
    case 'pending':
      return { state: 'open', inMs: result.inMs, failed: false, notes };
    case 'overdue': {
      // If a person has it sent again, its message is followed as long again.
      const { followedSince: _, ...left } = notes;
      return { state: 'dead', inMs: Infinity, failed: true, failure: result.reason, notes: left, keepsData: true };
    }
    case 'rejected':
      return { state: 'rejected', inMs, failed: false, failure: result.reason, notes, keepsData: true };
    case 'accepted':
      return { state: 'accepted', inMs, failed: false, notes, keepsData: true };
  }
}

/** Of the errors of a request, these may pass without a change of it. */
const passing = new Set([401, 408, 409, 423, 425, 429]);

/** Whether a person has to look: a job is sent as it was added, so nothing changes what the service rejects. */
function isFinal(error: unknown): boolean {
  return isLastingError(error) || (error instanceof ApiError && error.status < 500 && !passing.has(error.status));
}
