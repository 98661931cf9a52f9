import { isPlainObject } from '../json/plain-object.js';
import type { Endpoint } from '../operation/endpoint.js';
import { userOf } from './user-of-token.js';

type Described = Pick<Endpoint, 'name' | 'path' | 'content' | 'details'>;

/** Returns where a write writes to: two writes to one target may be the same write with another content. */
export function targetOf(endpoint: Described, input: unknown, token: string | undefined): string {
  const { name, content = [], details = [] } = endpoint;
  const fields = Object.entries(input as object).filter(([field]) => ![...content, ...details].includes(field));
  return `${name} ${userOf(endpoint, input, token) ?? ''} ${canonical(Object.fromEntries(fields))}`;
}

/** Returns the content of a write, to compare it with that of another write to the same target. */
export function contentOf({ content = [] }: Pick<Described, 'content'>, input: unknown): string {
  return canonical(content.map((field) => (input as Readonly<Record<string, unknown>>)[field] ?? null));
}

/** As JSON in which the order of fields and the type of an id do not matter. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'number' || typeof each === 'bigint') return String(each);
    if (!isPlainObject(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
