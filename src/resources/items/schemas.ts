import { defined } from '../../core/defined.js';
import {
  array,
  integer,
  nullish,
  openEnum,
  params,
  preprocess,
  refine,
  response,
  string,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { key } from '../../core/schema/fields.js';

/** An item's status, or why it could not be read. */
export const itemStatus = response({
  /** The item's id, from the service or from the position in the list; absent if neither is known. */
  id: nullish(string),
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
  const list = typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value;
  return Array.isArray(list) ? list.map(flattened) : list;
});

/**
 * An entry is `{status}`, `{code, body: {status}}` or only the status. A wrong entry must not fail the other entries.
 */
function flattened(entry: unknown): unknown {
  if (typeof entry === 'string') return { status: entry };
  if (typeof entry !== 'object' || entry === null) return {};
  const { code, body } = entry as { code?: unknown; body?: unknown };
  const inner = (typeof body === 'object' && body !== null ? body : entry) as Record<string, unknown>;
  const { id, status, message, ...rest } = inner;
  const known = {
    id: typeof id === 'number' ? String(id) : textOf(id),
    status: textOf(status),
    code: Number.isInteger(code) ? code : Number.isInteger(status) ? status : undefined,
    message: textOf(message),
  };
  return { ...rest, ...defined(known) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export const itemStatusParams = params({
  /** The items, at least one. */
  ids: refine(array(key), (ids) => (ids.length === 0 ? '`ids` is empty; it takes at least one item' : undefined), {
    minItems: 1,
  }),
});
export interface ItemStatusParams extends Input<typeof itemStatusParams> {}
