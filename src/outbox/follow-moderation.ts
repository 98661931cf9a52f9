import type { Endpoint } from '../core/operation/endpoint.js';
import { SellerError } from '../core/errors/seller-error.js';
import type { SentMessage } from '../resources/post-sale/message.js';
import { moderationOf, moderationReasonOf } from '../resources/post-sale/moderation.js';
import { takesFiles } from './check-job.js';
import type { JobRun, OutboxClient, StoredStep } from './job.js';
import type { OutboxContext } from './options.js';

/** Why a job does not go on, although its message was sent. */
export type Undecided =
  | { readonly state: 'rejected'; readonly reason: string }
  /** Moderation has not decided: look again in `inMs` milliseconds. */
  | { readonly state: 'pending'; readonly inMs: number }
  /** Moderation has taken so long that a person has to look. */
  | { readonly state: 'overdue'; readonly reason: string };

/** What moderation has decided about a message. */
type Decision = { readonly state: 'accepted'; readonly output: SentMessage | undefined } | Undecided;

/** The first pause before the message is read, and the longest, in milliseconds. */
const firstPauseMs = 2_000;
const longestPauseMs = 300_000;

/** Whether moderation decides about what a step sends. */
export function hasModeration(step: StoredStep): boolean {
  return takesFiles(step) || step.endpoint === 'actionGuide.send';
}

/** Returns what moderation has decided. A later run reads the message. */
export async function followModeration(
  sent: SentMessage | undefined,
  run: JobRun,
  client: OutboxClient,
  context: OutboxContext,
): Promise<Decision> {
  const { followedSince } = run.progress;
  const message = followedSince === undefined ? sent : ((await read(sent, run, client, context)) ?? sent);
  const state = moderationOf(message);
  if (state === 'accepted') return { state, output: message };
  if (state === 'rejected') return { state, reason: moderationReasonOf(message) ?? 'moderation gave no reason' };
  const since = followedSince ?? Date.now();
  run.progress = { ...run.progress, followedSince: since };
  return pending(Math.max(0, Date.now() - since), context.options.moderationTimeoutMs);
}

function pending(ageMs: number, timeoutMs: number): Undecided {
  if (ageMs >= timeoutMs)
    return { state: 'overdue', reason: `Moderation has not decided about the message within ${timeoutMs} ms` };
  const pauseMs = Math.min(Math.max(ageMs / 2, firstPauseMs), longestPauseMs);
  return { state: 'pending', inMs: Math.min(pauseMs, timeoutMs - ageMs) };
}

/** Reads the message. What cannot be read now is read later. */
async function read(
  sent: SentMessage | undefined,
  { progress, signal }: JobRun,
  client: OutboxClient,
  { known }: OutboxContext,
): Promise<SentMessage | undefined> {
  const [write] = progress.writes.slice(-1);
  try {
    if (sent?.id) return await client.messages?.get({ message_id: sent.id }, { signal });
    // The service does not have to return the message that it stores.
    const endpoint = known.get(write?.target.split(' ', 1)[0] ?? '') as Endpoint<unknown, SentMessage | undefined>;
    const found = write && (await client.confirm?.(endpoint, write.input, { sentAt: write.sentAt, signal }));
    return found?.done ? found.output : undefined;
  } catch (error) {
    if (error instanceof SellerError) return undefined;
    throw error;
  }
}
