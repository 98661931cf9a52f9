import type { endpoints } from '../../endpoints.js';
import {
  invalidPostBody,
  invalidQuestion,
  noQuestions,
  notActiveItem,
  notUnansweredQuestion,
  questionNotFound,
} from '../../resources/questions/errors.js';
import { HandlerResponse, forbidden, bearerOrThrow, noContent, errorResponse } from '../http/handler.js';
import type { Handlers, HandlerContext, ResourceConventions, ErrorResponse } from '../http/handler.js';
import { pageOf } from '../http/conventions.js';
import type { Item } from '../state/items.js';
import type { QuestionStore, StoredQuestion } from '../state/questions.js';
import { findQuestions, searchOffers } from './question-search.js';
import { toQuestionView, toListView, toAskedView } from './question-view.js';
import { ResponseTimes } from './response-time.js';
import { localInstant } from '../local-time.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

/** The service gives no larger page, whatever is asked for. */
const largestPage = 100;

/** How questions behave. Spec: Questions. */
export function questionHandlers(desk: QuestionStore, world: MarketplaceState): Handlers<typeof endpoints.questions> {
  const { accounts, items } = world;
  const responseTimes = new ResponseTimes(desk, world);
  return {
    search: (input, context) => {
      bearerOrThrow(context);
      const { limit = 50, offset } = input;
      const { items: found, paging } = pageOf(findQuestions(desk, input), {
        limit: Math.min(limit, largestPage),
        offset,
      });
      const questions = found.map((question) => toListView(question, desk, world));
      return { total: paging.total, limit: paging.limit, questions, filters: input.filters ?? {}, ...searchOffers };
    },

    get: ({ question_id }, { bearer }) => {
      const question = desk.get(Number(question_id));
      if (!question || (question.removed && !bearer)) throw errorResponse(questionNotFound);
      return toQuestionView(question, desk, world);
    },

    ask: ({ item_id, text }, context) => {
      const { user_id } = bearerOrThrow(context);
      const item = neededItem(String(item_id));
      if (user_id === item.seller_id) throw forbidden('A seller does not ask on an item of their own');
      if (desk.isBlocked(user_id, item.seller_id)) throw forbidden('The seller takes no questions from this user');
      if (item.status !== 'active') throw errorResponse(notActiveItem);
      return new HandlerResponse(201, toAskedView(desk.add(item, user_id, text), desk, world));
    },

    answer: ({ question_id, text }, context) => {
      const { user_id } = bearerOrThrow(context);
      const question = desk.get(Number(question_id));
      if (!question) throw errorResponse(invalidQuestion, { message: `There is no question ${question_id}` });
      if (question.seller_id !== user_id) throw notYours;
      if (desk.statusOf(question) !== 'UNANSWERED')
        throw errorResponse(notUnansweredQuestion, { message: `Question ${question.id} is not unanswered` });
      if (items.getOrThrow(question.item_id).status !== 'active') throw errorResponse(notActiveItem);
      return toQuestionView(desk.answer(question.id, text), desk, world);
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
      bearerOrThrow(context);
      const record = responseTimes.of(Number(user_id));
      if (!record) throw errorResponse(noQuestions);
      return record;
    },

    blacklist: {
      add: ({ seller_id, user_id }, context) => {
        const seller = ownBlacklist(seller_id, context);
        if (!accounts.get(Number(user_id))) throw noSuchUser(user_id);
        desk.block(Number(user_id), seller);
        return new HandlerResponse(201, { user_id: Number(user_id) });
      },

      list: ({ seller_id }, context) => {
        const seller = ownBlacklist(seller_id, context);
        const { site_id } = accounts.getOrThrow(seller);
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
    if (!item) throw errorResponse({ status: 404, code: 'not_found', message: `There is no item ${item_id}` });
    return item;
  }

  /** A question that the one who asks has received. @throws {ErrorResponse} 401, 403 or 404. */
  function received(question_id: number | string, context: HandlerContext): StoredQuestion {
    const { user_id } = bearerOrThrow(context);
    const question = desk.get(Number(question_id));
    if (!question || question.removed) throw errorResponse(questionNotFound);
    if (question.seller_id !== user_id) throw notYours;
    return question;
  }
}

/** How a request that makes no sense is refused: an answer has words of its own for it. Spec: Errors, Questions. */
export const questionConventions: ResourceConventions = {
  onInvalidInput: ({ name }, issues) => {
    if (name !== 'questions.answer') return undefined;
    const concernsId = issues.some(({ path }) => path[0] === 'question_id');
    return errorResponse(concernsId ? invalidQuestion : invalidPostBody);
  },
  descriptions: {
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

function noSuchUser(user_id: number | string): ErrorResponse {
  return errorResponse({ status: 404, code: 'not_found', message: `There is no user ${user_id} here` });
}

/** The seller, whose token it must be. @throws {ErrorResponse} 401 or 403. */
function ownBlacklist(seller_id: number | string, context: HandlerContext): number {
  const { user_id } = bearerOrThrow(context);
  if (user_id !== Number(seller_id)) throw forbidden('Only the seller controls the blacklist');
  return user_id;
}
