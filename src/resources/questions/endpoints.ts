import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { orAsItCame } from '../fields.js';
import { array, string, unknown } from '../../core/schema/define.js';
import { blacklistEndpoints } from '../blacklist/endpoints.js';
import { answerEntry, confirmAnswered, confirmAsked, confirmDeleted, questionEntry } from './confirm.js';
import * as errors from './errors.js';
import { questionOrNothing } from './read-question.js';
import { questionReads } from './reads.js';
import * as schemas from './schemas.js';

const ask: DescribedEndpoint<schemas.AskParams, schemas.Question | undefined> = {
  name: 'questions.ask',
  summary: 'Asks a question about an item',
  method: 'POST',
  path: '/questions',
  input: schemas.askParams,
  example: { item_id: 'MLA100', text: '¿Hay stock? 😀' },
  output: questionOrNothing,
  identity: { item_id: 'item_id' },
  retry: 'unsafe',
  content: ['text'],
  entryOf: questionEntry,
  errors: [errors.notActiveItem, errors.userAskLimit],
  confirm: confirmAsked,
};

const answer: DescribedEndpoint<schemas.AnswerParams, schemas.Question | undefined> = {
  name: 'questions.answer',
  summary: 'Answers a question',
  method: 'POST',
  path: '/answers',
  input: schemas.answerParams,
  example: { question_id: 42, text: 'Sí, hay.' },
  output: questionOrNothing,
  identity: { question_id: 'id' },
  retry: 'unsafe',
  content: ['text'],
  entryOf: answerEntry,
  errors: [errors.invalidQuestion, errors.invalidPostBody, errors.notUnansweredQuestion, errors.notActiveItem],
  confirm: confirmAnswered,
};

const remove: DescribedEndpoint<schemas.GetQuestionParams, schemas.DeletionResponse> = {
  name: 'questions.delete',
  summary: 'Deletes a question that the seller received',
  method: 'DELETE',
  path: '/questions/{question_id}',
  input: schemas.getQuestionParams,
  example: { question_id: 42 },
  output: orAsItCame(array(string)),
  retry: 'unsafe',
  errors: [errors.questionNotFound],
  confirm: confirmDeleted,
};

const hide: DescribedEndpoint<schemas.GetQuestionParams> = {
  name: 'questions.hide',
  summary: 'Hides a received question from the listing',
  method: 'POST',
  path: '/my/questions/hidden',
  input: schemas.getQuestionParams,
  example: { question_id: 42 },
  output: unknown,
  retry: 'unsafe',
  // It is hidden, whether once or twice.
  isHarmless: true,
  errors: [],
};

/** The endpoints of questions, as `endpoints` has them. */
export const questionEndpoints = { ...questionReads, ask, answer, delete: remove, hide, blacklist: blacklistEndpoints };
