import { isAnswerable } from '../../resources/questions/question-facts.js';
import type { NotificationClient } from './read-notification.js';

/** The ids of the questions to a seller that take an answer, the newest first, page by page. */
export async function* unansweredQuestions(
  client: NotificationClient,
  seller_id: number,
): AsyncGenerator<readonly number[]> {
  const filters = { status: 'UNANSWERED' } as const;
  const search = client.questions.search({ seller_id, sort_fields: ['date_created'], sort_types: ['DESC'], filters });
  for await (const { items } of search.pages()) {
    // The specification does not name the filters, so the service may ignore one.
    yield items.filter(isAnswerable).map(({ id }) => id);
  }
}
