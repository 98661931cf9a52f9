import type { Endpoint } from '../../core/endpoint.js';
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
};

export const answer: Endpoint<NewAnswer, Question | undefined> = {
  name: 'questions.answer',
  method: 'POST',
  path: '/answers',
  input: newAnswer,
  output: questionOrNothing,
  retry: 'write',
  errors: [invalidQuestion, invalidPostBody, notUnansweredQuestion, notActiveItem],
};

export const remove: Endpoint<QuestionId, string[]> = {
  name: 'questions.delete',
  method: 'DELETE',
  path: '/questions/{question_id}',
  input: questionId,
  output: confirmation,
  retry: 'write',
  errors: [questionNotFound],
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
};
