import type { Question } from './schemas.js';

/**
 * Whether a question has a status, in whatever case the service delivers it: `UNANSWERED` or `unanswered`.
 *
 * @example
 * const question = await seller.questions.get({ question_id });
 * if (hasStatus(question, 'UNANSWERED')) console.log(question.text);
 */
export function hasStatus({ status }: Pick<Question, 'status'>, expected: Uppercase<string>): boolean {
  return status?.toUpperCase() === expected;
}

/**
 * Whether a question takes an answer, as far as its own fields say: it is `UNANSWERED`, not held back (`hold`) and not taken
 * from the listing (`deleted_from_listing`). A field that is absent does not object. The list of `UNANSWERED` questions holds
 * some that no answer reaches. The question does not show whether its item is paused: the service rejects the answer then.
 *
 * @example
 * for await (const question of seller.questions.search({ seller_id: 7, filters: { status: 'UNANSWERED' } }))
 *   console.log(question.text, isAnswerable(question) ? 'can be answered' : 'cannot be answered');
 */
export function isAnswerable(question: Pick<Question, 'status' | 'hold' | 'deleted_from_listing'>): boolean {
  const isOpen = (question.status ?? undefined) === undefined || hasStatus(question, 'UNANSWERED');
  return isOpen && question.hold !== true && question.deleted_from_listing !== true;
}

/**
 * The id of the user who asked: some responses have `buyer_id` in place of `from`.
 *
 * @example
 * const question = await seller.questions.get({ question_id });
 * console.log(askerId(question));
 */
export function askerId({ from, buyer_id }: Pick<Question, 'from' | 'buyer_id'>): number | undefined {
  return from?.id ?? buyer_id ?? undefined;
}
