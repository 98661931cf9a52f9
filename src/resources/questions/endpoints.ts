import type { Confirmation } from '../../core/errors/seller-error.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { array, string, unknown } from '../../core/schema/define.js';
import { blacklistEndpoints } from '../blacklist/blacklist.js';
import { ageOf, compareText, confirmByList, readEnds, type ShownPage } from '../confirm-by-list.js';
import { orAnything, orAsItCame } from '../fields.js';
import * as errors from './errors.js';
import { meansNoQuestion } from './errors.js';
import * as schemas from './schemas.js';
import { question, type GetQuestionParams, type Question } from './schemas.js';

const search: DescribedEndpoint<schemas.QuestionSearchParams, schemas.QuestionSearchResponse> = {
  name: 'questions.search',
  summary: "Searches a seller's questions, an item's, or one user's questions on an item",
  method: 'GET',
  path: '/questions/search',
  input: schemas.questionSearchParams,
  example: {
    item: 'MLA100',
    from: 31,
    sort_fields: ['date_created', 'item_id'],
    sort_types: ['DESC', 'ASC'],
    limit: 20,
    offset: 40,
    filters: { status: 'UNANSWERED' },
  },
  output: schemas.questionSearchResponse,
  listOf: { seller_id: 'questions.*.seller_id' },
  related: { item: 'questions.*.item_id', item_id: 'questions.*.item_id' },
  retry: 'safe',
  errors: [],
};

const get: DescribedEndpoint<schemas.GetQuestionParams, schemas.Question> = {
  name: 'questions.get',
  summary: 'Reads a question',
  method: 'GET',
  path: '/questions/{question_id}',
  input: schemas.getQuestionParams,
  example: { question_id: 42 },
  output: schemas.question,
  complete: completeQuestion,
  identity: { question_id: 'id' },
  retry: 'safe',
  errors: [errors.questionNotFound],
  supportsAttributes: true,
};

const responseTime: DescribedEndpoint<schemas.UserParams, schemas.ResponseTime> = {
  name: 'questions.responseTime',
  summary: 'Reads how long a seller takes to answer, by time band',
  method: 'GET',
  path: '/users/{user_id}/questions/response_time',
  input: schemas.userParams,
  example: { user_id: 7 },
  output: schemas.responseTime,
  identity: { user_id: 'user_id' },
  retry: 'safe',
  errors: [errors.noQuestions],
  supportsAttributes: true,
};

/** The endpoints of questions that only read. */
const questionReads = { search, get, responseTime };

/** The question if the service returns it; otherwise the response body unchanged, or `undefined` if it is empty. */
const questionOrNothing = orAnything<Question>(question, 'id', bareQuestion);

/** The question of a call in any known shape. The service need not repeat the id. */
function completeQuestion(body: unknown, { question_id }: GetQuestionParams): unknown {
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

/** Looks for a question among the newest of its item. */
async function confirmAsked(
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
function questionEntry(asked: schemas.Question | undefined): string | undefined {
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
async function confirmAnswered(
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
function answerEntry(_: unknown, { question_id }: Pick<schemas.AnswerParams, 'question_id'>): string {
  return `answer ${question_id}`;
}

/** Reads the question, which shows that it is deleted, or is no longer found. */
async function confirmDeleted(
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

const ask: DescribedEndpoint<schemas.AskParams, schemas.Question | undefined> = {
  name: 'questions.ask',
  summary: 'Asks a question about an item',
  method: 'POST',
  path: '/questions',
  input: schemas.askParams,
  example: { item_id: 'MLA100', text: '¿Hay stock? 😀' },
  output: questionOrNothing,
  identity: { item_id: 'item_id' },
  retry: 'unsafe',
  content: ['text'],
  entryOf: questionEntry,
  errors: [errors.notActiveItem, errors.userAskLimit],
  confirm: confirmAsked,
};

const answer: DescribedEndpoint<schemas.AnswerParams, schemas.Question | undefined> = {
  name: 'questions.answer',
  summary: 'Answers a question',
  method: 'POST',
  path: '/answers',
  input: schemas.answerParams,
  example: { question_id: 42, text: 'Sí, hay.' },
  output: questionOrNothing,
  identity: { question_id: 'id' },
  retry: 'unsafe',
  content: ['text'],
  entryOf: answerEntry,
  errors: [errors.invalidQuestion, errors.invalidPostBody, errors.notUnansweredQuestion, errors.notActiveItem],
  confirm: confirmAnswered,
};

const remove: DescribedEndpoint<schemas.GetQuestionParams, schemas.DeletionResponse> = {
  name: 'questions.delete',
  summary: 'Deletes a question that the seller received',
  method: 'DELETE',
  path: '/questions/{question_id}',
  input: schemas.getQuestionParams,
  example: { question_id: 42 },
  output: orAsItCame(array(string)),
  retry: 'unsafe',
  errors: [errors.questionNotFound],
  confirm: confirmDeleted,
};

const hide: DescribedEndpoint<schemas.GetQuestionParams> = {
  name: 'questions.hide',
  summary: 'Hides a received question from the listing',
  method: 'POST',
  path: '/my/questions/hidden',
  input: schemas.getQuestionParams,
  example: { question_id: 42 },
  output: unknown,
  retry: 'unsafe',
  // It is hidden, whether once or twice.
  isHarmless: true,
  errors: [],
};

/** The endpoints of questions, as `endpoints` has them. */
export const questionEndpoints = { ...questionReads, ask, answer, delete: remove, hide, blacklist: blacklistEndpoints };
