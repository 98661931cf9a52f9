import { ApiError } from '../../core/errors/response-errors.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import type { Requester } from '../../core/operation/requester.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { bulkStatus, itemEndpoints } from './endpoints.js';
import { ApiPromise } from '../../core/operation/api-promise.js';
import type { WithResponse } from '../../core/operation/api-promise.js';
import { Deadline } from '../../core/scope/deadline.js';
import type { ItemStatusParams, ItemStatus } from './schemas.js';

/** The items for sale. */
export class Items {
  readonly #requester: Requester;
  /** Whether the service has ended `/items` for several items, as it has announced. */
  #hasMoved = false;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Returns the status of items, in the order of `ids`, with a request for each 20 of them. An item that the service could not
   * read has a `code`, and perhaps a `message`, instead of a `status`; the other items are still returned. If the service has ended
   * the path, the client asks `/items/bulk` from then on. Request: GET /items.
   *
   * The specification says PUT, but the method of the service is GET.
   *
   * @example
   * for (const { id, status } of await seller.items.status({ ids: ['MLA100'] })) console.log(id, status);
   * @throws {InvalidInputError} when `ids` is empty or an id contains a comma; nothing is sent.
   */
  status(input: ItemStatusParams, options?: CallOptions): ApiPromise<ItemStatus[]> {
    return new ApiPromise(this.#inParts(input, options));
  }

  /** Asks for each item once, and for at most 20 at a time: the service rejects more, and repeated ids. */
  async #inParts(input: ItemStatusParams, options: CallOptions | undefined): Promise<WithResponse<ItemStatus[]>> {
    const ids = idsOf(input);
    if (!ids) return this.#requester.call(itemEndpoints.status, input, options).withResponse();
    const deadline = new Deadline('GET /items', options?.deadlineMs ?? this.#requester.deadlineMs);
    const read = (at: number): Promise<WithResponse<ItemStatus[]>> => {
      const some = { ...input, ids: ids.slice(at, at + mostIds) };
      return this.#some(some, (endpoint) =>
        deadline.within({ ...options }, (limited) => this.#requester.call(endpoint, some, limited).withResponse()),
      );
    };
    let { data, response } = await read(0);
    for (let at = mostIds; at < ids.length; at += mostIds) {
      const next = await read(at);
      data = [...data, ...next.data];
      response = next.response;
    }
    return { data: inOrder(data, input.ids), response };
  }

  async #some({ ids }: ItemStatusParams, read: ReadStatuses): Promise<WithResponse<ItemStatus[]>> {
    const { data, response } = await (this.#hasMoved ? read(bulkStatus) : this.#findPath(read));
    return { data: inOrder(named(data, ids), ids), response };
  }

  /** Reads from the path of the specification, and from its successor if the service has it no more. */
  async #findPath(read: ReadStatuses): Promise<WithResponse<ItemStatus[]>> {
    try {
      return await read(itemEndpoints.status);
    } catch (error) {
      if (!isGone(error)) throw error;
      const found = await read(bulkStatus).catch((later: unknown) => {
        throw isGone(later) ? error : later;
      });
      this.#hasMoved = true;
      return found;
    }
  }
}

type ReadStatuses = (endpoint: Endpoint<ItemStatusParams, ItemStatus[]>) => Promise<WithResponse<ItemStatus[]>>;

/** Whether a path does not exist: an item that does not exist is an entry of the list. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 410);
}

/** The ids of an input, each once; `undefined` if it is wrong, which the call says. */
function idsOf(input: unknown): string[] | undefined {
  const { ids } = (input ?? {}) as { ids?: unknown };
  const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id);
  const isRight = Array.isArray(ids) && ids.length > 0 && ids.every(isId);
  return isRight ? [...new Set(ids.map(String))] : undefined;
}

/** The most items that the service accepts in one request. */
const mostIds = 20;

/** The entries in the order of the ids, unless one cannot be named; then those of no id that was asked for. */
function inOrder(entries: readonly ItemStatus[], ids: ItemStatusParams['ids']): ItemStatus[] {
  if (entries.some(({ id }) => typeof id !== 'string')) return [...entries];
  const asked = new Set(ids.map(String));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const found = ids.flatMap((id) => byId.get(String(id)) ?? []);
  return [...found, ...entries.filter(({ id }) => !asked.has(String(id)))];
}

/** Adds the missing ids by position. This is only possible if no entry is missing, and none has the id of another place. */
function named(entries: readonly ItemStatus[], ids: ItemStatusParams['ids']): ItemStatus[] {
  const isElsewhere = ({ id }: ItemStatus, index: number): boolean => !!id && id !== ids[index] && ids.includes(id);
  if (entries.length !== ids.length || entries.some(isElsewhere)) return [...entries];
  return entries.map((entry, index) => ({ ...entry, id: entry.id ?? String(ids[index]) }));
}
