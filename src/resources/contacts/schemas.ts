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
} from '../../core/schema.js';
import type { Input, Output, Schema } from '../../core/schema.js';
import { isAfter, moment } from '../../core/moment.js';
import { id, key, limit, listed, offset } from '../../core/vocabulary.js';

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
  results: listed<ContactInterval>(contactInterval),
});
export interface ContactWindow extends Output<typeof contactWindow> {}

export const contactWindows = list(contactWindow) as Schema<ContactWindow[]>;
/** The total of a user's question contacts is not documented: the usual one where it comes, else whatever came. */
export const totalOrWhatever = either(contactTotal as Schema<ContactTotal>, anything) as Schema<
  ContactTotal | undefined
>;

const period = {
  /** The start of the query: a `Date`, or ISO 8601 text. */
  date_from: moment,
  /** The end of the query: a `Date`, or ISO 8601 text. */
  date_to: moment,
};

const window = {
  /** How many units back the window covers, at least 1. */
  last: checked(integer, (value) => (value < 1 ? '`last` is at least 1' : undefined), { minimum: 1 }),
  /** What an interval is. */
  unit: closedEnum('day', 'hour'),
  /** The end of the window: a `Date`, or ISO 8601 text. The current moment unless given. */
  ending: optional(moment),
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

export const itemPeriod = checked(
  request({
    /** The item. */
    item_id: key,
    ...period,
  }),
  inOrder,
);
export interface ItemPeriod extends Input<typeof itemPeriod> {}

export const userPeriod = checked(
  request({
    /** The seller. */
    user_id: id,
    ...period,
  }),
  inOrder,
);
export interface UserPeriod extends Input<typeof userPeriod> {}

export const itemWindow = request({
  /** The item. */
  item_id: key,
  ...window,
});
export interface ItemWindow extends Input<typeof itemWindow> {}

export const questionItemWindow = request({
  /** The item. */
  item_id: key,
  ...window,
  /** Several items, as the specification allows here. */
  ids: optional(itemIds),
});
export interface QuestionItemWindow extends Input<typeof questionItemWindow> {}

export const itemsWindow = request({
  /** The items, at least one. */
  ids: itemIds,
  ...window,
});
export interface ItemsWindow extends Input<typeof itemsWindow> {}

export const userWindow = request({
  /** The seller. */
  user_id: id,
  ...window,
});
export interface UserWindow extends Input<typeof userWindow> {}
