import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import {
  boundedText,
  id,
  key,
  limit,
  listOrObject,
  nullishArray,
  offset,
  pagedListIn,
  paging,
  searchOptionOrId,
} from '../fields.js';
import type { Paging, SearchOption } from '../fields.js';

/** The maximum length of a question or an answer, in characters. */
export const questionTextLimit = 2000;

const asker = s.looseObject({
  id: s.integer,
  /** How many questions of this user the seller has answered. */
  answered_questions: s.nullish(s.integer),
});
/** The user who asked. */
export interface Asker extends Output<typeof questionSchemas.asker> {}

const answerOfQuestion = s.looseObject({
  /** At most 2,000 characters; `""` if the answer was deleted or banned. */
  text: s.nullish(s.string),
  /** Upper case if read by id. Elsewhere the case varies, so compare with `toUpperCase()`. */
  status: s.nullish(s.openEnum('ACTIVE', 'DISABLED', 'BANNED')),
  date_created: s.nullish(s.dateTime),
});
/** The seller's answer to a question. */
export interface AnswerOfQuestion extends Output<typeof questionSchemas.answerOfQuestion> {}

export const question = s.looseObject({
  id: s.integer,
  /** The seller who received the question. */
  seller_id: s.nullish(s.integer),
  item_id: s.nullish(s.string),
  /** At most 2,000 characters; `""` if the question was deleted or banned. */
  text: s.nullish(s.string),
  /**
   * Upper case if read by id. Elsewhere the case varies, so compare with `toUpperCase()`. The service may add values.
   */
  status: s.nullish(s.openEnum('UNANSWERED', 'ANSWERED', 'CLOSED_UNANSWERED', 'UNDER_REVIEW', 'DELETED', 'BANNED')),
  date_created: s.nullish(s.dateTime),
  /** Present if the question was read by id. */
  deleted_from_listing: s.nullish(s.boolean),
  /** Present if the question was read by id. */
  hold: s.nullish(s.boolean),
  /** The user who asked. Some responses have `buyer_id` instead. */
  from: s.nullish(s.named<Asker>(asker)),
  /** The user who asked, if `from` is absent. */
  buyer_id: s.nullish(s.integer),
  /** The seller's answer; absent, `null` or empty if there is none. */
  answer: s.nullish(s.named<Partial<AnswerOfQuestion>>(answerOfQuestion)),
});
/** A buyer's question about an item. */
export interface Question extends Output<typeof questionSchemas.question> {}

export const questionSearchResponse = s.preprocess(
  s.looseObject({
    total: s.nullish(s.integer),
    limit: s.nullish(s.integer),
    offset: s.nullish(s.integer),
    questions: nullishArray(s.named<Question>(question), 'main'),
    paging: s.nullish<Paging>(paging),
    filters: s.nullish(listOrObject),
    available_filters: nullishArray(searchOptionOrId),
    available_sorts: nullishArray(searchOptionOrId),
  }),
  pagedListIn('questions'),
);
/** The response to a question search. All its known shapes are accepted. */
export type QuestionSearchResponse = Output<typeof questionSearchResponse>;

/** What a page of the question search contains besides its questions. */
export interface QuestionSearchExtra {
  readonly filters?: unknown;
  readonly available_filters?: readonly (SearchOption | string)[] | null | undefined;
  readonly available_sorts?: readonly (SearchOption | string)[] | null | undefined;
}

const responseTimeBand = s.looseObject({
  /** The average, in minutes. */
  response_time: s.nullish(s.integer),
  /**
   * How many percent more sales to expect if answers take less than an hour; `null` unless `response_time` exceeds 60.
   */
  sales_percent_increase: s.nullish(s.integer),
});
/** The response time in one part of the week. */
export interface ResponseTimeBand extends Output<typeof questionSchemas.responseTimeBand> {}

export const responseTime = s.looseObject({
  user_id: s.nullish(s.integer),
  /** The whole week, including questions asked from 00:00 to 09:00, which the other fields do not count. */
  total: s.nullish(s.looseObject({ response_time: s.nullish(s.integer) })),
  weekend: s.nullish(s.named<ResponseTimeBand>(responseTimeBand)),
  /** Monday to Friday, 09:00 to 18:00. */
  weekdays_working_hours: s.nullish(s.named<ResponseTimeBand>(responseTimeBand)),
  /** Monday to Friday, 18:00 to 24:00. */
  weekdays_extra_hours: s.nullish(s.named<ResponseTimeBand>(responseTimeBand)),
});
/** How long a seller takes to answer, over the last 14 days, updated once a day. */
export interface ResponseTime extends Output<typeof questionSchemas.responseTime> {}

const sortField = s.enumOf('item_id', 'seller_id', 'from_id', 'date_created');
const sortType = s.enumOf('ASC', 'DESC');

const searchFields = s.strictObject({
  /** Questions that this seller received. */
  seller_id: s.optional(id),
  /** Questions about this item. */
  item: s.optional(key),
  /** An alias of `item`. */
  item_id: s.optional(key),
  /** With `item` or `item_id`: only the questions that this user asked. */
  from: s.optional(id),
  /** The fields to sort by. */
  sort_fields: s.optional(s.array(sortField)),
  /** The sort directions, one for each of `sort_fields`. */
  sort_types: s.optional(s.array(sortType)),
  limit,
  offset,
  /** Sent as query parameters, e.g. `{ status: 'UNANSWERED' }`. The specification does not name the filters. */
  filters: s.optional(s.record),
});

/** Filters of a search, sent as query parameters. The specification does not name them. */
export interface QuestionFilters {
  /** One status or several. */
  readonly status?: Exclude<Question['status'], null> | readonly Exclude<Question['status'], null | undefined>[];
  readonly [name: string]: unknown;
}

interface SearchCommon extends Pick<
  Input<typeof questionSchemas.searchFields>,
  'sort_fields' | 'sort_types' | 'limit' | 'offset'
> {
  /** Sent as query parameters, e.g. `{ status: 'UNANSWERED' }`. The specification does not name the filters. */
  readonly filters?: QuestionFilters | undefined;
  /** It is given in `filters`: the compiler shows this pattern, which no value fits. */
  readonly status?: `give it in filters: { status }${string}`;
}
/** What a field is beside another way to search: a pattern that no value fits, which the compiler shows. */
type OneWay = `a search takes one of seller_id, item and item_id${string}`;
interface BySeller extends SearchCommon {
  /** Questions that this seller received. */
  readonly seller_id: number | string;
  readonly item?: OneWay;
  readonly item_id?: OneWay;
  readonly from?: `from goes with an item, not with seller_id${string}`;
}
interface ByItem extends SearchCommon {
  /** Questions about this item. */
  readonly item: string;
  /** Only the questions that this user asked. */
  readonly from?: number | string | undefined;
  readonly item_id?: OneWay;
  readonly seller_id?: OneWay;
}
interface ByItemId extends SearchCommon {
  /** Questions about this item. */
  readonly item_id: string;
  /** Only the questions that this user asked. */
  readonly from?: number | string | undefined;
  readonly item?: OneWay;
  readonly seller_id?: OneWay;
}

/** What no search is: the last of the union, because the compiler compares with it what fits none, and then says this. */
interface InOneWay extends SearchCommon {
  readonly seller_id: OneWay;
  readonly item: OneWay;
  readonly item_id: OneWay;
  readonly from?: number | string | undefined;
}

/** Which questions to search: to a seller, about an item, or of one user about an item. */
export type QuestionSearchParams = BySeller | ByItem | ByItemId | InOneWay;

export const questionSearchParams = s.refine(
  searchFields,
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
) as unknown as Schema<QuestionSearchParams>;

export const getQuestionParams = s.strictObject({
  /** The question's id. */
  question_id: id,
});
/** The input of `questions.get`, `questions.delete` and `questions.hide`. */
export type GetQuestionParams = Input<typeof questionSchemas.getQuestionParams>;

export const askParams = s.strictObject({
  /** The item to ask about. */
  item_id: key,
  /** At most 2,000 characters. */
  text: boundedText('text', questionTextLimit, 'a question'),
});
/** The input of `questions.ask`. */
export type AskParams = Input<typeof questionSchemas.askParams>;

export const answerParams = s.strictObject({
  /** The question to answer. */
  question_id: id,
  /** At most 2,000 characters. */
  text: boundedText('text', questionTextLimit, 'an answer'),
});
/** The input of `questions.answer`. */
export type AnswerParams = Input<typeof questionSchemas.answerParams>;

export const userParams = s.strictObject({
  /** The seller. */
  user_id: id,
});
/** The input of `questions.responseTime`. */
export type UserParams = Input<typeof questionSchemas.userParams>;

/** The response to a deletion: a list with one sentence, or an object with it; `undefined` if it is empty. */
export type DeletionResponse = string[] | { readonly message?: string | null | undefined } | undefined;

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const questionSchemas = {
  asker,
  answerOfQuestion,
  question,
  responseTimeBand,
  responseTime,
  searchFields,
  getQuestionParams,
  askParams,
  answerParams,
  userParams,
};
