import type { Question } from '../../resources/questions/schemas.js';
import type { StoredQuestion } from '../state/questions.js';
import { localInstant } from '../local-time.js';
import type { Stores } from '../state/stores.js';

/** Serializes a question as part of a search result; the live service adds more fields. */
export function toHitView(question: StoredQuestion, stores: Stores): Question {
  return stores.settings.liveFields ? toQuestionView(question, stores) : toListView(question, stores);
}

/** Serializes a question as part of a search result. */
function toListView(question: StoredQuestion, { accounts, questions }: Stores): Question {
  const { id, seller_id, item_id, from, removed, answer } = question;
  const { site_id } = accounts.getOrThrow(seller_id);
  return {
    id,
    seller_id,
    item_id,
    // The text of a deleted or banned question is empty. Wire notes 4.
    text: removed ? '' : question.text,
    status: questions.statusOf(question),
    date_created: localInstant(question.askedAt, site_id),
    from: { id: from, answered_questions: questions.answeredCount(from, seller_id) },
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
export function toAskedView(question: StoredQuestion, stores: Stores): Question {
  const { deleted_from_listing } = stores.questions.marksOf(question);
  const live = stores.settings.liveFields && { buyer_id: question.from, tags: [] };
  return { ...toListView(question, stores), deleted_from_listing, ...live };
}

/** Serializes a question read by id. */
export function toQuestionView(question: StoredQuestion, stores: Stores): Question {
  return { ...toAskedView(question, stores), hold: stores.questions.marksOf(question).hold };
}
