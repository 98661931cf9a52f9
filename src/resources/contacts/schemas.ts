import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { isAfter, dateTimeInput, writtenDate } from '../../core/schema/define.js';
import { atLeast, id, key, limit, offset, nullishArray, nonEmptyArray } from '../fields.js';

export const contactTotal = s.looseObject({
  total: s.integer,
  date_from: s.nullish(s.dateTime),
  date_to: s.nullish(s.dateTime),
  /** Present if the request was for an item. */
  item_id: s.nullish(s.string),
  /** Present if the request was for a user. */
  user_id: s.nullish(s.integer),
});
/** The number of contacts between two dates. */
export interface ContactTotal extends Output<typeof contactSchemas.contactTotal> {}

const contactInterval = s.looseObject({
  /** The start of the interval. The service often sends it without a time zone. */
  date: s.dateTime,
  total: s.integer,
});
/** The number of contacts in one interval of a window. */
export interface ContactInterval extends Output<typeof contactSchemas.contactInterval> {}

export const contactWindow = s.looseObject({
  total: s.integer,
  date_from: s.nullish(s.dateTime),
  date_to: s.nullish(s.dateTime),
  /** The length of the window, in units. */
  last: s.nullish(s.integer),
  unit: s.nullish(s.openEnum('day', 'hour')),
  /** Present if the request was for an item. */
  item_id: s.nullish(s.string),
  /** Present if the request was for a user. */
  user_id: s.nullish(s.integer),
  /** One entry per interval. */
  results: nullishArray(s.named<ContactInterval>(contactInterval), 'whole'),
});
/** The number of contacts in each interval of a window. */
export interface ContactWindow extends Output<typeof contactSchemas.contactWindow> {}

const period = {
  /** The start of the period: a `Date` or ISO 8601 text. */
  date_from: dateTimeInput,
  /** The end of the period: a `Date` or ISO 8601 text. Without a time it includes its day. */
  date_to: dateTimeInput,
  limit,
  offset,
};

const window = {
  /** The length of the window, in units; at least 1. */
  last: s.optional(atLeast(1, 'last')),
  /** The length of an interval. */
  unit: s.enumOf('day', 'hour'),
  /** The end of the window: a `Date` or ISO 8601 text. The default is the current time. */
  ending: s.optional(dateTimeInput),
  /** The sort direction, by date. The default is `asc`. */
  order: s.optional(s.enumOf('asc', 'desc')),
  limit,
  offset,
};

function inOrder<P extends { date_from: Date | string; date_to: Date | string }, In>(of: Schema<P, In>): Schema<P, In> {
  const rule = ({ date_from, date_to }: P) =>
    isAfter(writtenDate(date_from), writtenDate(date_to))
      ? { path: ['date_to'], message: '`date_to` is before `date_from`' }
      : undefined;
  return s.refine(of, rule, { description: '`date_to` is not before `date_from`.' });
}

const itemIds = nonEmptyArray(key, 'ids', 'item');

export const itemPeriodParams = inOrder(
  s.strictObject({
    /** The item. */
    item_id: key,
    ...period,
  }),
);
/** The input of `contacts.questions.ofItem` and `contacts.phoneViews.ofItem`. */
export type ItemPeriodParams = Input<typeof contactSchemas.itemPeriodParams>;

export const userPeriodParams = inOrder(
  s.strictObject({
    /** The seller. */
    user_id: id,
    ...period,
  }),
);
/** The input of `contacts.questions.ofUser` and `contacts.phoneViews.ofUser`. */
export type UserPeriodParams = Input<typeof contactSchemas.userPeriodParams>;

export const itemWindowParams = s.strictObject({
  /** The item. */
  item_id: key,
  ...window,
});
/** The input of `contacts.phoneViews.windowOfItem`. */
export type ItemWindowParams = Input<typeof contactSchemas.itemWindowParams>;

export const questionItemWindowParams = s.strictObject({
  /** The item. */
  item_id: key,
  ...window,
  /** Several items. The specification allows this parameter here. */
  ids: s.optional(itemIds),
});
/** The input of `contacts.questions.windowOfItem`, `contacts.questions.windowOfItem` and `contacts.questions.windowOfItem`. */
export type QuestionItemWindowParams = Input<typeof contactSchemas.questionItemWindowParams>;

export const itemsWindowParams = s.strictObject({
  /** The items, at least one. */
  ids: itemIds,
  ...window,
});
/** The input of `contacts.phoneViews.windowOfItems`. */
export type ItemsWindowParams = Input<typeof contactSchemas.itemsWindowParams>;

export const userWindowParams = s.strictObject({
  /** The seller. */
  user_id: id,
  ...window,
});
/** The input of `contacts.questions.windowOfUser` and `contacts.phoneViews.windowOfUser`. */
export type UserWindowParams = Input<typeof contactSchemas.userWindowParams>;

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const contactSchemas = {
  contactTotal,
  contactInterval,
  contactWindow,
  itemPeriodParams,
  userPeriodParams,
  itemWindowParams,
  questionItemWindowParams,
  itemsWindowParams,
  userWindowParams,
};

/** Their inputs: an editor shows `ContactInputs['itemWindowParams']`, not all that the schema says. */
export type ContactInputs = {
  readonly [Name in keyof typeof contactSchemas]: Input<(typeof contactSchemas)[Name]>;
};
