import type { ApiPromise } from '../../core/api-promise.js';
import type { Requester } from '../../core/endpoint.js';
import type { CallOptions } from '../../core/options/call-options.js';
import * as endpoints from './endpoints.js';
import type { ItemStatusParams, ItemStatus } from './schemas.js';

/** What is for sale. Spec: Flex delivery, the item's status attribute. */
export class Items {
  readonly #caller: Requester;

  constructor(caller: Requester) {
    this.#caller = caller;
  }

  /**
   * The status of items, in the order of `ids`. An item that could not be read has no `status` but a `code` and a
   * `message`, and does not keep the others from being delivered. Spec: /items with `ids` and `attributes=status`.
   *
   * The specification writes PUT; the service answers to GET.
   *
   * @example
   * for (const { id, status } of await seller.items.status({ ids: ['MLA100'] })) console.log(id, status);
   * @throws {InvalidInputError} when `ids` is empty or an id holds a comma; nothing is sent.
   */
  status(input: ItemStatusParams, options?: CallOptions): ApiPromise<ItemStatus[]> {
    return this.#caller.call(endpoints.status, input, options).map((entries) => named(entries, input.ids));
  }
}

/** Entries reduced to their status do not say whose it is; their place does, unless some are missing. */
function named(entries: readonly ItemStatus[], ids: ItemStatusParams['ids']): ItemStatus[] {
  if (entries.length !== ids.length) return [...entries];
  return entries.map((entry, index) => ({ ...entry, id: entry.id ?? String(ids[index]) }));
}
