import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { ageOf, compareText, confirmByList, isBefore } from '../../core/recover/confirm-by-list.js';
import { assertSame, readEnds } from '../../core/recover/shown-list.js';
import type { ShownPage } from '../../core/recover/shown-list.js';
import { meansNoQuestion } from './errors.js';
import { get, search } from './reads.js';
import type * as schemas from './schemas.js';

/** Looks for a question among the newest of its item. */
export async function confirmAsked(
  { item_id, text }: schemas.AskParams,
  context: ConfirmContext,
): Promise<Confirmation<schemas.Question | undefined>> {
  const shown = await readEnds((offset) => newestQuestions(item_id, offset, context), 50);
  const { userId, equalWrites } = context;
  // Questions by other users do not count. If the token names no user, any of the questions may be this one.
  const own = shown.entries.filter(({ from }) => userId === undefined || !from?.id || String(from.id) === userId);
  const entries = own.map((entry) => ({
    entry,
    content: compareText(entry.text, text),
    date: entry.date_created,
  }));
  const found = confirmByList<schemas.Question | undefined>({ ...shown, entries, equalWrites });
  if (!found.done || String(found.output?.from?.id) === userId) return found;
  return { unknown: 'there is such a question since, and it may be of another user' };
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
  assertSame('item', item_id, entries?.map((entry) => entry.item_id) ?? []);
  return { reading, entries, total };
}

/** Reads the answer of the question. A question has at most one. */
export async function confirmAnswered(
  { question_id, text }: schemas.AnswerParams,
  context: ConfirmContext,
): Promise<Confirmation<schemas.Question | undefined>> {
  const { data: output, sent } = await context.read(get, { question_id });
  assertSame('question', question_id, [output.id]);
  const { answer: given, status } = output;
  const content = compareText(given?.text, text);
  if (content === 'same') return { done: true, output };
  if (given?.text === '') return { unknown: 'the question has an answer whose text is not shown' };
  // A question has at most one answer. If it has none, or an older one, this write was not carried out.
  if (given?.text) {
    const date = given.date_created;
    // An older answer is another one. So is an answer with another text, unless its date may be after the write.
    const isOther = content === 'other' && (!date || isBefore(date, sent));
    if (isOther || ageOf(date, sent) === 'older') return { done: false };
    return { unknown: 'the question has another answer, or this one with its text changed' };
  }
  if (status?.toUpperCase() === 'UNANSWERED') return { done: false };
  return { unknown: `the question is ${status ?? 'in no known state'} and shows no answer` };
}

/** Reads the question, which shows that it is deleted, or is no longer found. */
export async function confirmDeleted(
  { question_id }: schemas.GetQuestionParams,
  context: ConfirmContext,
): Promise<Confirmation<schemas.DeletionResponse | undefined>> {
  try {
    const { id, status } = (await context.read(get, { question_id })).data;
    assertSame('question', question_id, [id]);
    if (!status) return { unknown: 'the question shows no status' };
    return status.toUpperCase() === 'DELETED' ? { done: true, output: [] } : { done: false };
  } catch (error) {
    if (meansNoQuestion(error)) return { done: true, output: [] };
    throw error;
  }
}
