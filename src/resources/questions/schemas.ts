import {
  array,
  boolean,
  dateTime,
  enumOf,
  integer,
  nullish,
  openEnum,
  optional,
  strictObject,
  preprocess,
  record,
  refine,
  looseObject,
  string,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import {
  boundedText,
  id,
  key,
  limit,
  listOrObject,
  mainList,
  nullishArray,
  offset,
  pagedListIn,
  paging,
  searchOptionOrId,
} from '../../core/schema/fields.js';
import type { Paging, SearchOption } from '../../core/schema/fields.js';
import { questionTextLimit } from './limits.js';

/** The user who asked. */
export const asker = looseObject({
  id: integer,
  /** How many questions of this user the seller has answered. */
  answered_questions: nullish(integer),
});
export interface Asker extends Output<typeof asker> {}

/** The seller's answer to a question. */
export const answerOfQuestion = looseObject({
  /** At most 2,000 characters; `""` if the answer was deleted or banned. */
  text: nullish(string),
  /** Upper case if read by id. Elsewhere the case varies, so compare with `toUpperCase()`. */
  status: nullish(openEnum('ACTIVE', 'DISABLED', 'BANNED')),
  date_created: nullish(dateTime),
});
export interface AnswerOfQuestion extends Output<typeof answerOfQuestion> {}

/** A buyer's question about an item. */
export const question = looseObject({
  id: integer,
  /** The seller who received the question. */
  seller_id: nullish(integer),
  item_id: nullish(string),
  /** At most 2,000 characters; `""` if the question was deleted or banned. */
  text: nullish(string),
  /**
   * Upper case if read by id. Elsewhere the case varies, so compare with `toUpperCase()`. The service may add values.
   */
  status: nullish(openEnum('UNANSWERED', 'ANSWERED', 'CLOSED_UNANSWERED', 'UNDER_REVIEW', 'DELETED', 'BANNED')),
  date_created: nullish(dateTime),
  /** Present if the question was read by id. */
  deleted_from_listing: nullish(boolean),
  /** Present if the question was read by id. */
  hold: nullish(boolean),
  /** The user who asked. Some responses have `buyer_id` instead. */
  from: nullish<Asker>(asker),
  /** The user who asked, if `from` is absent. */
  buyer_id: nullish(integer),
  /** The seller's answer; absent, `null` or empty if there is none. */
  answer: nullish<Partial<AnswerOfQuestion>>(answerOfQuestion),
});
export interface Question extends Output<typeof question> {}

/** The response to a question search. All its known shapes are accepted. */
export const questionSearchResponse = preprocess(
  looseObject({
    total: nullish(integer),
    limit: nullish(integer),
    offset: nullish(integer),
    questions: mainList<Question>(question),
    paging: nullish<Paging>(paging),
    filters: nullish(listOrObject),
    available_filters: nullishArray(searchOptionOrId),
    available_sorts: nullishArray(searchOptionOrId),
  }),
  pagedListIn('questions'),
);
export interface QuestionSearchResponse extends Output<typeof questionSearchResponse> {}

/** What a page of the question search contains besides its questions. */
export interface QuestionSearchExtra {
  readonly filters?: unknown;
  readonly available_filters?: readonly (SearchOption | string)[] | null | undefined;
  readonly available_sorts?: readonly (SearchOption | string)[] | null | undefined;
}

/** The response time in one part of the week. */
export const responseTimeBand = looseObject({
  /** The average, in minutes. */
  response_time: nullish(integer),
  /**
   * How many percent more sales to expect if answers take less than an hour; `null` unless `response_time` exceeds 60.
   */
  sales_percent_increase: nullish(integer),
});
export interface ResponseTimeBand extends Output<typeof responseTimeBand> {}

/** How long a seller takes to answer, over the last 14 days, updated once a day. */
export const responseTime = looseObject({
  user_id: nullish(integer),
  /** The whole week, including questions asked from 00:00 to 09:00, which the other fields do not count. */
  total: nullish(looseObject({ response_time: nullish(integer) })),
  weekend: nullish<ResponseTimeBand>(responseTimeBand),
  /** Monday to Friday, 09:00 to 18:00. */
  weekdays_working_hours: nullish<ResponseTimeBand>(responseTimeBand),
  /** Monday to Friday, 18:00 to 24:00. */
  weekdays_extra_hours: nullish<ResponseTimeBand>(responseTimeBand),
});
export interface ResponseTime extends Output<typeof responseTime> {}

const sortField = enumOf('item_id', 'seller_id', 'from_id', 'date_created');
const sortType = enumOf('ASC', 'DESC');

const searchFields = {
  /** Questions that this seller received. */
  seller_id: optional(id),
  /** Questions about this item. */
  item: optional(key),
  /** An alias of `item`. */
  item_id: optional(key),
  /** With `item` or `item_id`: only the questions that this user asked. */
  from: optional(id),
  /** The fields to sort by. */
  sort_fields: optional(array(sortField)),
  /** The sort directions, one for each of `sort_fields`. */
  sort_types: optional(array(sortType)),
  limit,
  offset,
  /** Sent as query parameters, e.g. `{ status: 'UNANSWERED' }`. The specification does not name the filters. */
  filters: optional(record),
};

/** Filters of a search, sent as query parameters. The specification does not name them. */
export interface QuestionFilters {
  /** One status or several. */
  readonly status?: QuestionStatusFilter | readonly QuestionStatusFilter[] | undefined;
  readonly [name: string]: unknown;
}
type QuestionStatusFilter = 'UNANSWERED' | 'ANSWERED' | 'CLOSED_UNANSWERED' | 'UNDER_REVIEW' | (string & {});

interface SearchCommon {
  /** The fields to sort by. */
  readonly sort_fields?: readonly Input<typeof sortField>[] | undefined;
  /** The sort directions, one for each of `sort_fields`. */
  readonly sort_types?: readonly Input<typeof sortType>[] | undefined;
  /** The number of questions per page. The service's default is 50. */
  readonly limit?: number | undefined;
  /** How many questions to skip. */
  readonly offset?: number | undefined;
  /** Sent as query parameters, e.g. `{ status: 'UNANSWERED' }`. The specification does not name the filters. */
  readonly filters?: QuestionFilters | undefined;
}
interface BySeller extends SearchCommon {
  /** Questions that this seller received. */
  readonly seller_id: number | string;
  readonly item?: never;
  readonly item_id?: never;
  readonly from?: never;
}
interface ByItem extends SearchCommon {
  /** Questions about this item. */
  readonly item: string;
  /** Only the questions that this user asked. */
  readonly from?: number | string | undefined;
  readonly item_id?: never;
  readonly seller_id?: never;
}
interface ByItemId extends SearchCommon {
  /** Questions about this item. */
  readonly item_id: string;
  /** Only the questions that this user asked. */
  readonly from?: number | string | undefined;
  readonly item?: never;
  readonly seller_id?: never;
}

/** Which questions to search: to a seller, about an item, or of one user about an item. */
export type QuestionSearchParams = BySeller | ByItem | ByItemId;

export const questionSearchParams = refine(
  strictObject(searchFields),
  ({ seller_id, item, item_id, from, sort_fields, sort_types }) => {
    const ways = [seller_id, item, item_id].filter((way) => way !== undefined).length;
    if (ways !== 1) return 'a search takes exactly one of `seller_id`, `item` and `item_id`';
    if (from !== undefined && seller_id !== undefined)
      return { path: ['from'], message: '`from` goes with `item`, not with `seller_id`' };
    if (sort_types && sort_types.length !== (sort_fields?.length ?? 0)) {
      return { path: ['sort_types'], message: '`sort_types` takes one entry per entry of `sort_fields`' };
    }
    return undefined;
  },
  {
    description:
      'Exactly one of `seller_id`, `item` and `item_id`; `from` goes with an item; `sort_types` takes one entry per entry of `sort_fields`.',
  },
) as Schema<unknown, QuestionSearchParams>;

export const getQuestionParams = strictObject({
  /** The question's id. */
  question_id: id,
});
export interface GetQuestionParams extends Input<typeof getQuestionParams> {}

export const askParams = strictObject({
  /** The item to ask about. */
  item_id: key,
  /** At most 2,000 characters. */
  text: boundedText('text', questionTextLimit, 'a question'),
});
export interface AskParams extends Input<typeof askParams> {}

export const answerParams = strictObject({
  /** The question to answer. */
  question_id: id,
  /** At most 2,000 characters. */
  text: boundedText('text', questionTextLimit, 'an answer'),
});
export interface AnswerParams extends Input<typeof answerParams> {}

export const userParams = strictObject({
  /** The seller. */
  user_id: id,
});
export interface UserParams extends Input<typeof userParams> {}

/** The response to a deletion: a list with one sentence, or an object with it; `undefined` if it is empty. */
export type DeletionResponse = string[] | { readonly message?: string | null | undefined } | undefined;
