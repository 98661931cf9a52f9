import type { HandlerResponse } from './handler.js';

/** JSONP: always 200, the real status inside. Spec: Common conventions 2. */
export function asJsonp(
  callback: string,
  { status, body }: HandlerResponse,
  headers: Readonly<Record<string, string>>,
): Response {
  // Only a name: a callback that is code would make the answer a script of the caller's choice.
  const name = /^[\w$.]{1,100}$/.test(callback) ? callback : 'callback';
  const inside = JSON.stringify([status, { 'Content-Type': 'application/json', ...headers }, body ?? null]);
  return new Response(`${name}(${inside});`, {
    headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
  });
}

/** Field reduction: an object, or each entry of a bare list, keeps the named fields. Spec: Common conventions 3. */
export function pickAttributes(body: unknown, attributes: string | null): unknown {
  if (attributes === null || attributes === '') return body;
  const names = new Set(attributes.split(','));
  const keep = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    // An entry with a code of its own keeps it: only what was read is reduced, and a refusal of one entry is not.
    if ('code' in value && 'body' in value) return value.code === 200 ? { ...value, body: keep(value.body) } : value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
  };
  return Array.isArray(body) ? body.map(keep) : keep(body);
}

/** A page of a list, and where it stands. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly paging: { readonly total: number; readonly offset: number; readonly limit: number };
}

/** The place of a page, as a caller may give it. */
export interface PageParams {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A page of a list, by the defaults of the specification. Spec: Common conventions 4. */
export function pageOf<T>(all: readonly T[], { limit = 50, offset = 0 }: PageParams): PageOf<T> {
  return { items: all.slice(offset, offset + limit), paging: { total: all.length, offset, limit } };
}
