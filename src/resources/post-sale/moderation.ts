import { isWord } from '../fields.js';
import { currentShape } from './legacy.js';
import type { ModerationReason, SentMessage } from './message.js';

/** What moderation has decided about a message. Only a message that is `accepted` reaches its receiver. */
export type ModerationResult = 'accepted' | 'pending' | 'rejected';

/**
 * Returns what moderation has decided about a message. The service reports each of the three with HTTP 200.
 *
 * - `accepted`: the receiver sees the message.
 * - `rejected`: the receiver will never see it; `moderationReasonOf` says why.
 * - `pending`: not decided yet, or the response does not say. Read the message again later.
 *
 * @example
 * const message = await seller.actionGuide.send({ pack_id, option_id: 'OTHER', text: 'Thank you!' });
 * if (moderationOf(message) === 'rejected') console.log(moderationReasonOf(message));
 */
export function moderationOf(delivered: SentMessage | null | undefined): ModerationResult {
  const { status, message_moderation: moderation } = read(delivered);
  if (isOneOf([status, moderation?.status], ['moderated', 'rejected'])) return 'rejected';
  const isAvailable = isWord(status, 'available');
  if (moderation === null || moderation === undefined) return isAvailable ? 'accepted' : 'pending';
  // A message that is translated, or still judged, may have a clean moderation before it is available.
  const mayBeSeen = isAvailable || status === undefined || status === null;
  return mayBeSeen && isOneOf([moderation.status], ['clean', 'non_moderated']) ? 'accepted' : 'pending';
}

/**
 * Returns why moderation rejected a message; `undefined` if it was not rejected, or if the service gave no reason.
 *
 * @example
 * const message = await seller.actionGuide.send({ pack_id, option_id: 'OTHER', text: 'Thank you!' });
 * if (moderationReasonOf(message)?.toUpperCase() === 'PERSONAL_DATA') console.log('Leave out the phone number');
 */
export function moderationReasonOf(delivered: SentMessage | null | undefined): ModerationReason | undefined {
  if (moderationOf(delivered) !== 'rejected') return undefined;
  return read(delivered).message_moderation?.reason ?? undefined;
}

/** Also the raw body of a response: a stored message, or a status alone. */
function read(delivered: unknown): SentMessage {
  if (typeof delivered === 'string') return { status: delivered };
  const message = currentShape(delivered);
  return typeof message === 'object' && message !== null ? message : {};
}

function isOneOf(values: readonly unknown[], words: readonly string[]): boolean {
  return values.some((value) => words.some((word) => isWord(value, word)));
}
