import { lengthOf } from '../../resources/fields.js';
import type { endpoints } from '../../endpoints.js';
import * as errors from '../../resources/questions/errors.js';
import { pageOf } from '../http/conventions.js';
import {
  HandlerResponse,
  badRequest,
  bearerOrThrow,
  errorResponse,
  forbidden,
  foundOrThrow,
  noContent,
  notFound,
} from '../http/handler.js';
import type { EndpointHandlers } from '../http/handler.js';
import type { Call } from '../http/call.js';
import { isId, parseInteger, pathId, queryPage, readJsonObject, scrollOf } from '../http/read-request.js';
import type { JsonObject } from '../http/read-request.js';
import { localInstant } from '../local-time.js';
import type { StoredQuestion } from '../state/questions.js';
import type { Stores } from '../state/stores.js';
import { findQuestions, liveWrapper, readSearch, searchOptions } from './question-search.js';
import { toAskedView, toHitView, toQuestionView } from './question-view.js';
import { responseTimes } from './response-time.js';

const maxTextLength = 2000;

/** Handles questions. Spec: Questions. */
export function questionHandlers(stores: Stores): EndpointHandlers<typeof endpoints.questions> {
  const { accounts, items, settings, questions: store } = stores;
  const responseTimeOf = responseTimes(stores);
  return {
    search: (call) => {
      const bearer = bearerOrThrow(call);
      const search = readSearch(call);
      const { items: found, paging } = pageOf(findQuestions(store, search), queryPage(call, 50, settings.maxPageSize));
      const questions = found.map((question) => toHitView(question, stores));
      const { total, limit } = paging;
      const live = settings.liveFields ? liveWrapper(search, paging, bearer) : {};
      return { total, limit, questions, filters: search.filters, ...searchOptions, ...live, ...scrollOf(call, paging) };
    },

    get: (call) => {
      const question = store.get(pathId(call, 'question_id'));
      if (!question || (question.removed && !call.bearer)) throw errorResponse(errors.questionNotFound);
      return toQuestionView(question, stores);
    },

    ask: async (call) => {
      const { user_id } = bearerOrThrow(call);
      const { item_id, text } = await readJsonObject(call);
      if (typeof item_id !== 'string' || item_id === '') throw badRequest('item_id is required');
      assertText(text);
      const item = foundOrThrow(items.get(item_id), `Item ${item_id}`);
      if (user_id === item.seller_id) throw forbidden('A seller cannot ask about their own item');
      if (store.isBlocked(user_id, item.seller_id)) throw forbidden('The seller has blocked this user');
      if (item.status !== 'active') throw errorResponse(errors.notActiveItem);
      return new HandlerResponse(201, toAskedView(store.add(item, user_id, text), stores));
    },

    answer: async (call) => {
      const { user_id } = bearerOrThrow(call);
      const { question_id, text } = readAnswer(await readJsonObject(call, errorResponse(errors.invalidPostBody)));
      const question = store.get(Number(question_id));
      if (!question) throw errorResponse(errors.invalidQuestion, { message: `Question ${question_id} does not exist` });
      if (question.seller_id !== user_id) throw notYourQuestion;
      assertAnswerable(question);
      return toQuestionView(store.answer(question.id, text), stores);
    },

    delete: (call) => {
      const { id } = getReceivedOrThrow(call, pathId(call, 'question_id'));
      store.delete(id);
      return [`Question ${id} was deleted`];
    },

    hide: async (call) => {
      bearerOrThrow(call);
      const { question_id } = await readJsonObject(call);
      // The payload is not documented, so the id can be a number or a string of digits.
      const id = isId(question_id) ? question_id : parseInteger(String(question_id));
      if (id === undefined) throw badRequest('question_id must be an integer');
      const received = getReceivedOrThrow(call, id);
      store.hide(received.id);
      return { question_id: received.id, hidden: true };
    },

    responseTime: (call) => {
      bearerOrThrow(call);
      const record = responseTimeOf(pathId(call, 'user_id'));
      if (!record) throw errorResponse(errors.noQuestions);
      return record;
    },

    blacklist: {
      add: async (call) => {
        const seller = getSellerOrThrow(call);
        const { user_id } = await readJsonObject(call);
        if (!isId(user_id)) throw badRequest('user_id must be an integer');
        if (user_id === seller) throw badRequest('user_id is the seller, who cannot be blocked');
        const blocked = foundOrThrow(accounts.get(Number(user_id)), `User ${user_id}`);
        store.block(blocked.user_id, seller);
        return new HandlerResponse(201, { user_id: blocked.user_id });
      },

      list: (call) => {
        const seller = getSellerOrThrow(call);
        const { site_id } = accounts.getOrThrow(seller);
        const all = store
          .blockedBy(seller)
          .map(({ user_id, since }) => ({ id: user_id, blocked_at: localInstant(since, site_id) }));
        const { items: users, paging } = pageOf(all, queryPage(call, 50, settings.maxPageSize));
        return { users, paging };
      },

      remove: (call) => {
        const seller = getSellerOrThrow(call);
        const user_id = pathId(call, 'user_id');
        if (!store.unblock(user_id, seller)) throw notFound(`User ${user_id} is not blocked`);
        return noContent;
      },
    },
  };

  /** @throws {ErrorResponse} 400 when the question is not open, held back or not listed, or its item is not active */
  function assertAnswerable(question: StoredQuestion): void {
    const { detailedAnswerErrors } = settings;
    const { id, item_id } = question;
    const { hold, deleted_from_listing } = store.marksOf(question);
    if (store.statusOf(question) !== 'UNANSWERED' || hold || deleted_from_listing)
      throw errorResponse(detailedAnswerErrors ? errors.notUnansweredQuestion : errors.invalidQuestion, {
        message: `Question ${id} is not unanswered`,
      });
    if (items.getOrThrow(item_id).status !== 'active')
      throw errorResponse(detailedAnswerErrors ? errors.notActiveItem : errors.invalidQuestion);
  }

  /** Returns a question that the caller has received. @throws {ErrorResponse} 401, 403 or 404 */
  function getReceivedOrThrow(call: Call, question_id: number | bigint): StoredQuestion {
    const { user_id } = bearerOrThrow(call);
    const question = store.get(Number(question_id));
    if (!question || question.removed) throw errorResponse(errors.questionNotFound);
    if (question.seller_id !== user_id) throw notYourQuestion;
    return question;
  }
}

const notYourQuestion = forbidden('The question belongs to another seller');

/** Reads the body of an answer, which has only `question_id` and `text`. Spec: Errors, Questions. */
function readAnswer(body: JsonObject): { question_id: number | bigint; text: string } {
  const { question_id, text, ...unexpected } = body;
  const isEmpty = question_id === undefined && text === undefined;
  if (isEmpty || Object.keys(unexpected).length > 0) throw errorResponse(errors.invalidPostBody);
  if (!isId(question_id)) throw errorResponse(errors.invalidQuestion);
  const problem = problemOfText(text);
  if (problem !== undefined) throw errorResponse(errors.invalidPostBody, { message: `Invalid post body: ${problem}` });
  return { question_id, text: text as string };
}

function assertText(text: unknown): asserts text is string {
  const problem = problemOfText(text);
  if (problem !== undefined) throw badRequest(problem);
}

function problemOfText(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return 'text is required';
  return lengthOf(text) > maxTextLength ? `text has more than ${maxTextLength} characters` : undefined;
}

/** Returns the seller, who must be the caller. @throws {ErrorResponse} 401 or 403 */
function getSellerOrThrow(call: Call): number {
  const { user_id } = bearerOrThrow(call);
  if (user_id !== pathId(call, 'seller_id')) throw forbidden('Only the seller can use the blacklist');
  return user_id;
}
