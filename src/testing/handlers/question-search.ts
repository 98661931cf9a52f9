import { defined } from '../../core/json/json.js';
import { queryDate, queryId, queryList, type PageParams, type QueryDate } from '../http/read-request.js';
import type { Bearer } from '../state/accounts.js';
import { badRequest, type Call } from '../http/handler.js';
import type { QuestionStore, StoredQuestion } from '../state/questions.js';

/** The sort fields of a search, with the value that each sorts by. */
const sorts = {
  item_id: (question: StoredQuestion) => question.item_id,
  seller_id: (question: StoredQuestion) => question.seller_id,
  from_id: (question: StoredQuestion) => question.from,
  date_created: (question: StoredQuestion) => question.askedAt,
};

type SortField = keyof typeof sorts;

const statuses = ['UNANSWERED', 'ANSWERED', 'CLOSED_UNANSWERED', 'UNDER_REVIEW', 'DELETED', 'BANNED'];

/** The wrapper of the live service. `filters` also names the page and the caller. */
export function liveWrapper(
  { seller_id, item_id, from, filters }: QuestionSearch,
  { offset, limit }: PageParams,
  { user_id, application_id }: Bearer,
): object {
  const scope = { seller: seller_id === undefined ? undefined : String(seller_id), item: item_id, from };
  return {
    filters: {
      ...filters,
      ...defined(scope),
      ...{ limit, offset, is_admin: false, sorts: [], caller: user_id, client_id: application_id, api_version: '4' },
    },
    available_filters: [
      { id: 'item', name: 'Item', type: 'text' },
      { id: 'from', name: 'From user id', type: 'number' },
      { id: 'totalDivisions', name: 'total divisions', type: 'number' },
      { id: 'division', name: 'Division', type: 'number' },
      { id: 'status', name: 'Status', type: 'text', values: statuses },
      { id: 'date_from', name: 'Asked at or after', type: 'date' },
      { id: 'date_to', name: 'Asked before', type: 'date' },
    ],
  };
}

/** The available filters and sorts in the response of a search. */
export const searchOptions = {
  available_filters: [
    { id: 'status', name: 'Status', values: statuses.map((name) => ({ id: name, name })) },
    { id: 'date_from', name: 'Asked at or after' },
    { id: 'date_to', name: 'Asked before' },
  ],
  available_sorts: Object.keys(sorts),
};

/** The parameters of a search. */
interface QuestionSearch {
  readonly seller_id: number | undefined;
  readonly item_id: string | undefined;
  readonly from: number | undefined;
  readonly sort: readonly { readonly field: SortField; readonly isDescending: boolean }[];
  readonly filters: Readonly<Record<string, string>>;
  /** The times of the filters `date_from` and `date_to`, in milliseconds since 1970. */
  readonly askedFrom: number | undefined;
  readonly askedBefore: number | undefined;
}

/** Reads a search, which is by seller, by item, or by item and asker. @throws {ErrorResponse} 400 for any other */
export function readSearch(call: Call): QuestionSearch {
  const { query } = call;
  const seller_id = queryId(call, 'seller_id');
  const from = queryId(call, 'from');
  if (query.has('item') && query.has('item_id')) throw badRequest('item and item_id are the same parameter; send one');
  const item_id = query.get('item') ?? query.get('item_id') ?? undefined;
  if ((seller_id === undefined) === (item_id === undefined))
    throw badRequest('search by seller_id, by item, or by item and from');
  if (from !== undefined && item_id === undefined) throw badRequest('from needs item');
  const filters = Object.fromEntries(
    ['status', 'date_from', 'date_to'].flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const askedFrom = queryDate(call, 'date_from')?.ms;
  const askedBefore = askedBeforeOf(queryDate(call, 'date_to'));
  return { seller_id, item_id, from, sort: readSort(call), filters, askedFrom, askedBefore };
}

/** A time is excluded, and a day without a time is included. */
function askedBeforeOf(to: QueryDate | undefined): number | undefined {
  return to && (to.endMs > to.ms ? to.endMs + 1 : to.ms);
}

function readSort(call: Call): QuestionSearch['sort'] {
  const fields = queryList(call, 'sort_fields');
  const types = queryList(call, 'sort_types').map((type) => type.toUpperCase());
  const unknown = fields.find((field) => !Object.hasOwn(sorts, field));
  if (unknown !== undefined) throw badRequest(`sort_fields: ${unknown} is not one of ${Object.keys(sorts).join(', ')}`);
  if (types.some((type) => type !== 'ASC' && type !== 'DESC')) throw badRequest('sort_types must be ASC or DESC');
  if (types.length > 0 && types.length !== fields.length)
    throw badRequest('sort_types must have one entry per entry of sort_fields');
  return fields.map((field, index) => ({ field: field as SortField, isDescending: types[index] === 'DESC' }));
}

/** Finds and sorts questions, by default the newest first. */
export function findQuestions(store: QuestionStore, search: QuestionSearch): StoredQuestion[] {
  const sort = search.sort.length > 0 ? search.sort : [{ field: 'date_created' as const, isDescending: true }];
  const wanted = search.filters.status?.toUpperCase().split(',');
  const hasStatus = (question: StoredQuestion): boolean =>
    wanted ? wanted.includes(store.statusOf(question)) : !question.removed;
  const found = store.all.filter(
    (question) => matchesScope(question, search) && isAskedWithin(question, search) && hasStatus(question),
  );
  return found.sort((a, b) => {
    for (const { field, isDescending } of sort) {
      const order = compare(sorts[field](a), sorts[field](b));
      if (order !== 0) return isDescending ? -order : order;
    }
    return sort.at(-1)?.isDescending ? b.id - a.id : a.id - b.id;
  });
}

function matchesScope(question: StoredQuestion, { seller_id, item_id, from }: QuestionSearch): boolean {
  if (question.hidden) return false;
  if (seller_id !== undefined) return question.seller_id === seller_id;
  return question.item_id === item_id && (from === undefined || question.from === from);
}

function isAskedWithin(
  { askedAt }: StoredQuestion,
  { askedFrom = -Infinity, askedBefore = Infinity }: QuestionSearch,
): boolean {
  return askedAt >= askedFrom && askedAt < askedBefore;
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
