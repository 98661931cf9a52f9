import type { QuestionSearchParams } from '../../resources/questions/schemas.js';
import type { QuestionStore, StoredQuestion } from '../state/questions.js';

/** What a search can be sorted by, and what of a question that is. */
const sorts = {
  item_id: (question: StoredQuestion) => question.item_id,
  seller_id: (question: StoredQuestion) => question.seller_id,
  from_id: (question: StoredQuestion) => question.from,
  date_created: (question: StoredQuestion) => question.askedAt,
};

const statuses = ['UNANSWERED', 'ANSWERED', 'CLOSED_UNANSWERED', 'UNDER_REVIEW', 'DELETED', 'BANNED'];

/** What the answer of a search says of how it can be narrowed and sorted. */
export const searchOffers = {
  available_filters: [
    { id: 'status', name: 'Status', values: statuses.map((name) => ({ id: name, name })) },
    { id: 'date_from', name: 'Asked at or after' },
    { id: 'date_to', name: 'Asked before' },
  ],
  available_sorts: Object.keys(sorts),
};

/** The questions that a search finds, in its order; the newest first unless it says otherwise. */
export function findQuestions(desk: QuestionStore, search: QuestionSearchParams): StoredQuestion[] {
  const { sort_fields = ['date_created'], sort_types = search.sort_fields ? [] : ['DESC'] } = search;
  const found = desk.all.filter((question) => isMeant(question, search) && passes(desk, question, search.filters));
  return found.sort((a, b) => {
    for (const [index, field] of sort_fields.entries()) {
      const order = compare(sorts[field](a), sorts[field](b));
      if (order !== 0) return sort_types[index] === 'DESC' ? -order : order;
    }
    return sort_types.at(-1) === 'DESC' ? b.id - a.id : a.id - b.id;
  });
}

function isMeant(question: StoredQuestion, { seller_id, item, item_id, from }: QuestionSearchParams): boolean {
  if (question.hidden) return false;
  if (seller_id !== undefined) return question.seller_id === Number(seller_id);
  return question.item_id === (item ?? item_id) && (from === undefined || question.from === Number(from));
}

/** Names that are no filter change nothing: the service ignores parameters that it does not know. */
function passes(desk: QuestionStore, question: StoredQuestion, filters: QuestionSearchParams['filters'] = {}): boolean {
  const { status, date_from, date_to } = filters;
  if (typeof date_from === 'string' && question.askedAt < Date.parse(date_from)) return false;
  if (typeof date_to === 'string' && question.askedAt >= Date.parse(date_to)) return false;
  if (typeof status !== 'string') return !question.removed;
  return status.toUpperCase().split(',').includes(desk.statusOf(question));
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
