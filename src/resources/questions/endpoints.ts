import { isSameText, isSince, theOneOf } from '../../core/confirm.js';
import type { ReadBack } from '../../core/confirm.js';
import type { Endpoint } from '../../core/endpoint.js';
import { NotFoundError } from '../../core/status-errors.js';
import { anything } from '../../core/schema.js';
import {
  invalidPostBody,
  invalidQuestion,
  noQuestions,
  notActiveItem,
  notUnansweredQuestion,
  questionNotFound,
  userAskLimit,
} from './errors.js';
import {
  blacklistAnswer,
  blacklisting,
  confirmation,
  newAnswer,
  newQuestion,
  question,
  questionId,
  questionOrNothing,
  questionSearch,
  questionSearchAnswer,
  responseTime,
  sellerId,
  userId,
} from './schemas.js';
import type {
  BlacklistAnswer,
  Blacklisting,
  NewAnswer,
  NewQuestion,
  Question,
  QuestionId,
  QuestionSearch,
  QuestionSearchAnswer,
  ResponseTime,
  SellerId,
  UserId,
} from './schemas.js';

export const search: Endpoint<QuestionSearch, QuestionSearchAnswer> = {
  name: 'questions.search',
  method: 'GET',
  path: '/questions/search',
  input: questionSearch,
  output: questionSearchAnswer,
  retry: 'read',
  errors: [],
};

export const get: Endpoint<QuestionId, Question> = {
  name: 'questions.get',
  method: 'GET',
  path: '/questions/{question_id}',
  input: questionId,
  output: question,
  retry: 'read',
  errors: [questionNotFound],
  reducible: true,
};

export const ask: Endpoint<NewQuestion, Question | undefined> = {
  name: 'questions.ask',
  method: 'POST',
  path: '/questions',
  input: newQuestion,
  output: questionOrNothing,
  retry: 'write',
  errors: [notActiveItem, userAskLimit],
  async confirm({ item_id, text }, back) {
    const newest = { item: String(item_id), sort_fields: ['date_created'], sort_types: ['DESC'] } as const;
    const { data, response } = await back.call(search, newest).withResponse();
    const since = back.sentAt(response.headers);
    const same = (data.questions ?? []).filter((each) => isSameText(each.text, text));
    return theOneOf(same.filter(({ date_created }) => isSince(date_created, since) !== false));
  },
};

export const answer: Endpoint<NewAnswer, Question | undefined> = {
  name: 'questions.answer',
  method: 'POST',
  path: '/answers',
  input: newAnswer,
  output: questionOrNothing,
  retry: 'write',
  errors: [invalidQuestion, invalidPostBody, notUnansweredQuestion, notActiveItem],
  async confirm({ question_id, text }, back) {
    const output = await back.call(get, { question_id });
    const { answer: given, status } = output;
    if (isSameText(given?.text, text)) return { done: true, output };
    if (given?.text === '') return { unknown: 'the question has an answer whose text is not shown' };
    // A question takes one answer: while it has none, or has another, this one was not taken.
    if (given?.text || status?.toUpperCase() === 'UNANSWERED') return { done: false };
    return { unknown: `the question is ${status ?? 'in no known state'} and shows no answer` };
  },
};

export const remove: Endpoint<QuestionId, string[]> = {
  name: 'questions.delete',
  method: 'DELETE',
  path: '/questions/{question_id}',
  input: questionId,
  output: confirmation,
  retry: 'write',
  errors: [questionNotFound],
  async confirm({ question_id }, back) {
    try {
      const { status } = await back.call(get, { question_id });
      return status?.toUpperCase() === 'DELETED' ? { done: true, output: [] } : { done: false };
    } catch (error) {
      if (error instanceof NotFoundError) return { done: true, output: [] };
      throw error;
    }
  },
};

export const hide: Endpoint<QuestionId> = {
  name: 'questions.hide',
  method: 'POST',
  path: '/my/questions/hidden',
  input: questionId,
  output: anything,
  retry: 'write',
  errors: [],
};

export const responseTimeOf: Endpoint<UserId, ResponseTime> = {
  name: 'questions.responseTime',
  method: 'GET',
  path: '/users/{user_id}/questions/response_time',
  input: userId,
  output: responseTime,
  retry: 'read',
  errors: [noQuestions],
  reducible: true,
};

export const addToBlacklist: Endpoint<Blacklisting> = {
  name: 'questions.blacklist.add',
  method: 'POST',
  path: '/users/{seller_id}/questions_blacklist',
  input: blacklisting,
  output: anything,
  retry: 'write',
  errors: [],
  async confirm(input, back) {
    const isBlocked = await isOnBlacklist(input, back);
    if (isBlocked === undefined) return { unknown: 'the blacklist is longer than what the service shows of it' };
    return isBlocked ? { done: true, output: undefined } : { done: false };
  },
};

export const listBlacklist: Endpoint<SellerId, BlacklistAnswer> = {
  name: 'questions.blacklist.list',
  method: 'GET',
  path: '/users/{seller_id}/questions_blacklist',
  input: sellerId,
  output: blacklistAnswer,
  retry: 'read',
  errors: [],
};

export const removeFromBlacklist: Endpoint<Blacklisting> = {
  name: 'questions.blacklist.remove',
  method: 'DELETE',
  path: '/users/{seller_id}/questions_blacklist/{user_id}',
  input: blacklisting,
  output: anything,
  retry: 'write',
  errors: [],
  async confirm(input, back) {
    const isBlocked = await isOnBlacklist(input, back);
    if (isBlocked === undefined) return { unknown: 'the blacklist is longer than what the service shows of it' };
    return isBlocked ? { done: false } : { done: true, output: undefined };
  },
};

/** Whether a user is on a blacklist; `undefined` where only a part of it is shown, without the user. */
async function isOnBlacklist({ seller_id, user_id }: Blacklisting, back: ReadBack): Promise<boolean | undefined> {
  const { users, total } = await back.call(listBlacklist, { seller_id });
  if (users?.some(({ id }) => String(id) === String(user_id))) return true;
  return typeof total === 'number' && total > (users?.length ?? 0) ? undefined : false;
}
