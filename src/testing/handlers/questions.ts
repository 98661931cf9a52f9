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
import type { EndpointHandlers, HandlerInfo, ResourceConventions, ErrorResponse } from '../http/handler.js';
import { pageOf } from '../http/conventions.js';
import type { Item } from '../state/items.js';
import type { QuestionStore, StoredQuestion } from '../state/questions.js';
import { findQuestions, searchOptions } from './question-search.js';
import { toQuestionView, toListView, toAskedView } from './question-view.js';
import { ResponseTimes } from './response-time.js';
import { localInstant } from '../local-time.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

/** The largest page. Wire notes 6. */
const maxLimit = 100;

/** Handles questions. Spec: Questions. */
export function questionHandlers(
  store: QuestionStore,
  state: MarketplaceState,
): EndpointHandlers<typeof endpoints.questions> {
  const { accounts, items } = state;
  const responseTimes = new ResponseTimes(store, state);
  return {
    search: (input, info) => {
      bearerOrThrow(info);
      const { limit = 50, offset } = input;
      const { items: found, paging } = pageOf(findQuestions(store, input), {
        limit: Math.min(limit, maxLimit),
        offset,
      });
      const questions = found.map((question) => toListView(question, store, state));
      return { total: paging.total, limit: paging.limit, questions, filters: input.filters ?? {}, ...searchOptions };
    },

    get: ({ question_id }, { bearer }) => {
      const question = store.get(Number(question_id));
      if (!question || (question.removed && !bearer)) throw errorResponse(questionNotFound);
      return toQuestionView(question, store, state);
    },

    ask: ({ item_id, text }, info) => {
      const { user_id } = bearerOrThrow(info);
      const item = getItemOrThrow(String(item_id));
      if (user_id === item.seller_id) throw forbidden('A seller cannot ask about their own item');
      if (store.isBlocked(user_id, item.seller_id)) throw forbidden('The seller has blocked this user');
      if (item.status !== 'active') throw errorResponse(notActiveItem);
      return new HandlerResponse(201, toAskedView(store.add(item, user_id, text), store, state));
    },

    answer: ({ question_id, text }, info) => {
      const { user_id } = bearerOrThrow(info);
      const question = store.get(Number(question_id));
      if (!question) throw errorResponse(invalidQuestion, { message: `Question ${question_id} does not exist` });
      if (question.seller_id !== user_id) throw notYourQuestion;
      if (store.statusOf(question) !== 'UNANSWERED')
        throw errorResponse(notUnansweredQuestion, { message: `Question ${question.id} is not unanswered` });
      if (items.getOrThrow(question.item_id).status !== 'active') throw errorResponse(notActiveItem);
      return toQuestionView(store.answer(question.id, text), store, state);
    },

    delete: ({ question_id }, info) => {
      const { id } = getReceivedOrThrow(question_id, info);
      store.delete(id);
      return [`Question ${id} was deleted`];
    },

    hide: ({ question_id }, info) => {
      const { id } = getReceivedOrThrow(question_id, info);
      store.hide(id);
      return { question_id: id, hidden: true };
    },

    responseTime: ({ user_id }, info) => {
      bearerOrThrow(info);
      const record = responseTimes.of(Number(user_id));
      if (!record) throw errorResponse(noQuestions);
      return record;
    },

    blacklist: {
      add: ({ seller_id, user_id }, info) => {
        const seller = assertOwnBlacklist(seller_id, info);
        if (!accounts.get(Number(user_id))) throw userNotFound(user_id);
        store.block(Number(user_id), seller);
        return new HandlerResponse(201, { user_id: Number(user_id) });
      },

      list: ({ seller_id }, info) => {
        const seller = assertOwnBlacklist(seller_id, info);
        const { site_id } = accounts.getOrThrow(seller);
        const users = store
          .blockedBy(seller)
          .map(({ user_id, since }) => ({ id: user_id, blocked_at: localInstant(since, site_id) }));
        return { users, paging: { total: users.length, offset: 0, limit: users.length } };
      },

      remove: ({ seller_id, user_id }, info) => {
        if (!store.unblock(Number(user_id), assertOwnBlacklist(seller_id, info))) throw userNotFound(user_id);
        return noContent;
      },
    },
  };

  function getItemOrThrow(item_id: string): Item {
    const item = items.get(item_id);
    if (!item) throw errorResponse({ status: 404, code: 'not_found', message: `There is no item ${item_id}` });
    return item;
  }

  /** Returns a question that the caller has received. @throws {ErrorResponse} 401, 403 or 404 */
  function getReceivedOrThrow(question_id: number | string, info: HandlerInfo): StoredQuestion {
    const { user_id } = bearerOrThrow(info);
    const question = store.get(Number(question_id));
    if (!question || question.removed) throw errorResponse(questionNotFound);
    if (question.seller_id !== user_id) throw notYourQuestion;
    return question;
  }
}

/** Chooses the error for an invalid input. Spec: Errors, Questions. */
export const questionConventions: ResourceConventions = {
  onInvalidInput: ({ name }, issues) => {
    if (name !== 'questions.answer') return undefined;
    const concernsId = issues.some(({ path }) => path[0] === 'question_id');
    return errorResponse(concernsId ? invalidQuestion : invalidPostBody);
  },
  descriptions: {
    'questions.search': "Searches a seller's questions, an item's, or one user's questions on an item",
    'questions.get': 'Reads a question',
    'questions.ask': 'Asks a question about an item',
    'questions.answer': 'Answers a question',
    'questions.delete': 'Deletes a question that the seller received',
    'questions.hide': 'Hides a received question from the listing',
    'questions.responseTime': 'Reads how long a seller takes to answer, by time band',
    'questions.blacklist.add': "Blocks a user from asking about the seller's items",
    'questions.blacklist.list': 'Lists the users that the seller has blocked',
    'questions.blacklist.remove': 'Unblocks a user',
  },
};

const notYourQuestion = forbidden('The question belongs to another seller');

function userNotFound(user_id: number | string): ErrorResponse {
  return errorResponse({ status: 404, code: 'not_found', message: `User ${user_id} does not exist` });
}

/** Returns the seller, who must be the caller. @throws {ErrorResponse} 401 or 403 */
function assertOwnBlacklist(seller_id: number | string, info: HandlerInfo): number {
  const { user_id } = bearerOrThrow(info);
  if (user_id !== Number(seller_id)) throw forbidden('Only the seller can change the blacklist');
  return user_id;
}
