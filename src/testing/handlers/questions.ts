import type { endpoints } from '../../endpoints.js';
import { lengthOf } from '../../resources/fields.js';
import * as errors from '../../resources/questions/errors.js';
import type { Question, ResponseTime, ResponseTimeBand } from '../../resources/questions/schemas.js';
import { localInstant, localTime } from '../clock.js';
import {
  badRequest,
  bearerOrThrow,
  errorResponse,
  forbidden,
  foundOrThrow,
  HandlerResponse,
  noContent,
  notFound,
} from '../http/handler.js';
import type { Call, EndpointHandlers } from '../http/handler.js';
import { isId, pageOf, parseInteger, pathId, queryPage, readJsonObject, scrollOf } from '../http/read-request.js';
import type { JsonObject } from '../http/read-request.js';
import type { StoredQuestion } from '../state/questions.js';
import type { Stores } from '../state/stores.js';
import { findQuestions, liveWrapper, readSearch, searchOptions } from './question-search.js';

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

/** Serializes a question as part of a search result; the live service adds more fields. */
function toHitView(question: StoredQuestion, stores: Stores): Question {
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
function toAskedView(question: StoredQuestion, stores: Stores): Question {
  const { deleted_from_listing } = stores.questions.marksOf(question);
  const live = stores.settings.liveFields && { buyer_id: question.from, tags: [] };
  return { ...toListView(question, stores), deleted_from_listing, ...live };
}

/** Serializes a question read by id. */
function toQuestionView(question: StoredQuestion, stores: Stores): Question {
  return { ...toAskedView(question, stores), hold: stores.questions.marksOf(question).hold };
}

const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * Returns a function that computes the response time of a seller, once per day of the seller's site; `undefined` without
 * questions. Spec: Response time record.
 */
function responseTimes({ accounts, clock, questions }: Stores): (seller_id: number) => ResponseTime | undefined {
  const computed = new Map<number, { readonly date: string; readonly record: ResponseTime }>();
  return (seller_id) => {
    const site_id = accounts.get(seller_id)?.site_id ?? '';
    const { date } = localTime(clock.ms, site_id);
    const known = computed.get(seller_id);
    if (known?.date === date) return known.record;
    const counted = questions.all.filter((each) => each.seller_id === seller_id && !each.removed);
    if (counted.length === 0) return undefined;
    const record = { user_id: seller_id, ...responseTimeOf(counted, clock.ms, site_id) };
    computed.set(seller_id, { date, record });
    return record;
  };
}

/** Computes the averages over a seller's questions. */
function responseTimeOf(
  questions: readonly StoredQuestion[],
  now: number,
  site_id: string,
): Omit<ResponseTime, 'user_id'> {
  const counted = firstPerBuyerAndItem(questions).filter(({ askedAt }) => askedAt > now - 14 * day && askedAt <= now);
  const inBand = (name: Band): StoredQuestion[] => counted.filter(({ askedAt }) => bandOf(askedAt, site_id) === name);
  const total = average(counted, now);
  return {
    total: { response_time: total ?? 0 },
    weekend: band(inBand('weekend'), now),
    weekdays_working_hours: band(inBand('weekdays_working_hours'), now),
    weekdays_extra_hours: band(inBand('weekdays_extra_hours'), now),
  };
}

type Band = 'weekend' | 'weekdays_working_hours' | 'weekdays_extra_hours';

/** Returns the time band of a question; `undefined` from 00:00 to 09:00 on a weekday. */
function bandOf(ms: number, site_id: string): Band | undefined {
  const { weekday, hour } = localTime(ms, site_id);
  if (weekday === 0 || weekday === 6) return 'weekend';
  if (hour < 9) return undefined;
  return hour < 18 ? 'weekdays_working_hours' : 'weekdays_extra_hours';
}

/** Keeps the first question of each buyer about each item. */
function firstPerBuyerAndItem(questions: readonly StoredQuestion[]): StoredQuestion[] {
  const firsts = new Map<string, StoredQuestion>();
  for (const question of questions) {
    const key = `${question.from} ${question.item_id}`;
    const first = firsts.get(key);
    if (!first || question.askedAt < first.askedAt) firsts.set(key, question);
  }
  return [...firsts.values()];
}

function band(questions: readonly StoredQuestion[], now: number): ResponseTimeBand | null {
  const response_time = average(questions, now);
  if (response_time === undefined) return null;
  return { response_time, sales_percent_increase: forecast(response_time) };
}

/** Averages in whole minutes; `undefined` without questions. */
function average(questions: readonly StoredQuestion[], now: number): number | undefined {
  if (questions.length === 0) return undefined;
  // An unanswered question counts as answered now, capped at one week.
  const waits = questions.map(({ askedAt, answer }) =>
    answer ? answer.answeredAt - askedAt : Math.min(now - askedAt, 7 * day),
  );
  return Math.round(waits.reduce((sum, wait) => sum + wait, 0) / waits.length / minute);
}

/** The service's forecast is not documented; this one grows with the hours and ends at 30 percent. */
function forecast(minutes: number): number | null {
  return minutes > 60 ? Math.min(2 + Math.floor(minutes / 60), 30) : null;
}
