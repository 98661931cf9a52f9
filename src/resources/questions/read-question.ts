import { orAnything } from '../fields.js';
import { question } from './schemas.js';
import type { GetQuestionParams, Question } from './schemas.js';

/** The question if the service returns it; otherwise the response body unchanged, or `undefined` if it is empty. */
export const questionOrNothing = orAnything<Question>(question, 'id', bareQuestion);

/** The question of a call in any known shape. The service need not repeat the id. */
export function completeQuestion(body: unknown, { question_id }: GetQuestionParams): unknown {
  const found = bareQuestion(body);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return found;
  const { id } = found as { id?: unknown };
  const isQuestion = (id ?? undefined) === undefined && ['text', 'status', 'answer'].some((name) => name in found);
  return isQuestion ? { ...found, id: question_id } : found;
}

/** A question may be in a list of one, or in `question`, and its id in `question_id`. */
function bareQuestion(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? bareQuestion(value[0]) : value;
  if (typeof value !== 'object' || value === null) return value;
  const { id, question: inside, question_id } = value as { id?: unknown; question?: unknown; question_id?: unknown };
  if (id !== undefined && id !== null) return value;
  if (typeof inside === 'object' && inside !== null) return bareQuestion(inside);
  return question_id === undefined || question_id === null ? value : { ...value, id: question_id };
}
