import type { Question } from '../resources/questions/schemas.js';

/** Whether a question has a status, in whatever case the service delivers it: `UNANSWERED` or `unanswered`. */
export function hasStatus({ status }: Pick<Question, 'status'>, expected: Uppercase<string>): boolean {
  return status?.toUpperCase() === expected;
}

/** The id of the user who asked: some responses have `buyer_id` in place of `from`. */
export function askerId({ from, buyer_id }: Pick<Question, 'from' | 'buyer_id'>): number | undefined {
  return from?.id ?? buyer_id ?? undefined;
}
