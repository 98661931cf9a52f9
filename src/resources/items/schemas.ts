import { isPlainObject } from '../../core/plain-object.js';
import {
  array,
  integer,
  nullish,
  openEnum,
  strictObject,
  preprocess,
  refine,
  looseObject,
  string,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { key, keyOf } from '../../core/schema/fields.js';

/** An item's status, or why it could not be read. */
export const itemStatus = looseObject({
  /** The item's id, from the service or from the position in the list; absent if neither is known. */
  id: nullish(keyOf),
  /** Flex needs `active`. Absent if the service could not read the item. */
  status: nullish(openEnum('active', 'paused', 'closed', 'under_review', 'inactive')),
  /** The HTTP status of this entry, if the service sent one: it reads each item separately. */
  code: nullish(integer),
  /** Why the service could not read the item. */
  message: nullish(string),
});
export interface ItemStatus extends Output<typeof itemStatus> {}

/** The statuses, in the order of the requested ids. */
export const itemStatuses: Schema<ItemStatus[]> = preprocess(array(itemStatus) as Schema<ItemStatus[]>, (value) => {
  const list = isPlainObject(value) ? [value] : value;
  return Array.isArray(list) ? list.map(flattened) : list;
});

/**
 * An entry is `{status}`, `{code, body: {status}}`, `{code, body: "why"}`, only the status, or `null`. Any other keeps its
 * place as a wrong status, which is reported: without ids, only its place tells which item an entry is about.
 */
function flattened(entry: unknown): unknown {
  if (!isPlainObject(entry)) return entry === null ? {} : { status: entry };
  const { body, ...own } = entry as { body?: unknown };
  const inner = typeof body === 'string' ? { message: body } : isPlainObject(body) ? body : { status: body };
  const found: { status?: unknown } = body === undefined || body === null ? entry : { ...own, ...inner };
  const { status, ...rest } = found;
  // In the entry of an item that could not be read, the status is that of HTTP.
  const isOfHttp = Number.isInteger(status) && Number(status) >= 100 && Number(status) < 600;
  return isOfHttp ? { code: status, ...rest } : found;
}

export const itemStatusParams = strictObject({
  /** The items, at least one. */
  ids: refine(array(key), (ids) => (ids.length === 0 ? '`ids` is empty; it takes at least one item' : undefined), {
    minItems: 1,
  }),
});
export interface ItemStatusParams extends Input<typeof itemStatusParams> {}
