import type { Run } from '../work/task.js';
import type { OutboxClient, StoredJob } from './job.js';
import type { OutboxContext } from './options.js';

/** One attempt to do a job. */
export interface JobRun {
  readonly entry: StoredJob;
  readonly run: Run;
  readonly client: OutboxClient;
  readonly context: OutboxContext;
}
