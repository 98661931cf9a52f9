import type { QuestionSearchParams } from '../../resources/questions/schemas.js';
import type { QuestionStore, StoredQuestion } from '../state/questions.js';

/** The sort fields of a search, with the value that each sorts by. */
const sorts = {
  item_id: (question: StoredQuestion) => question.item_id,
  seller_id: (question: StoredQuestion) => question.seller_id,
  from_id: (question: StoredQuestion) => question.from,
  date_created: (question: StoredQuestion) => question.askedAt,
};

const statuses = ['UNANSWERED', 'ANSWERED', 'CLOSED_UNANSWERED', 'UNDER_REVIEW', 'DELETED', 'BANNED'];

/** The available filters and sorts in the response of a search. */
export const searchOptions = {
  available_filters: [
    { id: 'status', name: 'Status', values: statuses.map((name) => ({ id: name, name })) },
    { id: 'date_from', name: 'Asked at or after' },
    { id: 'date_to', name: 'Asked before' },
  ],
  available_sorts: Object.keys(sorts),
};

/** Finds and sorts questions, by default the newest first. */
export function findQuestions(store: QuestionStore, search: QuestionSearchParams): StoredQuestion[] {
  const { sort_fields = ['date_created'], sort_types = search.sort_fields ? [] : ['DESC'] } = search;
  const found = store.all.filter(
    (question) => matchesScope(question, search) && matchesFilters(store, question, search.filters),
  );
  return found.sort((a, b) => {
    for (const [index, field] of sort_fields.entries()) {
      const order = compare(sorts[field](a), sorts[field](b));
      if (order !== 0) return sort_types[index] === 'DESC' ? -order : order;
    }
    return sort_types.at(-1) === 'DESC' ? b.id - a.id : a.id - b.id;
  });
}

function matchesScope(question: StoredQuestion, { seller_id, item, item_id, from }: QuestionSearchParams): boolean {
  if (question.hidden) return false;
  if (seller_id !== undefined) return question.seller_id === Number(seller_id);
  return question.item_id === (item ?? item_id) && (from === undefined || question.from === Number(from));
}

/** Unknown filters are ignored, as the service ignores unknown parameters. */
function matchesFilters(
  store: QuestionStore,
  question: StoredQuestion,
  filters: QuestionSearchParams['filters'] = {},
): boolean {
  const { status, date_from, date_to } = filters;
  if (typeof date_from === 'string' && question.askedAt < Date.parse(date_from)) return false;
  if (typeof date_to === 'string' && question.askedAt >= Date.parse(date_to)) return false;
  if (typeof status !== 'string') return !question.removed;
  return status.toUpperCase().split(',').includes(store.statusOf(question));
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
