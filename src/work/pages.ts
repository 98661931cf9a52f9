import { ConfigurationError } from '../core/errors/errors.js';
import { integerFrom } from '../core/options/rules.js';

/** Which page of what is stored to list. */
export interface ListOptions {
  /**
   * The most that are listed.
   *
   * @default 100
   */
  readonly limit?: number | undefined;
  /**
   * Begin after the one with this `number`: the last one of the page before.
   *
   * @default 0: at the oldest
   */
  readonly after?: number | undefined;
}

/** The rules of `ListOptions`. */
export const listRules = { limit: integerFrom(1), after: integerFrom(0) };

/** The least that something stored has. */
export interface StoredFacts {
  readonly entry: { readonly key: string };
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** How many are read at a time. */
const pageSize = 100;

/** Pages of what a store lists, in its order. */
export async function* pagesOf<T extends StoredFacts>(
  list: (limit: number, after: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = 0; ;) {
    const page = await list(pageSize, after);
    yield page;
    const last = page.at(-1);
    if (page.length < pageSize || !last) return;
    after = last.number;
  }
}

/** Carries out something for those that are meant, page by page. Returns for how many it was carried out. */
export async function forEachOfPages<T extends StoredFacts>(
  pages: AsyncIterable<readonly T[]>,
  where: (found: T) => boolean,
  run: (key: string) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  for await (const page of pages) {
    const results = await Promise.all(page.filter(where).map(({ entry }) => run(entry.key)));
    count += results.filter(Boolean).length;
  }
  return count;
}

/** Without types, a store could get `undefined` or the whole object. */
export function assertKey(key: unknown): void {
  if (typeof key !== 'string')
    throw new ConfigurationError('`key` must be a string: the `entry.key` of what is listed');
}

/** Without types, a filter could be an object: it would mean all. */
export function assertFilter(where: unknown): void {
  if (typeof where !== 'function') throw new ConfigurationError('The filter must be a function that returns a boolean');
}
