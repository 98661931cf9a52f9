import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import * as errors from './errors.js';
import { completeQuestion } from './read-question.js';
import * as schemas from './schemas.js';

export const search: DescribedEndpoint<schemas.QuestionSearchParams, schemas.QuestionSearchResponse> = {
  name: 'questions.search',
  summary: "Searches a seller's questions, an item's, or one user's questions on an item",
  method: 'GET',
  path: '/questions/search',
  input: schemas.questionSearchParams,
  example: {
    item: 'MLA100',
    from: 31,
    sort_fields: ['date_created', 'item_id'],
    sort_types: ['DESC', 'ASC'],
    limit: 20,
    offset: 40,
    filters: { status: 'UNANSWERED' },
  },
  output: schemas.questionSearchResponse,
  listOf: { seller_id: 'questions.*.seller_id' },
  related: { item: 'questions.*.item_id', item_id: 'questions.*.item_id' },
  retry: 'safe',
  errors: [],
};

export const get: DescribedEndpoint<schemas.GetQuestionParams, schemas.Question> = {
  name: 'questions.get',
  summary: 'Reads a question',
  method: 'GET',
  path: '/questions/{question_id}',
  input: schemas.getQuestionParams,
  example: { question_id: 42 },
  output: schemas.question,
  complete: completeQuestion,
  identity: { question_id: 'id' },
  retry: 'safe',
  errors: [errors.questionNotFound],
  supportsAttributes: true,
};

const responseTime: DescribedEndpoint<schemas.UserParams, schemas.ResponseTime> = {
  name: 'questions.responseTime',
  summary: 'Reads how long a seller takes to answer, by time band',
  method: 'GET',
  path: '/users/{user_id}/questions/response_time',
  input: schemas.userParams,
  example: { user_id: 7 },
  output: schemas.responseTime,
  identity: { user_id: 'user_id' },
  retry: 'safe',
  errors: [errors.noQuestions],
  supportsAttributes: true,
};

/** The endpoints of questions that only read. */
export const questionReads = { search, get, responseTime };
