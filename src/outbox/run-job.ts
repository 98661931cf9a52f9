import { ApiError } from '../core/errors/response-errors.js';
import { SellerError } from '../core/errors/seller-error.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import { endpointOf, insideOf, runWithWrites } from '../core/recover/write-hook.js';
import type { ChannelMessageParams, UploadedAttachment } from '../resources/messages/schemas.js';
import type { SentMessage } from '../resources/post-sale/message.js';
import { moderationOf, moderationReasonOf } from '../resources/post-sale/moderation.js';
import { isLastingError, verdictOf, whilePending } from '../work/policy.js';
import { LayoutError, type Lease, type Run, type StepOutput, type Task, type Verdict } from '../work/store.js';
import { RunWrites } from '../work/writes.js';
import { contactName, isUpload, takesFiles } from './check-job.js';
import { beginsAt } from './open-outbox.js';
import type { OutboxClient, StoredJob, StoredStep, OutboxContext } from './options.js';

/** What a worker does with a job: its steps, what follows from them, and who is told. */
export function jobTask(lease: Lease, run: Run, context: OutboxContext): Task {
  const { options, observer } = context;
  const entry = lease.data as StoredJob;
  const attempt = lease.failures + 1;
  return {
    run: () => runJob(entry, run, context, lease.leasedAt),
    failed: (error) => {
      const { failures } = lease;
      const { retry, leaseMs } = options;
      return verdictOf(error, { failures, notes: run.notes, retry, leaseMs, isFinal });
    },
    isObserved: (verdict) => observer.listensTo(verdict),
    tell: (verdict, error) => {
      const outputs = (run.notes.outputs ?? []).map(({ output }) => output);
      return observer.tell(`Job ${entry.key}`, { entry, attempt, outputs }, verdict, error);
    },
  };
}

/** Of the errors of a request, these may pass without a change of it. */
const passing = new Set([401, 408, 409, 423, 425, 429]);

/** Whether a person has to look: a job is sent as it was added, so nothing changes what the service rejects. */
function isFinal(error: unknown): boolean {
  return isLastingError(error) || (error instanceof ApiError && error.status < 500 && !passing.has(error.status));
}

/** When a job is due again that is another service's, in milliseconds. */
const leftMs = 10_000;
/** The service deletes a file after 48 hours that no message uses. */
const filesLastMs = 24 * 3_600_000;

/** Does the steps of a job that are not done, and says what follows. @throws what a call throws, and the errors of writes of earlier runs */
export async function runJob(
  entry: StoredJob,
  run: Run,
  context: OutboxContext,
  leasedAt = Date.now(),
): Promise<Verdict> {
  // It was made due by hand, or leased by a process whose clock was ahead and that was killed.
  const begins = beginsAt(entry);
  if (begins > leasedAt) return later(begins - leasedAt);
  const client = await context.options.clientFor(entry.user_id);
  // It may be back later: the next deploy may have it.
  if (!client) throw new Error(`clientFor returned no client for the user ${entry.user_id}`);
  try {
    await context.service?.see(client, entry.user_id);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    void context.log.writeRarely(`The job ${entry.key} is left to others`, error);
    return later(leftMs);
  }
  const { aheadMs = 0 } = insideOf(client) ?? {};
  const earlyMs = begins + aheadMs - Date.now();
  if (aheadMs > 0 && earlyMs > 0) return later(earlyMs);
  const job: JobRun = { entry, run, client, context };
  forgetOldFiles(job);
  for (;;) {
    const step = entry.steps[outputsOf(job).length];
    if (!step) return ended('accepted', job);
    const stopped = await runStep(step, job);
    if (stopped) return stopped;
  }
}

/** It may not begin yet. */
function later(inMs: number): Verdict {
  return { state: 'open', inMs, failed: false };
}

function ended(state: 'accepted' | 'rejected', { run, context }: JobRun): Verdict {
  return { state, inMs: context.options.keep.keysMs, failed: false, notes: run.notes, keepsData: true };
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

/** Does one step. Returns what follows if that ends the run. */
async function runStep(step: StoredStep, job: JobRun): Promise<Verdict | undefined> {
  const { run, entry } = job;
  let output = await sendStep(step, job);
  if (hasModeration(step)) {
    const { message, verdict } = await followModeration(output as SentMessage | undefined, job);
    if (verdict) return verdict;
    output = message;
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
    failed: (message, error) => void context.log.writeRarely(message, error),
    signal,
  });
  const input = inputOf(step, job);
  const call = async (hooked: OutboxClient, name: string, given: unknown): Promise<unknown> => {
    const endpoint = context.known.get(name);
    if (!endpoint) throw new Error(`There is no endpoint ${name}: name it in \`endpoints\` of createOutbox`);
    return hooked.call(endpoint, given, { signal });
  };
  // Through which channel an earlier run has sent: today another one may be open.
  const earlier = writes.find(({ state }) => state !== 'rejected');
  const send = async (hooked: OutboxClient): Promise<unknown> => {
    if (step.endpoint !== contactName) return call(hooked, step.endpoint, input);
    if (earlier) return call(hooked, endpointOf(earlier), earlier.input);
    return (await hooked.messages?.contact(input as ChannelMessageParams, { signal }))?.message;
  };
  try {
    return await runWithWrites(kept.records, client, send);
  } finally {
    run.notes = { ...notes, writes: await kept.end() };
  }
}

/** The input of the step that is next, with the files that the steps before have uploaded. */
function inputOf(step: StoredStep, job: JobRun): unknown {
  const outputs = outputsOf(job);
  const files = takesFiles(step) ? filesBefore(job.entry, outputs.length) : [];
  if (files.length === 0) return step.input;
  const ids = files.map((index) => (outputs[index]?.output as UploadedAttachment).id);
  const given = (step.input.attachments ?? []) as readonly unknown[];
  return { ...step.input, attachments: [...given, ...ids] };
}

/** Which steps have uploaded the files of the step with this index: those since the last message. */
function filesBefore({ steps }: StoredJob, index: number): readonly number[] {
  const earlier = steps.slice(0, index);
  const since = earlier.findLastIndex(takesFiles) + 1;
  return earlier.flatMap((step, at) => (at >= since && isUpload(step) ? at : []));
}

/** One attempt to do a job. */
export interface JobRun {
  readonly entry: StoredJob;
  readonly run: Run;
  readonly client: OutboxClient;
  readonly context: OutboxContext;
}

/** Whether moderation decides about what a step sends. */
export function hasModeration(step: StoredStep): boolean {
  return takesFiles(step) || step.endpoint === 'actionGuide.send';
}

/** Returns the message, which a later run reads again, and what follows unless moderation has accepted it. */
export async function followModeration(
  sent: SentMessage | undefined,
  job: JobRun,
): Promise<{ readonly message: SentMessage | undefined; readonly verdict?: Verdict }> {
  const { run } = job;
  const message = run.notes.followedSince === undefined ? sent : ((await read(sent, job)) ?? sent);
  const state = moderationOf(message);
  if (state === 'accepted') return { message };
  if (state === 'pending') return { message, verdict: whilePending(run) };
  const failure = moderationReasonOf(message) ?? 'moderation gave no reason';
  return { message, verdict: { ...ended(state, job), failure } };
}

/** Reads the message. What cannot be read now is read later. */
async function read(sent: SentMessage | undefined, { run, client, context }: JobRun): Promise<SentMessage | undefined> {
  const { signal } = run;
  const [write] = (run.notes.writes ?? []).slice(-1);
  try {
    if (sent?.id) return await client.messages?.get({ message_id: sent.id }, { signal });
    // The service does not have to return the message that it stores.
    const endpoint = context.known.get(write ? endpointOf(write) : '') as Endpoint<unknown, SentMessage | undefined>;
    const found = write && (await client.confirm?.(endpoint, write.input, { sentAt: write.sentAt, signal }));
    return found?.done ? found.output : undefined;
  } catch (error) {
    if (error instanceof SellerError) return undefined;
    throw error;
  }
}
