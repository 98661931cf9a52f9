import { BadRequestError, NotFoundError } from '../../core/errors/status-errors.js';
import { documentedError } from '../../core/errors/documented-error.js';
import { isWord } from '../../core/schema/word.js';

/**
 * The question cannot be answered: it does not exist, or its id is not an integer.
 *
 * Remedy: find the id of the question with `seller.questions.search`.
 */
export class InvalidQuestionError extends BadRequestError {
  static override readonly kind: string = 'InvalidQuestionError';
}

/**
 * The service did not understand the body of the answer. It accepts `question_id` and `text`.
 *
 * Remedy: check what a middleware or a proxy adds to the request. The client sends only these two fields.
 */
export class InvalidPostBodyError extends BadRequestError {
  static override readonly kind: string = 'InvalidPostBodyError';
}

/**
 * The question is no longer `UNANSWERED`: it already has an answer, or it is closed.
 *
 * Remedy: none needed; `seller.questions.get` returns the existing answer.
 */
export class QuestionNotOpenError extends BadRequestError {
  static override readonly kind: string = 'QuestionNotOpenError';
}

/**
 * The item is not active, so its questions cannot be asked or answered.
 *
 * Remedy: activate the item first. A closed item cannot be activated.
 */
export class ItemNotActiveError extends BadRequestError {
  static override readonly kind: string = 'ItemNotActiveError';
  static override readonly permanent = false;
}

/**
 * The user has reached the number of questions that the service allows.
 *
 * Remedy: wait for answers before asking more.
 */
export class AskLimitError extends BadRequestError {
  static override readonly kind: string = 'AskLimitError';
  static override readonly permanent = false;
}

/**
 * The seller has not received any questions, so there is no response time.
 *
 * Remedy: show that there is no data yet.
 */
export class NoQuestionsError extends NotFoundError {
  static override readonly kind: string = 'NoQuestionsError';
}

export const invalidQuestion = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'invalid_question',
  message: 'Invalid question; question_id must be an integer',
  error: InvalidQuestionError,
});
export const invalidPostBody = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'invalid_post_body',
  message: 'Invalid JSON; the expected parameters are question_id and text',
  error: InvalidPostBodyError,
});
export const notUnansweredQuestion = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'not_unanswered_question',
  message: 'The question is not unanswered',
  error: QuestionNotOpenError,
});
export const notActiveItem = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'not_active_item',
  message: 'The item is not active',
  error: ItemNotActiveError,
});
export const userAskLimit = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'user_ask_limit',
  message: 'The user may not ask more questions for now',
  error: AskLimitError,
  otherStatuses: [403],
});
export const noQuestions = /* @__PURE__ */ documentedError({
  status: 404,
  code: 'not_found',
  message: 'The seller has no questions on any item',
  error: NoQuestionsError,
  // The only 404 of its endpoint with this code.
  matches: ({ code, status }) => status === 404 && isWord(code, 'not_found'),
});
export const questionNotFound = /* @__PURE__ */ documentedError({
  status: 404,
  code: 'not_found',
  message: 'Question not found',
});

/** Not after `<`, because a page of a website is no error response. `questions` is a part of paths. */
const namesNoQuestion = /^[^<]*\bquestion(?!s)[^<]{0,60}(not.{0,3}(found|exist)|n't exist)/i;

/** Whether an error states that a question does not exist. A 404 that names no question may be of a proxy. */
export function meansNoQuestion(error: unknown): boolean {
  if (!(error instanceof NotFoundError)) return false;
  const texts =
    typeof error.body === 'string' ? [error.body] : Object.values({ ...(error.body as object | undefined) });
  return [...texts, ...error.causes.map(({ message }) => message)].some(
    (text) => typeof text === 'string' && namesNoQuestion.test(text),
  );
}
