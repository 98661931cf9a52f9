import { ageOf, compareText, confirmByList, isBefore } from '../../core/recover/confirm-by-list.js';
import { assertSame, readEnds } from '../../core/recover/shown-list.js';
import type { ShownPage } from '../../core/recover/shown-list.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { orAnything, orAsItCame } from '../../core/schema/fields.js';
import { array, preprocess, string, unknown } from '../../core/schema/define.js';
import type { Schema } from '../../core/schema/schema.js';
import { blacklistEndpoints } from '../blacklist/endpoints.js';
import * as errors from './errors.js';
import * as schemas from './schemas.js';

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
  retry: 'safe',
  errors: [errors.questionNotFound],
  supportsAttributes: true,
};

/** The question if the service returns it; otherwise the response body unchanged, or `undefined` if it is empty. */
const questionOrNothing = orAnything<schemas.Question>(schemas.question, 'id', bareQuestion);

const ask: DescribedEndpoint<schemas.AskParams, schemas.Question | undefined> = {
  name: 'questions.ask',
  summary: 'Asks a question about an item',
  method: 'POST',
  path: '/questions',
  input: schemas.askParams,
  example: { item_id: 'MLA100', text: '¿Hay stock? 😀' },
  output: questionOrNothing,
  retry: 'unsafe',
  errors: [errors.notActiveItem, errors.userAskLimit],
  async confirm({ item_id, text }, context) {
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
  },
};

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

const answer: DescribedEndpoint<schemas.AnswerParams, schemas.Question | undefined> = {
  name: 'questions.answer',
  summary: 'Answers a question',
  method: 'POST',
  path: '/answers',
  input: schemas.answerParams,
  example: { question_id: 42, text: 'Sí, hay.' },
  output: questionOrNothing,
  retry: 'unsafe',
  errors: [errors.invalidQuestion, errors.invalidPostBody, errors.notUnansweredQuestion, errors.notActiveItem],
  async confirm({ question_id, text }, context) {
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
  },
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
  async confirm({ question_id }, context) {
    try {
      const { id, status } = (await context.read(get, { question_id })).data;
      assertSame('question', question_id, [id]);
      if (!status) return { unknown: 'the question shows no status' };
      return status.toUpperCase() === 'DELETED' ? { done: true, output: [] } : { done: false };
    } catch (error) {
      if (errors.meansNoQuestion(error)) return { done: true, output: [] };
      throw error;
    }
  },
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
  errors: [],
};

const responseTimeOf: DescribedEndpoint<schemas.UserParams, schemas.ResponseTime> = {
  name: 'questions.responseTime',
  summary: 'Reads how long a seller takes to answer, by time band',
  method: 'GET',
  path: '/users/{user_id}/questions/response_time',
  input: schemas.userParams,
  example: { user_id: 7 },
  output: schemas.responseTime,
  retry: 'safe',
  errors: [errors.noQuestions],
  supportsAttributes: true,
};

/** A question may be in a list of one, or in `question`, and its id in `question_id`. */
function bareQuestion(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? bareQuestion(value[0]) : value;
  if (typeof value !== 'object' || value === null) return value;
  const { id, question: inside, question_id } = value as { id?: unknown; question?: unknown; question_id?: unknown };
  if (id !== undefined && id !== null) return value;
  if (typeof inside === 'object' && inside !== null) return bareQuestion(inside);
  return question_id === undefined || question_id === null ? value : { ...value, id: question_id };
}

/** The question with an id. The service need not repeat the id. */
export function questionWithId(question_id: unknown): Schema<schemas.Question> {
  return preprocess<schemas.Question>(schemas.question, (value) => {
    const found = bareQuestion(value);
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return found;
    const { id } = found as { id?: unknown };
    const isQuestion = (id ?? undefined) === undefined && ['text', 'status', 'answer'].some((name) => name in found);
    return isQuestion ? { ...found, id: question_id } : found;
  });
}

/** The endpoints of questions, as `endpoints` has them. */
export const questionEndpoints = {
  search,
  get,
  ask,
  answer,
  delete: remove,
  hide,
  responseTime: responseTimeOf,
  blacklist: blacklistEndpoints,
};
