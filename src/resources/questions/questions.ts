import type { Input } from '../../core/schema/schema.js';
import type { ApiPromise, Attributed, WithAttributes, Requester } from '../../core/operation/api-promise.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { pagedCalls, type Paged } from '../../core/paging/paged.js';
import { Blacklist } from '../blacklist/blacklist.js';
import { questionEndpoints } from './endpoints.js';
import type {
  questionSchemas,
  Question,
  DeletionResponse,
  QuestionSearchParams,
  QuestionSearchExtra,
  ResponseTime,
} from './schemas.js';

/** Buyers' questions and the seller's answers. */
export class Questions {
  /** The users who are blocked from asking. */
  readonly blacklist: Blacklist;
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
    this.blacklist = new Blacklist(requester);
  }

  /**
   * Iterates over the questions to a seller, about an item, or of one user about an item.
   * Request: GET /questions/search.
   *
   * You can answer, delete or hide questions in the loop: every question that stays in the list is delivered once.
   *
   * @example
   * for await (const question of seller.questions.search({ seller_id: 7, filters: { status: 'UNANSWERED' } })) {
   *   if (!isAnswerable(question)) continue;
   *   await seller.questions.answer({ question_id: question.id, text: 'Yes, there is stock.' });
   * }
   * @throws {InvalidInputError} when the input does not have exactly one of `seller_id`, `item` and `item_id`, at the
   *   first read.
   */
  search(input: QuestionSearchParams, options?: CallOptions): Paged<Question, QuestionSearchExtra> {
    return pagedCalls(this.#requester, questionEndpoints.search, input, options, {
      key: (question) => question.id,
      read: ({ questions, total, limit, offset: _, ...extra }) => ({ items: questions, total, limit, extra }),
    });
  }

  /**
   * Reads one question. Without a token (`accessToken: null`), a DELETED or BANNED question is not found.
   * Request: GET /questions/{question_id}.
   *
   * @example
   * const question = await seller.questions.get({ question_id });
   * console.log(question.status, question.text, question.answer?.text);
   * @throws {NotFoundError} when the question does not exist, or the token does not show it.
   */
  get<const Name extends keyof Question = keyof Question>(
    input: Input<typeof questionSchemas.getQuestionParams>,
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<Question, Name>> {
    return this.#requester.call(questionEndpoints.get, input, options);
  }

  /**
   * Asks a question about an item, as the user of the token. Request: POST /questions.
   *
   * @example
   * const question = await seller.questions.ask({ item_id: 'MLA100', text: 'Is it in stock?' });
   * console.log(question?.id);
   * @throws {InvalidInputError} when the text is blank or has more than 2,000 characters; nothing is sent.
   * @throws {ItemNotActiveError} when the item is not active.
   * @throws {AskLimitError} when the user has asked too many questions.
   * @throws {ForbiddenError} when the seller has blocked the user.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  ask(input: Input<typeof questionSchemas.askParams>, options?: CallOptions): ApiPromise<Question | undefined> {
    return this.#requester.call(questionEndpoints.ask, input, options);
  }

  /**
   * Answers a question. A question has at most one answer. Request: POST /answers.
   *
   * The response is not documented; in production it is the whole question.
   *
   * @example
   * await seller.questions.answer({ question_id, text: 'Yes, it is in stock.' });
   * @throws {InvalidInputError} when the text is blank or has more than 2,000 characters; nothing is sent.
   * @throws {InvalidQuestionError} when the question cannot be answered.
   * @throws {QuestionNotOpenError} when the question already has an answer or is closed.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  answer(input: Input<typeof questionSchemas.answerParams>, options?: CallOptions): ApiPromise<Question | undefined> {
    return this.#requester.call(questionEndpoints.answer, input, options);
  }

  /**
   * Deletes a question that the seller received. It needs the seller's token.
   * Request: DELETE /questions/{question_id}.
   *
   * @example
   * await seller.questions.delete({ question_id });
   * @returns a list with one sentence of confirmation; `undefined` if the response has no body.
   * @throws {ForbiddenError} when the question is about another seller's item.
   * @throws {NotFoundError} when the question does not exist.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  delete(input: Input<typeof questionSchemas.getQuestionParams>, options?: CallOptions): ApiPromise<DeletionResponse> {
    return this.#requester.call(questionEndpoints.delete, input, options);
  }

  /**
   * Hides a received question from the listing. Request: POST /my/questions/hidden.
   *
   * @example
   * await seller.questions.hide({ question_id });
   * @returns the response body, which is not documented.
   * @throws {OutcomeUnknownError} when the response was lost. The service does not show whether a question is hidden.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  hide(input: Input<typeof questionSchemas.getQuestionParams>, options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(questionEndpoints.hide, input, options);
  }

  /**
   * Returns how long a seller takes to answer, in minutes, over the last 14 days. The service updates it once a day.
   * Request: GET /users/{user_id}/questions/response_time.
   *
   * @example
   * const { total } = await seller.questions.responseTime({ user_id: 7 });
   * console.log(total?.response_time, 'minutes');
   * @throws {NoQuestionsError} when the seller has received no questions.
   */
  responseTime<const Name extends keyof ResponseTime = keyof ResponseTime>(
    input: Input<typeof questionSchemas.userParams>,
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ResponseTime, Name>> {
    return this.#requester.call(questionEndpoints.responseTime, input, options);
  }
}
