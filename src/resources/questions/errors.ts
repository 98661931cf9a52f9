import { BadRequestError, NotFoundError } from '../../core/errors/status-errors.js';
import { documentedError } from '../../core/errors/documented-error.js';

/**
 * The question cannot be answered: it does not exist, or its id is not an integer.
 *
 * Remedy: find the question through `seller.questions.search`.
 */
export class InvalidQuestionError extends BadRequestError {
  static override readonly kind: string = 'InvalidQuestionError';
}

/**
 * The body of an answer was not understood; it takes `question_id` and `text`.
 *
 * Remedy: give these two and nothing else; a client of your own may send more than this one does.
 */
export class InvalidPostBodyError extends BadRequestError {
  static override readonly kind: string = 'InvalidPostBodyError';
}

/**
 * The question has its answer already, or is closed: it is no longer `UNANSWERED`.
 *
 * Remedy: leave it; `seller.questions.get` shows the answer it has.
 */
export class QuestionNotOpenError extends BadRequestError {
  static override readonly kind: string = 'QuestionNotOpenError';
}

/**
 * The item is not active, so its questions cannot be asked or answered.
 *
 * Remedy: activate the item first; a closed item cannot be activated.
 */
export class ItemNotActiveError extends BadRequestError {
  static override readonly kind: string = 'ItemNotActiveError';
}

/**
 * The user has asked as many questions as the service allows for now.
 *
 * Remedy: wait for answers before asking more.
 */
export class AskLimitError extends BadRequestError {
  static override readonly kind: string = 'AskLimitError';
}

/**
 * The seller has had no questions on any item, so there is no response time.
 *
 * Remedy: treat it as "nothing to show yet".
 */
export class NoQuestionsError extends NotFoundError {
  static override readonly kind: string = 'NoQuestionsError';
}

export const invalidQuestion = documentedError({
  status: 400,
  code: 'invalid_question',
  message: 'Invalid question; question_id must be an integer',
  error: InvalidQuestionError,
});
export const invalidPostBody = documentedError({
  status: 400,
  code: 'invalid_post_body',
  message: 'Invalid JSON; the expected parameters are question_id and text',
  error: InvalidPostBodyError,
});
export const notUnansweredQuestion = documentedError({
  status: 400,
  code: 'not_unanswered_question',
  message: 'The question is not unanswered',
  error: QuestionNotOpenError,
});
export const notActiveItem = documentedError({
  status: 400,
  code: 'not_active_item',
  message: 'The item is not active',
  error: ItemNotActiveError,
});
export const userAskLimit = documentedError({
  status: 400,
  code: 'user_ask_limit',
  message: 'The user may not ask more questions for now',
  error: AskLimitError,
  otherStatuses: [403],
});
export const noQuestions = documentedError({
  status: 404,
  code: 'not_found',
  message: 'The seller has no questions on any item',
  error: NoQuestionsError,
  // The only 404 of its endpoint that carries this code.
  matches: ({ code, status }) => status === 404 && code === 'not_found',
});
export const questionNotFound = documentedError({ status: 404, code: 'not_found', message: 'Question not found' });
