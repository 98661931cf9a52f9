import type { ApiPromise } from '../../core/operation/api-promise.js';
import type { Requester } from '../../core/operation/requester.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { itemEndpoints } from './endpoints.js';
import type { ItemStatusParams, ItemStatus } from './schemas.js';

/** The items for sale. */
export class Items {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Returns the status of items, in the order of `ids`. An item that the service could not read has a `code` and a
   * `message` instead of a `status`; the other items are still returned. Request: GET /items.
   *
   * The specification says PUT, but the method of the service is GET.
   *
   * @example
   * for (const { id, status } of await seller.items.status({ ids: ['MLA100'] })) console.log(id, status);
   * @throws {InvalidInputError} when `ids` is empty or an id contains a comma; nothing is sent.
   */
  status(input: ItemStatusParams, options?: CallOptions): ApiPromise<ItemStatus[]> {
    return this.#requester.call(itemEndpoints.status, input, options).map((entries) => named(entries, input.ids));
  }
}

/** Adds the missing ids by position. This is only possible if no entry is missing. */
function named(entries: readonly ItemStatus[], ids: ItemStatusParams['ids']): ItemStatus[] {
  if (entries.length !== ids.length) return [...entries];
  return entries.map((entry, index) => ({ ...entry, id: entry.id ?? String(ids[index]) }));
}
