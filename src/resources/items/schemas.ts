import { isPlainObject } from '../../core/json/plain-object.js';
import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { key, keyOf, nonEmptyArray } from '../fields.js';

export const itemStatus = s.looseObject({
  /** The item's id. An answer need not name the items that could not be read. */
  id: s.nullish(keyOf),
  /** Flex needs `active`. Absent if the service could not read the item. */
  status: s.nullish(s.openEnum('active', 'paused', 'closed', 'under_review', 'inactive')),
  /** The HTTP status of this entry, if the service sent one: it reads each item separately. */
  code: s.nullish(s.integer),
  /** Why the service could not read the item. */
  message: s.nullish(s.string),
});
/** An item's status, or why it could not be read. */
export interface ItemStatus extends Output<typeof itemStatus> {}

/** The statuses, in any order. */
export const itemStatuses: Schema<ItemStatus[]> = s.preprocess(s.array(itemStatus), (value) => {
  const list = listIn(value);
  return Array.isArray(list) ? list.map(flattened) : list;
});

/** A list, that in an object, or the object as its only entry. Another object is no list. */
function listIn(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const { results } = value as { results?: unknown };
  return results ?? (isEntry(value) ? [value] : value);
}

/** Whether an object is the entry of an item. */
function isEntry(value: object): boolean {
  return ['id', 'status', 'code', 'status_code', 'body'].some((name) => name in value);
}

interface EntryFields {
  readonly [name: string]: unknown;
}

/**
 * An entry is `{status}`, `{code, body: {status}}`, `{code, body: "why"}`, `{code, error: {message}}`, the same with
 * `status_code`, only the status, or `null`. Any other is kept as a wrong status, which is reported.
 */
function flattened(entry: unknown): unknown {
  if (!isPlainObject(entry)) return entry === null ? {} : { status: entry };
  const { status_code, code = status_code }: EntryFields = { ...entry };
  const given: EntryFields = { ...entry, ...(code !== undefined && { code }) };
  const { body = errorIn(given), ...own } = given;
  const inner = typeof body === 'string' ? { message: body } : isPlainObject(body) ? body : { status: body };
  const found: EntryFields = body === undefined || body === null ? given : { ...own, ...inner };
  const { status, ...rest } = found;
  // A body may have a code of its own. In the entry of an item that could not be read, the status is that of HTTP.
  const ofHttp = [code, status].find(isOfHttp);
  if (isOfHttp(status)) return { ...rest, code: ofHttp };
  if (ofHttp !== undefined) return { ...found, code: ofHttp };
  return isEntry(found) || Object.keys(found).length === 0 ? found : { ...found, status: entry };
}

/** The error of an entry: a service that needs a body for it repeats nothing there. */
function errorIn({ error }: EntryFields): unknown {
  return isPlainObject(error) ? error : undefined;
}

function isOfHttp(status: unknown): boolean {
  return /^[1-5]\d\d$/.test(String(status));
}

export const itemStatusParams = s.strictObject({
  /** The items, at least one. */
  ids: nonEmptyArray(key, 'ids', 'item'),
});
/** The input of `items.status`. */
export interface ItemStatusParams extends Input<typeof itemStatusParams> {}
