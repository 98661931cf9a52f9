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

/** An item's status, or why it could not be read. Spec: Flex delivery, the item's status attribute. */
export const itemStatus = preprocess(
  response({
    /** The item, where the service says it or its place in the list does. */
    id: nullish(string),
    /** `active` is what Flex asks for; absent where it could not be read. */
    status: nullish(openEnum('active', 'paused', 'closed', 'under_review', 'inactive')),
    /** The entry's own HTTP status, where it has one: each item is read by itself. */
    code: nullish(integer),
    /** What the service says of an item that it could not read. */
    message: nullish(string),
  }),
  flattened,
);
export interface ItemStatus extends Output<typeof itemStatus> {}

/** The statuses in the order of the ids asked for. */
export const itemStatuses = preprocess(array(itemStatus) as Schema<ItemStatus[]>, (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value,
);

/** An entry comes as `{status}`, as `{code, body: {status}}`, or as the status alone. None of them may fail the rest. */
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
  return { ...rest, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) };
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
