import { ApiError } from '../../core/errors/response-errors.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import type { Requester } from '../../core/operation/requester.js';
import { idText } from '../../core/response/identity.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { bulkStatus, itemEndpoints } from './endpoints.js';
import { ApiPromise } from '../../core/operation/api-promise.js';
import type { ResponseInfo, WithResponse } from '../../core/operation/api-promise.js';
import { Deadline } from '../../core/scope/deadline.js';
import { namedItems } from './named-items.js';
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
   * The service answers in any order. What names no item is asked for once more; an item that is still not named has only its
   * `id`, and `onDrift` is called. The specification says PUT, but the method of the service is GET.
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
    const { status } = itemEndpoints;
    if (!ids) return this.#requester.call(status, input, options).withResponse();
    const deadline = new Deadline('GET /items', options?.deadlineMs ?? this.#requester.deadlineMs);
    const read: ReadStatuses = (endpoint, some) =>
      deadline.within({ ...options }, (limited) =>
        this.#requester.call(endpoint, { ...input, ids: some }, limited).withResponse(),
      );
    const found = new Map<string, ItemStatus>();
    let response = await this.#readPart(ids.slice(0, mostIds), read, found);
    for (let at = mostIds; at < ids.length; at += mostIds)
      response = await this.#readPart(ids.slice(at, at + mostIds), read, found);
    return { data: input.ids.map((id, index) => found.get(idText(id)) ?? this.#unnamed(id, index)), response };
  }

  /** Adds what the service says of some items, at most twice asked. */
  async #readPart(ids: readonly string[], read: ReadStatuses, found: Map<string, ItemStatus>): Promise<ResponseInfo> {
    const { answer, endpoint } = await this.#findPath(ids, read);
    const first = namedItems(ids, answer.data);
    const { left } = first;
    const again = left.length === 0 ? undefined : await read({ ...endpoint, query: {}, identity: {} }, left);
    const second = namedItems(left, again?.data ?? []);
    const code = second.code ?? first.code;
    for (const id of ids) {
      const name = idText(id);
      const entry = second.byId.get(name) ?? first.byId.get(name) ?? (code === undefined ? undefined : { id, code });
      if (entry) found.set(name, entry);
    }
    return (again ?? answer).response;
  }

  #unnamed(id: number | string, index: number): ItemStatus {
    const expected = `\`${index}\` takes an entry that names ${id}, and the answers have none`;
    this.#requester.onDrift?.({ endpoint: itemEndpoints.status, path: [index], expected, received: 'nothing' });
    return { id: String(id) };
  }

  /** Reads from the path of the specification, and from its successor if the service has it no more. */
  async #findPath(ids: readonly string[], read: ReadStatuses): Promise<StatusAnswer> {
    const bulk = async (): Promise<StatusAnswer> => ({ endpoint: bulkStatus, answer: await read(bulkStatus, ids) });
    if (this.#hasMoved) return bulk();
    const endpoint = itemEndpoints.status;
    const first = await read(endpoint, ids).catch((error: unknown) => {
      if (hasEnded(error)) return error;
      throw error;
    });
    if (!(first instanceof ApiError) && first.data.length > 0) return { endpoint, answer: first };
    try {
      const found = await bulk();
      this.#hasMoved = first instanceof ApiError || found.answer.data.length > 0;
      return found;
    } catch (later) {
      if (!hasEnded(later)) throw later;
      if (first instanceof ApiError) throw first;
      return { endpoint, answer: first };
    }
  }
}

type StatusEndpoint = Endpoint<ItemStatusParams, ItemStatus[]>;
type ReadStatuses = (endpoint: StatusEndpoint, ids: readonly string[]) => Promise<WithResponse<ItemStatus[]>>;

/** An answer, and the endpoint that gave it. */
interface StatusAnswer {
  readonly endpoint: StatusEndpoint;
  readonly answer: WithResponse<ItemStatus[]>;
}

/**
 * Whether a path may exist no more: nobody knows what it then says. An item that does not exist is an entry of the list. A
 * token, a limit and a fault are not the path's.
 */
function hasEnded(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status < 400 || endedStatuses.includes(error.status));
}

const endedStatuses = [400, 403, 404, 405, 410, 426];

/** The ids of an input, each once; `undefined` if it is wrong, which the call says. */
function idsOf(input: unknown): string[] | undefined {
  const { ids } = (input ?? {}) as { ids?: unknown };
  const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id);
  const isRight = Array.isArray(ids) && ids.length > 0 && [...(ids as unknown[])].every(isId);
  return isRight ? [...new Map(ids.map((id) => [idText(id), String(id)])).values()] : undefined;
}

/** The most items that the service accepts in one request. */
const mostIds = 20;
