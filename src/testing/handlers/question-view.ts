import type { Question } from '../../resources/questions/schemas.js';
import type { QuestionStore, StoredQuestion } from '../state/questions.js';
import { localInstant } from '../local-time.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

/** Serializes a question as part of a search result; the live service adds more fields. */
export function toHitView(question: StoredQuestion, store: QuestionStore, state: MarketplaceState): Question {
  return state.settings.liveFields
    ? ({ ...toQuestionView(question, store, state), tags: [] } as Question)
    : toListView(question, store, state);
}

/** Serializes a question as part of a search result. */
function toListView(question: StoredQuestion, store: QuestionStore, { accounts }: MarketplaceState): Question {
  const { id, seller_id, item_id, from, removed, answer } = question;
  const { site_id } = accounts.getOrThrow(seller_id);
  return {
    id,
    seller_id,
    item_id,
    // The text of a deleted or banned question is empty. Wire notes 4.
    text: removed ? '' : question.text,
    status: store.statusOf(question),
    date_created: localInstant(question.askedAt, site_id),
    from: { id: from, answered_questions: store.answeredCount(from, seller_id) },
    answer: answer
      ? {
          text: removed ? '' : answer.text,
          status: answer.status,
          date_created: localInstant(answer.answeredAt, site_id),
        }
      : null,
  };
}

/** Serializes a question that was just asked. */
export function toAskedView(question: StoredQuestion, store: QuestionStore, state: MarketplaceState): Question {
  return {
    ...toListView(question, store, state),
    deleted_from_listing: question.removed !== undefined || question.hidden === true,
  };
}

/** Serializes a question read by id. */
export function toQuestionView(question: StoredQuestion, store: QuestionStore, state: MarketplaceState): Question {
  return { ...toAskedView(question, store, state), hold: store.statusOf(question) === 'UNDER_REVIEW' };
}
