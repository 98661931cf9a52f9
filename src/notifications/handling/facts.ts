import type { Verdict } from '../../work/store.js';
import type { InboxEntry } from '../entry.js';
import { messageRememberedMs } from './unread.js';

type ResourceFact = NonNullable<Verdict['fact']>;

/** How long it is kept that a notification or a question was handled, in milliseconds. */
export const handledMs = 86_400_000;
/** How long `catchUp` leaves a question or message to the person who has its dead letter, in milliseconds. */
const givenUpMs = 14 * 86_400_000;

const handled = 'handled';
/** A handler has written something about a message, or may have. */
const answered = 'answered';
/** `catchUp` found it, and its handler began to read it at this time: what arrived before is handled with it. */
const caughtUp = 'caught up ';
/** A person has it, as the entry with this key. */
const givenUp = 'given up ';

/** What it came to that an entry was handled. */
export function doneFact(
  entry: InboxEntry,
  { hasWritten, readAt }: { hasWritten: boolean; readAt: number },
): ResourceFact {
  const isMessage = entry.notification.topic === 'messages';
  const value = isMessage && hasWritten ? answered : entry.caughtUp ? `${caughtUp}${readAt}` : handled;
  return { value, ms: isMessage ? messageRememberedMs : handledMs };
}

/** What it came to that an entry was given up. */
export function givenUpFact({ key }: InboxEntry): ResourceFact {
  return { value: `${givenUp}${key}`, ms: givenUpMs };
}

/**
 * Whether nothing is left to do about an entry. A message that a handler has answered is not answered again, whatever else the
 * service has to say about it; nor is one that a person has as another entry.
 */
export function isSettled({ key, notification, arrivedAt, caughtUp: wasFound }: InboxEntry, fact?: string): boolean {
  if (fact === undefined || fact === `${givenUp}${key}`) return false;
  if (wasFound || fact === answered) return true;
  if (fact.startsWith(caughtUp)) return arrivedAt < Number(fact.slice(caughtUp.length));
  return notification.topic === 'messages' && fact.startsWith(givenUp);
}
