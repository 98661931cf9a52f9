import { EarlierWriteUnknownError } from '../core/errors/errors.js';
import { withWriteHook } from '../core/recover/write-hook.js';
import { runWithWrites } from '../work/write-scope.js';
import type { ContactParams, StoredAttachment } from '../resources/messages/schemas.js';
import type { SentMessage } from '../resources/post-sale/message.js';
import { RunWrites } from '../work/run-writes.js';
import { contactName, isUpload, takesFiles } from './check-job.js';
import { followModeration, hasModeration } from './follow-moderation.js';
import type { Undecided } from './follow-moderation.js';
import type { JobRun, OutboxClient, StoredJob, StoredStep } from './job.js';
import type { OutboxContext } from './options.js';

/** How far a job came. */
export type JobResult = { readonly state: 'accepted' } | Undecided;

/** The service deletes a file after 48 hours that no message uses. */
const filesLastMs = 24 * 3_600_000;

/** Does the steps of a job that are not done. @throws what a call throws, and the errors of writes of earlier runs */
export async function runJob(run: JobRun, context: OutboxContext): Promise<JobResult> {
  const { user_id, steps } = run.entry;
  const client = await context.options.clientFor(user_id);
  // Neither is permanent: the next deploy may have it.
  if (!client) throw new Error(`clientFor returned no client for the user ${user_id}`);
  forgetOldFiles(run);
  for (;;) {
    const step = steps[run.progress.outputs.length];
    if (!step) return { state: 'accepted' };
    const stopped = await runStep(step, run, client, context);
    if (stopped) return stopped;
  }
}

/** A file that the service may have deleted is uploaded again, unless a message with it may have been sent. */
function forgetOldFiles(run: JobRun): void {
  const { outputs, writes } = run.progress;
  const [first] = filesBefore(run.entry, outputs.length);
  const mayBeSent = writes.some(({ state }) => state !== 'rejected');
  if (first === undefined || mayBeSent || Date.now() - (outputs[first]?.at ?? 0) < filesLastMs) return;
  run.progress = { outputs: outputs.slice(0, first), writes: [] };
}

/** Does one step. Returns what ends the run. */
async function runStep(
  step: StoredStep,
  run: JobRun,
  client: OutboxClient,
  context: OutboxContext,
): Promise<Undecided | undefined> {
  let output = await sendStep(step, run, client, context);
  if (hasModeration(step)) {
    const decision = await followModeration(output as SentMessage | undefined, run, client, context);
    if (decision.state !== 'accepted') return decision;
    ({ output } = decision);
  }
  const done = { ...(output !== undefined && { output }), at: Date.now() };
  run.progress = { outputs: [...run.progress.outputs, done], writes: [] };
  const isLast = run.progress.outputs.length === run.entry.steps.length;
  if (!isLast && !(await run.note(run.progress))) throw new Error('Another process has taken over');
  return undefined;
}

/** Sends a step, or returns what an earlier run of it returned. */
async function sendStep(
  step: StoredStep,
  run: JobRun,
  client: OutboxClient,
  { store, log, known }: OutboxContext,
): Promise<unknown> {
  const { progress, signal } = run;
  let { unknowns = 0 } = progress;
  const kept = new RunWrites({
    writes: progress.writes,
    note: (writes) => run.note({ ...progress, writes }),
    ledger: store.ledger,
    failed: (message, error) => void log.write('error', message, error),
    signal,
  });
  const hooked = withWriteHook(client, kept.records);
  const input = inputOf(step, run);
  const call = async (name: string, given: unknown): Promise<unknown> => {
    const endpoint = known.get(name);
    if (!endpoint) throw new Error(`There is no endpoint ${name}: name it in \`endpoints\` of createOutbox`);
    return hooked.call(endpoint, given, { signal });
  };
  // Through which channel an earlier run has sent: today another one may be open.
  const earlier = progress.writes.find(({ state }) => state !== 'rejected');
  const send = async (): Promise<unknown> => {
    if (step.endpoint !== contactName) return call(step.endpoint, input);
    if (earlier) return call(earlier.target.split(' ', 1)[0] ?? '', earlier.input);
    return (await hooked.messages?.contact(input as ContactParams, { signal }))?.message;
  };
  try {
    return await runWithWrites(kept.records, send);
  } catch (error) {
    if (error instanceof EarlierWriteUnknownError) unknowns += 1;
    throw error;
  } finally {
    run.progress = { ...progress, writes: await kept.end(), ...(unknowns > 0 && { unknowns }) };
  }
}

/** The input of the step that is next, with the files that the steps before have uploaded. */
function inputOf(step: StoredStep, { entry, progress }: JobRun): unknown {
  const files = takesFiles(step) ? filesBefore(entry, progress.outputs.length) : [];
  if (files.length === 0) return step.input;
  const ids = files.map((index) => (progress.outputs[index]?.output as StoredAttachment).id);
  const given = (step.input.attachments ?? []) as readonly unknown[];
  return { ...step.input, attachments: [...given, ...ids] };
}

/** Which steps have uploaded the files of the step with this index: those since the last message. */
function filesBefore({ steps }: StoredJob, index: number): readonly number[] {
  const earlier = steps.slice(0, index);
  const since = earlier.findLastIndex(takesFiles) + 1;
  return earlier.flatMap((step, at) => (at >= since && isUpload(step) ? at : []));
}
