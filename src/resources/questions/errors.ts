import { BadRequestError, NotFoundError } from '../../core/errors/response-errors.js';
import {
  documentedError,
  hasCode,
  messageMatches,
  errorByCode,
  errorByText,
} from '../../core/operation/documented-error.js';

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
  static override readonly lasting = true;
}

/**
 * The user has reached the number of questions that the service allows.
 *
 * Remedy: wait for answers before asking more.
 */
export class AskLimitError extends BadRequestError {
  static override readonly kind: string = 'AskLimitError';
  static override readonly lasting = false;
}

/**
 * The seller has not received any questions, so there is no response time.
 *
 * Remedy: show that there is no data yet.
 */
export class NoQuestionsError extends NotFoundError {
  static override readonly kind: string = 'NoQuestionsError';
  static override readonly lasting = false;
}

const section = 'Errors, Questions and response time';

export const invalidQuestion = /* @__PURE__ */ errorByCode(
  {
    section,
    condition: 'the question cannot be answered; question_id must be an integer',
    status: 400,
    code: 'invalid_question',
    message: 'Invalid question; question_id must be an integer',
  },
  InvalidQuestionError,
  [/\binvalid question(?: id)?(?! (?:text|status))\b/, /\bquestion id (?:is |was )?(?:invalid|not valid|must be)/],
);
export const invalidPostBody = /* @__PURE__ */ errorByCode(
  {
    section,
    condition: 'invalid JSON on answering; expected parameters are question_id and text',
    status: 400,
    code: 'invalid_post_body',
    message: 'Invalid JSON; the expected parameters are question_id and text',
  },
  InvalidPostBodyError,
  /\b(?:invalid|malformed) (?:post body|json)\b|\bexpected parameters are\b/,
);
export const notUnansweredQuestion = /* @__PURE__ */ errorByCode(
  {
    section: 'Live service',
    condition: 'a question that is not open, or that cannot be answered',
    status: 400,
    code: 'not_unanswered_question',
    message: 'The question is not unanswered',
  },
  QuestionNotOpenError,
  /\bquestion(?: \d{1,20})? (?:is |was )?(?:not unanswered|already (?:been )?answered|must be unanswered|has already been answered)\b/,
);
export const notActiveItem = /* @__PURE__ */ errorByCode(
  {
    section: 'Live service',
    condition: 'an item that is not active',
    status: 400,
    code: 'not_active_item',
    message: 'The item is not active',
  },
  ItemNotActiveError,
  /\bitem(?: [a-z]{2,4}\d{1,20})? (?:(?:is |was )?(?:not active|inactive)|must be active|isn't active)\b/,
);
export const userAskLimit = /* @__PURE__ */ errorByCode(
  {
    section: 'Live service',
    condition: 'more questions than a user may ask',
    status: 400,
    code: 'user_ask_limit',
    message: 'The user may not ask more questions for now',
    otherStatuses: [403],
  },
  AskLimitError,
  /\b(?:may not|cannot|can't) ask more questions\b|\btoo many questions\b|\b(?:limit of questions|questions? limit|ask limit)\b/,
);
const namesAnother = /* @__PURE__ */ messageMatches(
  /\b(?:user|seller|resource|path|route|endpoint)\b.{0,40}\b(?:not found|not exist)/,
);
const namesNoQuestions = /* @__PURE__ */ messageMatches(/\bno questions\b/);
export const noQuestions = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'response time requested for a seller without questions',
    status: 404,
    code: 'not_found',
    message: 'The seller has no questions on any item',
  },
  NoQuestionsError,
  // The specification gives only the code, so the error may not name anything else that was not found.
  (details) => namesNoQuestions(details) || (hasCode(details, 'not_found') && !namesAnother(details)),
);
export const questionNotFound = /* @__PURE__ */ documentedError({
  section: 'Authentication 4',
  condition: 'a question in status DELETED or BANNED without a token, or no such question',
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
