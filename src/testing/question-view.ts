import type { Question } from '../resources/questions/schemas.js';
import type { QuestionDesk, StoredQuestion } from './question-desk.js';
import { localInstant } from './sites.js';
import type { World } from './world.js';

/** A question as a search delivers it. */
export function shownInList(question: StoredQuestion, desk: QuestionDesk, { accounts }: World): Question {
  const { id, seller_id, item_id, from, removed, answer } = question;
  const { site_id } = accounts.need(seller_id);
  return {
    id,
    seller_id,
    item_id,
    // What was deleted or banned is no longer told.
    text: removed ? '' : question.text,
    status: desk.statusOf(question),
    date_created: localInstant(question.askedAt, site_id),
    from: { id: from, answered_questions: desk.answeredOf(from, seller_id) },
    answer: answer
      ? {
          text: removed ? '' : answer.text,
          status: answer.status,
          date_created: localInstant(answer.answeredAt, site_id),
        }
      : null,
  };
}

/** A question right after it was asked. */
export function shownWhenAsked(question: StoredQuestion, desk: QuestionDesk, world: World): Question {
  return {
    ...shownInList(question, desk, world),
    deleted_from_listing: question.removed !== undefined || question.hidden === true,
  };
}

/** A question read by its id. */
export function shownInFull(question: StoredQuestion, desk: QuestionDesk, world: World): Question {
  return { ...shownWhenAsked(question, desk, world), hold: desk.statusOf(question) === 'UNDER_REVIEW' };
}
