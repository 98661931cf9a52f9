import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { ageOf, compareText, confirmByList } from '../confirm-by-list.js';
import { readEnds } from '../shown-list.js';
import type { ShownPage } from '../shown-list.js';
import { meansNoQuestion } from './errors.js';
import { get, search } from './reads.js';
import type * as schemas from './schemas.js';

/** Looks for a question among the newest of its item. */
export async function confirmAsked(
  { item_id, text }: schemas.AskParams,
  context: ConfirmContext,
): Promise<Confirmation<schemas.Question | undefined>> {
  const shown = await readEnds((offset) => newestQuestions(item_id, offset, context), 50);
  const { userId } = context;
  // Questions about another item, or by other users, do not count. If the token names no user, any may be this one.
  const ofItem = shown.entries.filter((entry) => !entry.item_id || entry.item_id === String(item_id));
  const own = ofItem.filter(({ from }) => userId === undefined || !from?.id || String(from.id) === userId);
  const entries = own.map((entry) => ({
    entry,
    name: questionEntry(entry),
    compare: (sent: Pick<schemas.AskParams, 'text'>) => compareText(entry.text, sent.text),
    date: entry.date_created,
    uncertainty:
      String(entry.from?.id) === userId ? undefined : 'there is such a question since, and it may be of another user',
  }));
  return confirmByList<schemas.Question | undefined, Pick<schemas.AskParams, 'text'>>(
    { ...shown, entries, isComplete: shown.isComplete && ofItem.length === shown.entries.length },
    { text },
    context,
  );
}

/** The name of a question in the book of writes. */
export function questionEntry(asked: schemas.Question | undefined): string | undefined {
  return asked?.id === undefined ? undefined : `question ${asked.id}`;
}

/** Reads questions about an item, the newest first. */
async function newestQuestions(
  item_id: schemas.AskParams['item_id'],
  offset: number | undefined,
  context: ConfirmContext,
): Promise<ShownPage<schemas.Question>> {
  const newest = { item: String(item_id), sort_fields: ['date_created'], sort_types: ['DESC'], limit: 50 } as const;
  const reading = await context.read(search, { ...newest, ...(offset !== undefined && { offset }) });
  const { questions: entries, total } = reading.data;
  return { reading, entries, total };
}

/** Reads the answer of the question. A question has at most one. */
export async function confirmAnswered(
  { question_id, text }: schemas.AnswerParams,
  context: ConfirmContext,
): Promise<Confirmation<schemas.Question | undefined>> {
  const { data: output, sent } = await context.read(get, { question_id });
  const { answer: given, status } = output;
  const entry = answerEntry(undefined, { question_id });
  const known = await context.look([entry]);
  const proves = known.provedBy(entry);
  // A question has at most one answer: if it is another one, this write was not carried out.
  if (proves !== undefined) return proves === 'this' ? { done: true, output } : { done: false };
  if (compareText(given?.text, text) === 'same') {
    if (known.others.some(({ isInFlight }) => isInFlight))
      return { unknown: 'an equal answer is being sent, and this may be its own', mayChange: true };
    return (await context.claim(entry)) ? { done: true, output } : { done: false };
  }
  if (given?.text === '') return { unknown: 'the question has an answer whose text is not shown' };
  if (given?.text) {
    if (ageOf(given.date_created, sent) === 'older') return { done: false };
    return { unknown: 'the question has another answer, or this one with its text changed' };
  }
  if (status?.toUpperCase() === 'UNANSWERED') return { done: false };
  return { unknown: `the question is ${status ?? 'in no known state'} and shows no answer` };
}

/** The name of an answer in the book of writes. A question has one. */
export function answerEntry(_: unknown, { question_id }: Pick<schemas.AnswerParams, 'question_id'>): string {
  return `answer ${question_id}`;
}

/** Reads the question, which shows that it is deleted, or is no longer found. */
export async function confirmDeleted(
  { question_id }: schemas.GetQuestionParams,
  context: ConfirmContext,
): Promise<Confirmation<schemas.DeletionResponse | undefined>> {
  try {
    const { status } = (await context.read(get, { question_id })).data;
    if (!status) return { unknown: 'the question shows no status' };
    return status.toUpperCase() === 'DELETED' ? { done: true, output: [] } : { done: false };
  } catch (error) {
    if (meansNoQuestion(error)) return { done: true, output: [] };
    throw error;
  }
}
