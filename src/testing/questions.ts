import type { endpoints } from '../endpoints.js';
import {
  invalidPostBody,
  invalidQuestion,
  noQuestions,
  notActiveItem,
  notUnansweredQuestion,
  questionNotFound,
} from '../resources/questions/errors.js';
import { Reply, forbidden, needBearer, noContent, refuse } from './behaviour.js';
import type { Behaviours, Context, Manners, Refused } from './behaviour.js';
import { pageOf } from './conventions.js';
import type { Item } from './items.js';
import type { QuestionDesk, StoredQuestion } from './question-desk.js';
import { findQuestions, searchOffers } from './question-search.js';
import { shownInFull, shownInList, shownWhenAsked } from './question-view.js';
import { ResponseTimes } from './response-time.js';
import { localInstant } from './sites.js';
import type { World } from './world.js';

/** The service gives no larger page, whatever is asked for. */
const largestPage = 100;

/** How questions behave. Spec: Questions. */
export function questionBehaviours(desk: QuestionDesk, world: World): Behaviours<typeof endpoints.questions> {
  const { accounts, items } = world;
  const responseTimes = new ResponseTimes(desk, world);
  return {
    search: (input, context) => {
      needBearer(context);
      const { limit = 50, offset } = input;
      const { items: found, paging } = pageOf(findQuestions(desk, input), {
        limit: Math.min(limit, largestPage),
        offset,
      });
      const questions = found.map((question) => shownInList(question, desk, world));
      return { total: paging.total, limit: paging.limit, questions, filters: input.filters ?? {}, ...searchOffers };
    },

    get: ({ question_id }, { bearer }) => {
      const question = desk.get(Number(question_id));
      if (!question || (question.removed && !bearer)) throw refuse(questionNotFound);
      return shownInFull(question, desk, world);
    },

    ask: ({ item_id, text }, context) => {
      const { user_id } = needBearer(context);
      const item = neededItem(String(item_id));
      if (user_id === item.seller_id) throw forbidden('A seller does not ask on an item of their own');
      if (desk.isBlocked(user_id, item.seller_id)) throw forbidden('The seller takes no questions from this user');
      if (item.status !== 'active') throw refuse(notActiveItem);
      return new Reply(201, shownWhenAsked(desk.add(item, user_id, text), desk, world));
    },

    answer: ({ question_id, text }, context) => {
      const { user_id } = needBearer(context);
      const question = desk.get(Number(question_id));
      if (!question) throw refuse(invalidQuestion, { message: `There is no question ${question_id}` });
      if (question.seller_id !== user_id) throw notYours;
      if (desk.statusOf(question) !== 'UNANSWERED')
        throw refuse(notUnansweredQuestion, { message: `Question ${question.id} is not unanswered` });
      if (items.need(question.item_id).status !== 'active') throw refuse(notActiveItem);
      return shownInFull(desk.answer(question.id, text), desk, world);
    },

    delete: ({ question_id }, context) => {
      const { id } = received(question_id, context);
      desk.delete(id);
      return [`Question ${id} was deleted`];
    },

    hide: ({ question_id }, context) => {
      const { id } = received(question_id, context);
      desk.hide(id);
      return { question_id: id, hidden: true };
    },

    responseTime: ({ user_id }, context) => {
      needBearer(context);
      const record = responseTimes.of(Number(user_id));
      if (!record) throw refuse(noQuestions);
      return record;
    },

    blacklist: {
      add: ({ seller_id, user_id }, context) => {
        const seller = ownBlacklist(seller_id, context);
        if (!accounts.get(Number(user_id))) throw noSuchUser(user_id);
        desk.block(Number(user_id), seller);
        return new Reply(201, { user_id: Number(user_id) });
      },

      list: ({ seller_id }, context) => {
        const seller = ownBlacklist(seller_id, context);
        const { site_id } = accounts.need(seller);
        const users = desk
          .blockedBy(seller)
          .map(({ user_id, since }) => ({ id: user_id, blocked_at: localInstant(since, site_id) }));
        return { users, paging: { total: users.length, offset: 0, limit: users.length } };
      },

      remove: ({ seller_id, user_id }, context) => {
        if (!desk.unblock(Number(user_id), ownBlacklist(seller_id, context))) throw noSuchUser(user_id);
        return noContent;
      },
    },
  };

  function neededItem(item_id: string): Item {
    const item = items.get(item_id);
    if (!item) throw refuse({ status: 404, code: 'not_found', message: `There is no item ${item_id}` });
    return item;
  }

  /** A question that the one who asks has received. @throws {Refused} 401, 403 or 404. */
  function received(question_id: number | string, context: Context): StoredQuestion {
    const { user_id } = needBearer(context);
    const question = desk.get(Number(question_id));
    if (!question || question.removed) throw refuse(questionNotFound);
    if (question.seller_id !== user_id) throw notYours;
    return question;
  }
}

/** How a request that makes no sense is refused: an answer has words of its own for it. Spec: Errors, Questions. */
export const questionManners: Manners = {
  misunderstood: ({ name }, issues) => {
    if (name !== 'questions.answer') return undefined;
    const concernsId = issues.some(({ path }) => path[0] === 'question_id');
    return refuse(concernsId ? invalidQuestion : invalidPostBody);
  },
  describes: {
    'questions.search': "Searches a seller's questions, an item's, or one user's on an item",
    'questions.get': 'Reads a question',
    'questions.ask': 'Asks a question about an item',
    'questions.answer': 'Answers a question',
    'questions.delete': 'Deletes a question that the seller received',
    'questions.hide': 'Hides a received question from the listing',
    'questions.responseTime': 'How long a seller takes to answer, by bands of the week',
    'questions.blacklist.add': "Blocks a user from asking on the seller's items",
    'questions.blacklist.list': "Lists the users who may not ask on the seller's items",
    'questions.blacklist.remove': "Lets a blocked user ask on the seller's items again",
  },
};

const notYours = forbidden('The question was asked to another seller');

function noSuchUser(user_id: number | string): Refused {
  return refuse({ status: 404, code: 'not_found', message: `There is no user ${user_id} here` });
}

/** The seller, whose token it must be. @throws {Refused} 401 or 403. */
function ownBlacklist(seller_id: number | string, context: Context): number {
  const { user_id } = needBearer(context);
  if (user_id !== Number(seller_id)) throw forbidden('Only the seller controls the blacklist');
  return user_id;
}
