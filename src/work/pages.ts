import { ConfigurationError } from '../core/errors/errors.js';
import { integerFrom } from '../core/options/rules.js';

/** Which page of what is stored to list. Not an interface: a program's declarations may then show it without its name. */
export type ListOptions = Readonly<{
  /**
   * The most that are listed.
   *
   * @default 100
   */
  limit?: number | undefined;
  /**
   * Begin after the one with this `number`: the last one of the page before.
   *
   * @default 0: at the oldest
   */
  after?: number | undefined;
}>;

/** The rules of `ListOptions`. */
export const listRules = { limit: integerFrom(1), after: integerFrom(0) };

/** How many are read at a time when all are looked at. */
export const pageSize = 100;

/** Without types, a store could get `undefined` or the whole object. */
export function assertKey(key: unknown): void {
  if (typeof key !== 'string')
    throw new ConfigurationError('`key` must be a string: the `entry.key` of what is listed');
}

/** Without types, a filter could be an object: it would mean all. */
export function assertFilter(where: unknown): void {
  if (typeof where !== 'function') throw new ConfigurationError('The filter must be a function that returns a boolean');
}
