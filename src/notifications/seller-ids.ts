import type { InboxOptions, SellerIds } from './options.js';

/** Whether something is a list or a set of ids: a text is no id, and would let nobody in. */
export function areSellerIds(sellers: unknown): sellers is SellerIds {
  if (!Array.isArray(sellers) && !(sellers instanceof Set)) return false;
  return [...(sellers as Iterable<unknown>)].every((each) => Number.isSafeInteger(each));
}

/** The ids of sellers. @throws {TypeError} when a function returns anything else */
export async function sellerIdsOf(sellers: NonNullable<InboxOptions['sellers']>): Promise<SellerIds> {
  const ids: unknown = typeof sellers === 'function' ? await sellers() : sellers;
  if (areSellerIds(ids)) return ids;
  throw new TypeError('`sellers` must return a list or a set of ids, which are numbers');
}
