import { withWriteHook } from '../core/recover/write-hook.js';
import type { ContactParams, StoredAttachment } from '../resources/messages/schemas.js';
import type { SentMessage } from '../resources/post-sale/message.js';
import { RunWrites } from '../work/run-writes.js';
import type { Run, StepOutput } from '../work/task.js';
import { runWithWrites } from '../work/write-scope.js';
import { contactName, isUpload, takesFiles } from './check-job.js';
import { followModeration, hasModeration } from './follow-moderation.js';
import type { Undecided } from './follow-moderation.js';
import type { StoredJob, StoredStep } from './job.js';
import type { JobRun } from './job-run.js';
import type { OutboxContext } from './options.js';

/** How far a job came. */
export type JobResult = { readonly state: 'accepted' } | Undecided;

/** The service deletes a file after 48 hours that no message uses. */
const filesLastMs = 24 * 3_600_000;

/** Does the steps of a job that are not done. @throws what a call throws, and the errors of writes of earlier runs */
export async function runJob(entry: StoredJob, run: Run, context: OutboxContext): Promise<JobResult> {
  const client = await context.options.clientFor(entry.user_id);
  // It may be back later: the next deploy may have it.
  if (!client) throw new Error(`clientFor returned no client for the user ${entry.user_id}`);
  const job: JobRun = { entry, run, client, context };
  forgetOldFiles(job);
  for (;;) {
    const step = entry.steps[outputsOf(job).length];
    if (!step) return { state: 'accepted' };
    const stopped = await runStep(step, job);
    if (stopped) return stopped;
  }
}

function outputsOf({ run }: Pick<JobRun, 'run'>): readonly StepOutput[] {
  return run.notes.outputs ?? [];
}

/** A file that the service may have deleted is uploaded again, unless a message with it may have been sent. */
function forgetOldFiles(job: JobRun): void {
  const { run, entry } = job;
  const outputs = outputsOf(job);
  const [first] = filesBefore(entry, outputs.length);
  const mayBeSent = (run.notes.writes ?? []).some(({ state }) => state !== 'rejected');
  if (first === undefined || mayBeSent || Date.now() - (outputs[first]?.at ?? 0) < filesLastMs) return;
  run.notes = { outputs: outputs.slice(0, first) };
}

/** Does one step. Returns what ends the run. */
async function runStep(step: StoredStep, job: JobRun): Promise<Undecided | undefined> {
  const { run, entry } = job;
  let output = await sendStep(step, job);
  if (hasModeration(step)) {
    const decision = await followModeration(output as SentMessage | undefined, job);
    if (decision.state !== 'accepted') return decision;
    ({ output } = decision);
  }
  const done = { ...(output !== undefined && { output }), at: Date.now() };
  run.notes = { outputs: [...outputsOf(job), done] };
  const isLast = outputsOf(job).length === entry.steps.length;
  if (!isLast && !(await run.note(run.notes))) throw new Error('Another process has taken over');
  return undefined;
}

/** Sends a step, or returns what an earlier run of it returned. */
async function sendStep(step: StoredStep, job: JobRun): Promise<unknown> {
  const { run, client, context } = job;
  const { writes = [], ...notes } = run.notes;
  const { signal } = run;
  const kept = new RunWrites({
    writes,
    note: (noted) => run.note({ ...notes, writes: noted }),
    ledger: context.store.ledger,
    failed: (message, error) => void context.log.write('error', message, error),
    signal,
  });
  const hooked = withWriteHook(client, kept.records);
  const input = inputOf(step, job);
  const call = async (name: string, given: unknown): Promise<unknown> => {
    const endpoint = context.known.get(name);
    if (!endpoint) throw new Error(`There is no endpoint ${name}: name it in \`endpoints\` of createOutbox`);
    return hooked.call(endpoint, given, { signal });
  };
  // Through which channel an earlier run has sent: today another one may be open.
  const earlier = writes.find(({ state }) => state !== 'rejected');
  const send = async (): Promise<unknown> => {
    if (step.endpoint !== contactName) return call(step.endpoint, input);
    if (earlier) return call(earlier.target.split(' ', 1)[0] ?? '', earlier.input);
    return (await hooked.messages?.contact(input as ContactParams, { signal }))?.message;
  };
  try {
    return await runWithWrites(kept.records, send);
  } finally {
    run.notes = { ...notes, writes: await kept.end() };
  }
}

/** The input of the step that is next, with the files that the steps before have uploaded. */
function inputOf(step: StoredStep, job: JobRun): unknown {
  const outputs = outputsOf(job);
  const files = takesFiles(step) ? filesBefore(job.entry, outputs.length) : [];
  if (files.length === 0) return step.input;
  const ids = files.map((index) => (outputs[index]?.output as StoredAttachment).id);
  const given = (step.input.attachments ?? []) as readonly unknown[];
  return { ...step.input, attachments: [...given, ...ids] };
}

/** Which steps have uploaded the files of the step with this index: those since the last message. */
function filesBefore({ steps }: StoredJob, index: number): readonly number[] {
  const earlier = steps.slice(0, index);
  const since = earlier.findLastIndex(takesFiles) + 1;
  return earlier.flatMap((step, at) => (at >= since && isUpload(step) ? at : []));
}
