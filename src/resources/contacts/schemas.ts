import {
  array,
  dateTime,
  enumOf,
  int,
  integer,
  nullish,
  openEnum,
  optional,
  strictObject,
  refine,
  looseObject,
  string,
} from '../../core/schema/schema.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { isAfter, dateTimeInput, writtenDate } from '../../core/schema/date-time.js';
import { id, key, limit, offset, wholeList } from '../../core/schema/fields.js';

/** The number of contacts between two dates. */
export const contactTotal = looseObject({
  total: integer,
  date_from: nullish(dateTime),
  date_to: nullish(dateTime),
  /** Present if the request was for an item. */
  item_id: nullish(string),
  /** Present if the request was for a user. */
  user_id: nullish(integer),
});
export interface ContactTotal extends Output<typeof contactTotal> {}

/** The number of contacts in one interval of a window. */
export const contactInterval = looseObject({
  /** The start of the interval. The service often sends it without a time zone. */
  date: dateTime,
  total: integer,
});
export interface ContactInterval extends Output<typeof contactInterval> {}

/** The number of contacts in each interval of a window. */
export const contactWindow = looseObject({
  total: integer,
  date_from: nullish(dateTime),
  date_to: nullish(dateTime),
  /** The length of the window, in units. */
  last: nullish(integer),
  unit: nullish(openEnum('day', 'hour')),
  /** Present if the request was for an item. */
  item_id: nullish(string),
  /** Present if the request was for a user. */
  user_id: nullish(integer),
  /** One entry per interval. */
  results: wholeList<ContactInterval>(contactInterval),
});
export interface ContactWindow extends Output<typeof contactWindow> {}

const period = {
  /** The start of the period: a `Date` or ISO 8601 text. */
  date_from: dateTimeInput,
  /** The end of the period: a `Date` or ISO 8601 text. Without a time it is the beginning of its day. */
  date_to: dateTimeInput,
  limit,
  offset,
};

const window = {
  /** The length of the window, in units; at least 1. */
  last: optional(refine(int, (value) => (value < 1 ? '`last` is at least 1' : undefined), { minimum: 1 })),
  /** The length of an interval. */
  unit: enumOf('day', 'hour'),
  /** The end of the window: a `Date` or ISO 8601 text. The default is the current time. */
  ending: optional(dateTimeInput),
  /** The sort direction, by date. The default is `asc`. */
  order: optional(enumOf('asc', 'desc')),
  limit,
  offset,
};

function inOrder({ date_from, date_to }: { date_from: Date | string; date_to: Date | string }) {
  if (!isAfter(writtenDate(date_from), writtenDate(date_to))) return undefined;
  return { path: ['date_to'], message: '`date_to` is before `date_from`' };
}
const inOrderRule = { description: '`date_to` is not before `date_from`.' };

const itemIds = refine(
  array(key),
  (ids) => (ids.length === 0 ? '`ids` is empty; it takes at least one item' : undefined),
  { minItems: 1 },
);

export const itemPeriodParams = refine(
  strictObject({
    /** The item. */
    item_id: key,
    ...period,
  }),
  inOrder,
  inOrderRule,
);
export interface ItemPeriodParams extends Input<typeof itemPeriodParams> {}

export const userPeriodParams = refine(
  strictObject({
    /** The seller. */
    user_id: id,
    ...period,
  }),
  inOrder,
  inOrderRule,
);
export interface UserPeriodParams extends Input<typeof userPeriodParams> {}

export const itemWindowParams = strictObject({
  /** The item. */
  item_id: key,
  ...window,
});
export interface ItemWindowParams extends Input<typeof itemWindowParams> {}

export const questionItemWindowParams = strictObject({
  /** The item. */
  item_id: key,
  ...window,
  /** Several items. The specification allows this parameter here. */
  ids: optional(itemIds),
});
export interface QuestionItemWindowParams extends Input<typeof questionItemWindowParams> {}

export const itemsWindowParams = strictObject({
  /** The items, at least one. */
  ids: itemIds,
  ...window,
});
export interface ItemsWindowParams extends Input<typeof itemsWindowParams> {}

export const userWindowParams = strictObject({
  /** The seller. */
  user_id: id,
  ...window,
});
export interface UserWindowParams extends Input<typeof userWindowParams> {}
