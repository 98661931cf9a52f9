import {
  anything,
  checked,
  closedEnum,
  either,
  entity,
  instant,
  integer,
  list,
  maybe,
  openEnum,
  optional,
  request,
  text,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { isAfter, dateTimeInput } from '../../core/schema/date-time.js';
import { id, key, limit, nullishArray, offset } from '../../core/schema/fields.js';

/** How many contacts there were from one date to another. Spec: Contact metrics, total. */
export const contactTotal = entity({
  total: integer,
  date_from: maybe(instant),
  date_to: maybe(instant),
  /** Where an item was asked about. */
  item_id: maybe(text),
  /** Where a user was asked about. */
  user_id: maybe(integer),
});
export interface ContactTotal extends Output<typeof contactTotal> {}

/** How many contacts there were in one interval of a window. */
export const contactInterval = entity({
  /** When the interval begins, as the service writes it: often without a zone. */
  date: instant,
  total: integer,
});
export interface ContactInterval extends Output<typeof contactInterval> {}

/** How many contacts there were in each interval of a window. Spec: Contact metrics, time window. */
export const contactWindow = entity({
  total: integer,
  date_from: maybe(instant),
  date_to: maybe(instant),
  /** How many units back the window covers. */
  last: maybe(integer),
  unit: maybe(openEnum('day', 'hour')),
  /** Where an item was asked about. */
  item_id: maybe(text),
  /** Where a user was asked about. */
  user_id: maybe(integer),
  /** One entry an interval. */
  results: nullishArray<ContactInterval>(contactInterval),
});
export interface ContactWindow extends Output<typeof contactWindow> {}

export const contactWindows = list(contactWindow) as Schema<ContactWindow[]>;
/** The total of a user's question contacts is not documented: the usual one where it comes, else whatever came. */
export const totalOrWhatever = either(contactTotal as Schema<ContactTotal>, anything) as Schema<
  ContactTotal | undefined
>;

const period = {
  /** The start of the query: a `Date`, or ISO 8601 text. */
  date_from: dateTimeInput,
  /** The end of the query: a `Date`, or ISO 8601 text. */
  date_to: dateTimeInput,
};

const window = {
  /** How many units back the window covers, at least 1. */
  last: checked(integer, (value) => (value < 1 ? '`last` is at least 1' : undefined), { minimum: 1 }),
  /** What an interval is. */
  unit: closedEnum('day', 'hour'),
  /** The end of the window: a `Date`, or ISO 8601 text. The current moment unless given. */
  ending: optional(dateTimeInput),
  /** Sorts by date; `asc` unless given. */
  order: optional(closedEnum('asc', 'desc')),
  limit,
  offset,
};

function inOrder({ date_from, date_to }: { date_from: string; date_to: string }) {
  if (!isAfter(date_from, date_to)) return undefined;
  return { path: ['date_to'], message: '`date_to` is before `date_from`' };
}

const itemIds = checked(
  list(key),
  (ids) => (ids.length === 0 ? '`ids` is empty; it takes at least one item' : undefined),
  { minItems: 1 },
);

export const itemPeriodParams = checked(
  request({
    /** The item. */
    item_id: key,
    ...period,
  }),
  inOrder,
);
export interface ItemPeriodParams extends Input<typeof itemPeriodParams> {}

export const userPeriodParams = checked(
  request({
    /** The seller. */
    user_id: id,
    ...period,
  }),
  inOrder,
);
export interface UserPeriodParams extends Input<typeof userPeriodParams> {}

export const itemWindowParams = request({
  /** The item. */
  item_id: key,
  ...window,
});
export interface ItemWindowParams extends Input<typeof itemWindowParams> {}

export const questionItemWindowParams = request({
  /** The item. */
  item_id: key,
  ...window,
  /** Several items, as the specification allows here. */
  ids: optional(itemIds),
});
export interface QuestionItemWindowParams extends Input<typeof questionItemWindowParams> {}

export const itemsWindowParams = request({
  /** The items, at least one. */
  ids: itemIds,
  ...window,
});
export interface ItemsWindowParams extends Input<typeof itemsWindowParams> {}

export const userWindowParams = request({
  /** The seller. */
  user_id: id,
  ...window,
});
export interface UserWindowParams extends Input<typeof userWindowParams> {}
