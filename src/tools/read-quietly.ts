import type { Endpoint } from '../core/operation/endpoint.js';
import { isPlainObject } from '../core/json/plain-object.js';
import type { CallOptions } from '../core/scope/call-options.js';
import { shapeOf } from '../core/schema/describe.js';

/** Reading messages marks them as read, and the buyer sees it: the input must ask for it. */
const field = 'mark_as_read';

/** Returns an input and options with which reading messages does not mark them as read, unless the input says so. */
export function readQuietly(
  endpoint: Endpoint,
  input: unknown,
): { readonly input: unknown; readonly options: CallOptions } {
  if (!isPlainObject(input) || endpoint.retry !== 'safe' || !endpoint.path.startsWith('/messages'))
    return { input, options: {} };
  if (field in shapeOf(endpoint.input)) return { input: { [field]: false, ...input }, options: {} };
  return { input, options: { query: { [field]: 'false' } } };
}

/** Whether an input asks to mark messages as read, which is a change that the buyer sees. */
export function marksAsRead(input: unknown): boolean {
  return (input as { [field]?: unknown } | null | undefined)?.[field] === true;
}
