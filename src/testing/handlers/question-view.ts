import type { Question } from '../../resources/questions/schemas.js';
import type { QuestionStore, StoredQuestion } from '../state/questions.js';
import { localInstant } from '../local-time.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

/** A question as a search delivers it. */
export function toListView(question: StoredQuestion, desk: QuestionStore, { accounts }: MarketplaceState): Question {
  const { id, seller_id, item_id, from, removed, answer } = question;
  const { site_id } = accounts.getOrThrow(seller_id);
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
export function toAskedView(question: StoredQuestion, desk: QuestionStore, world: MarketplaceState): Question {
  return {
    ...toListView(question, desk, world),
    deleted_from_listing: question.removed !== undefined || question.hidden === true,
  };
}

/** A question read by its id. */
export function toQuestionView(question: StoredQuestion, desk: QuestionStore, world: MarketplaceState): Question {
  return { ...toAskedView(question, desk, world), hold: desk.statusOf(question) === 'UNDER_REVIEW' };
}
