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
 * The id of the user who asked: some responses have `buyer_id` in place of `from`.
 *
 * @example
 * const question = await seller.questions.get({ question_id });
 * console.log(askerId(question));
 */
export function askerId({ from, buyer_id }: Pick<Question, 'from' | 'buyer_id'>): number | undefined {
  return from?.id ?? buyer_id ?? undefined;
}
