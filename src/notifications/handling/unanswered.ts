import { millisecondsOf } from '../../core/schema/dates.js';
import type { Question } from '../../resources/questions/schemas.js';
import type { NotificationClient } from './read-notification.js';

/** Notifications about a question that are sent so long after it was asked announce it, in milliseconds. */
const announcedWithinMs = 60_000;

/** An unanswered question, and until when what is sent about it is no news. */
export interface UnansweredQuestion {
  readonly question_id: number;
  /** In milliseconds since 1970. */
  readonly foundAt: number;
}

/** The unanswered questions to a seller, the newest first. */
export async function* unansweredQuestions(
  client: NotificationClient,
  seller_id: number,
): AsyncGenerator<readonly UnansweredQuestion[]> {
  const filters = { status: 'UNANSWERED' } as const;
  const search = client.questions.search({ seller_id, sort_fields: ['date_created'], sort_types: ['DESC'], filters });
  for await (const { items } of search.pages()) {
    // The specification does not name the filters, so the service may ignore one.
    yield items.filter((question) => question.status?.toUpperCase() === 'UNANSWERED').map(found);
  }
}

function found({ id, date_created }: Question): UnansweredQuestion {
  const announcedAt = date_created ? millisecondsOf(date_created) + announcedWithinMs : 0;
  return { question_id: id, foundAt: Math.max(Date.now(), announcedAt || 0) };
}
