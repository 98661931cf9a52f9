import { FakeMarketplaceError } from '../errors.js';
import { assertFields } from '../state/assert-fields.js';
import { maxShown } from './listed.js';
import type { FoundEntries, Listed } from './listed.js';

/** The query of a search. */
export const searchFields: readonly string[] = ['list', 'text', 'limit'];

/** Searches a list for the words of a text. @throws {FakeMarketplaceError} that names the wrong parameter */
export function search(
  lists: Readonly<Record<string, Listed<unknown>>>,
  query: URLSearchParams,
): FoundEntries<unknown> {
  // An event source sends its token in the query, so all controls accept it there.
  const { token: _, ...given } = Object.fromEntries(query);
  assertFields('a search', given, searchFields);
  const { list = '', text = '', limit = String(maxShown) } = given;
  const found = Object.hasOwn(lists, list) ? lists[list] : undefined;
  if (!found) throw new FakeMarketplaceError(`\`list\` is one of ${Object.keys(lists).join(', ')}`);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxShown)
    throw new FakeMarketplaceError(`\`limit\` is an integer from 1 to ${maxShown}`);
  return found.find(text, Number(limit));
}
