import type { endpoints } from '../endpoints.js';
import {
  notActiveItem,
  invalidQuestion,
  notUnansweredQuestion,
  noQuestions,
  questionNotFound,
} from '../resources/questions/errors.js';
import { Reply, forbidden, needBearer, noContent, refuse } from './behaviour.js';
import type { Behaviours, Context } from './behaviour.js';
import type { QuestionDesk, StoredQuestion } from './question-desk.js';
import type { World } from './world.js';

/** How questions behave. */
export function questionBehaviours(
  desk: QuestionDesk,
  { items, accounts, clock }: World,
): Behaviours<typeof endpoints.questions> {
  const shown = (question: StoredQuestion): object => ({
    id: question.id,
    status: desk.statusOf(question),
    text: question.text,
  });
  return {
    search: () => ({ questions: desk.all.map(shown) }),
    get: ({ question_id }) => shown(received(question_id)),
    ask: ({ item_id, text }, context) => {
      const { user_id } = needBearer(context);
      const item = items.get(String(item_id));
      if (!item) throw refuse({ status: 404, code: 'not_found', message: `There is no item ${item_id}` });
      if (item.status !== 'active') throw refuse(notActiveItem);
      if (desk.blockedBy(item.seller_id).has(user_id)) throw forbidden('The seller takes no questions from this user');
      return new Reply(201, shown(desk.add(item, user_id, text)));
    },
    answer: ({ question_id, text }, context) => {
      const question = desk.get(Number(question_id));
      if (!question) throw refuse(invalidQuestion);
      needSeller(question, context);
      if (desk.statusOf(question) !== 'UNANSWERED') throw refuse(notUnansweredQuestion);
      return shown(desk.answer(question.id, text));
    },
    delete: ({ question_id }, context) => {
      desk.delete(needSeller(received(question_id), context).id);
      return ['Question deleted'];
    },
    hide: ({ question_id }, context) => shown(desk.hide(needSeller(received(question_id), context).id)),
    responseTime: () => {
      throw refuse(noQuestions);
    },
    blacklist: {
      add: ({ seller_id, user_id }) => {
        desk.blockedBy(Number(seller_id)).set(accounts.need(Number(user_id)).user_id, clock.ms);
        return noContent;
      },
      list: ({ seller_id }) => ({ users: [...desk.blockedBy(Number(seller_id)).keys()].map((id) => ({ id })) }),
      remove: ({ seller_id, user_id }) => {
        desk.blockedBy(Number(seller_id)).delete(Number(user_id));
        return noContent;
      },
    },
  };

  function received(question_id: number | string): StoredQuestion {
    const question = desk.get(Number(question_id));
    if (!question) throw refuse(questionNotFound);
    return question;
  }
}

/** @throws {Refused} 401 without a token, 403 when it is not the seller's. */
function needSeller(question: StoredQuestion, context: Context): StoredQuestion {
  if (needBearer(context).user_id !== question.seller_id) throw forbidden('The question was asked to another seller');
  return question;
}
