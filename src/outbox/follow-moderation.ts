import type { Endpoint } from '../core/operation/endpoint.js';
import { SellerError } from '../core/errors/seller-error.js';
import type { SentMessage } from '../resources/post-sale/message.js';
import { moderationOf, moderationReasonOf } from '../resources/post-sale/moderation.js';
import { moderationPauseMs, overdue } from '../work/moderation-pause.js';
import { takesFiles } from './check-job.js';
import type { StoredStep } from './job.js';
import type { JobRun } from './job-run.js';

/** Why a job does not go on, although its message was sent. */
export type Undecided =
  | { readonly state: 'rejected'; readonly reason: string }
  /** Moderation has not decided: look again in `inMs` milliseconds. */
  | { readonly state: 'pending'; readonly inMs: number }
  /** Moderation has taken so long that a person has to look. */
  | { readonly state: 'overdue'; readonly reason: string };

/** What moderation has decided about a message. */
type Decision = { readonly state: 'accepted'; readonly output: SentMessage | undefined } | Undecided;

/** Whether moderation decides about what a step sends. */
export function hasModeration(step: StoredStep): boolean {
  return takesFiles(step) || step.endpoint === 'actionGuide.send';
}

/** Returns what moderation has decided. A later run reads the message. */
export async function followModeration(sent: SentMessage | undefined, job: JobRun): Promise<Decision> {
  const { run } = job;
  const { followedSince } = run.notes;
  const message = followedSince === undefined ? sent : ((await read(sent, job)) ?? sent);
  const state = moderationOf(message);
  if (state === 'accepted') return { state, output: message };
  if (state === 'rejected') return { state, reason: moderationReasonOf(message) ?? 'moderation gave no reason' };
  const since = followedSince ?? Date.now();
  run.notes = { ...run.notes, followedSince: since };
  const inMs = moderationPauseMs(since);
  return inMs === undefined ? { state: 'overdue', reason: overdue } : { state: 'pending', inMs };
}

/** Reads the message. What cannot be read now is read later. */
async function read(sent: SentMessage | undefined, { run, client, context }: JobRun): Promise<SentMessage | undefined> {
  const { signal } = run;
  const [write] = (run.notes.writes ?? []).slice(-1);
  try {
    if (sent?.id) return await client.messages?.get({ message_id: sent.id }, { signal });
    // The service does not have to return the message that it stores.
    const name = write?.target.split(' ', 1)[0] ?? '';
    const endpoint = context.known.get(name) as Endpoint<unknown, SentMessage | undefined>;
    const found = write && (await client.confirm?.(endpoint, write.input, { sentAt: write.sentAt, signal }));
    return found?.done ? found.output : undefined;
  } catch (error) {
    if (error instanceof SellerError) return undefined;
    throw error;
  }
}
