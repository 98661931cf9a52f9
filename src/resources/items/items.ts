import { ApiError } from '../../core/errors/response-errors.js';
import { isPlainObject } from '../../core/json/json.js';
import { ApiPromise, type Requester, type ResponseInfo, type WithResponse } from '../../core/operation/api-promise.js';
import type { DescribedEndpoint, Endpoint } from '../../core/operation/endpoint.js';
import { idText } from '../../core/response/read-output.js';
import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { Deadline } from '../../core/scope/cancel-scope.js';
import { key, keyOf, nonEmptyArray } from '../fields.js';

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
  status(input: Input<typeof itemSchemas.itemStatusParams>, options?: CallOptions): ApiPromise<ItemStatus[]> {
    return new ApiPromise(this.#inParts(input, options));
  }

  /** Asks for each item once, and for at most 20 at a time: the service rejects more, and repeated ids. */
  async #inParts(
    input: Input<typeof itemSchemas.itemStatusParams>,
    options: CallOptions | undefined,
  ): Promise<WithResponse<ItemStatus[]>> {
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
    const { answer, whole } = await this.#findPath(ids, read);
    const first = namedItems(ids, answer.data);
    const { left } = first;
    const again = left.length === 0 ? undefined : await read(whole, left);
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
    const bulk = async (): Promise<StatusAnswer> => ({ whole: wholeBulk, answer: await read(bulkStatus, ids) });
    if (this.#hasMoved) return bulk();
    const first = await read(status, ids).catch((error: unknown) => {
      if (hasEnded(error)) return error;
      throw error;
    });
    if (!(first instanceof ApiError) && first.data.length > 0) return { whole: wholeStatus, answer: first };
    try {
      const found = await bulk();
      this.#hasMoved = first instanceof ApiError || found.answer.data.length > 0;
      return found;
    } catch (later) {
      if (!hasEnded(later)) throw later;
      if (first instanceof ApiError) throw first;
      return { whole: wholeStatus, answer: first };
    }
  }
}

type StatusEndpoint = Endpoint<ItemStatusParams, ItemStatus[]>;
type ReadStatuses = (endpoint: StatusEndpoint, ids: readonly string[]) => Promise<WithResponse<ItemStatus[]>>;

/** An answer, and how its path is asked for whole entries, each of which names itself. */
interface StatusAnswer {
  readonly whole: StatusEndpoint;
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

export const itemStatus = s.looseObject({
  /** The item's id. An answer need not name the items that could not be read. */
  id: s.nullish(keyOf),
  /** Flex needs `active`. Absent if the service could not read the item. */
  status: s.nullish(s.openEnum('active', 'paused', 'closed', 'under_review', 'inactive')),
  /** The HTTP status of this entry, if the service sent one: it reads each item separately. */
  code: s.nullish(s.integer),
  /** Why the service could not read the item. */
  message: s.nullish(s.string),
});
/** An item's status, or why it could not be read. */
export interface ItemStatus extends Output<typeof itemSchemas.itemStatus> {}

/** The statuses, in any order. */
const itemStatuses: Schema<ItemStatus[]> = s.preprocess(s.array(itemStatus), (value) => {
  const list = listIn(value);
  return Array.isArray(list) ? list.map(flattened) : list;
});

/** A list, that in an object, or the object as its only entry. Another object is no list. */
function listIn(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const { results } = value as { results?: unknown };
  return results ?? (isEntry(value) ? [value] : value);
}

/** Whether an object is the entry of an item. */
function isEntry(value: object): boolean {
  return ['id', 'status', 'code', 'status_code', 'body'].some((name) => name in value);
}

interface EntryFields {
  readonly [name: string]: unknown;
}

/**
 * An entry is `{status}`, `{code, body: {status}}`, `{code, body: "why"}`, `{code, error: {message}}`, the same with
 * `status_code`, only the status, or `null`. Any other is kept as a wrong status, which is reported.
 */
function flattened(entry: unknown): unknown {
  if (!isPlainObject(entry)) return entry === null ? {} : { status: entry };
  const { status_code, code = status_code }: EntryFields = { ...entry };
  const given: EntryFields = { ...entry, ...(code !== undefined && { code }) };
  const { body = errorIn(given), ...own } = given;
  const inner = typeof body === 'string' ? { message: body } : isPlainObject(body) ? body : { status: body };
  const found: EntryFields = body === undefined || body === null ? given : { ...own, ...inner };
  const { status, ...rest } = found;
  // A body may have a code of its own. In the entry of an item that could not be read, the status is that of HTTP.
  const ofHttp = [code, status].find(isOfHttp);
  if (isOfHttp(status)) return { ...rest, code: ofHttp };
  if (ofHttp !== undefined) return { ...found, code: ofHttp };
  return isEntry(found) || Object.keys(found).length === 0 ? found : { ...found, status: entry };
}

/** The error of an entry: a service that needs a body for it repeats nothing there. */
function errorIn({ error }: EntryFields): unknown {
  return isPlainObject(error) ? error : undefined;
}

function isOfHttp(status: unknown): boolean {
  return /^[1-5]\d\d$/.test(String(status));
}

const itemStatusParams = s.strictObject({
  /** The items, at least one. */
  ids: nonEmptyArray(key, 'ids', 'item'),
});
/** The input of `items.status`. */
export type ItemStatusParams = Input<typeof itemSchemas.itemStatusParams>;

/** What one answer says of the items that were asked for. */
export interface NamedItems {
  readonly byId: ReadonlyMap<string, ItemStatus>;
  /** The ids to ask for once more. */
  readonly left: readonly string[];
  /** The code of each id that no entry names, if the entries without an id leave no choice. */
  readonly code: number | undefined;
}

/**
 * Finds which entry is about which item: the one that it names. The service answers in any order, so that a place says
 * nothing; only a single entry for a single id needs no name.
 */
function namedItems(ids: readonly string[], entries: readonly ItemStatus[]): NamedItems {
  const [id] = ids;
  const [entry] = entries;
  const isAlone = id !== undefined && ids.length === 1 && entry !== undefined && entries.length === 1;
  const named = isAlone ? [{ ...entry, id: entry.id ?? id }] : entries.filter(hasId);
  const byId = new Map(named.map((each) => [idText(each.id), each]));
  const unnamed = ids.filter((each) => !byId.has(idText(each)));
  const isSilent = isAlone && (entry.status ?? entry.code ?? undefined) === undefined;
  // Some answers reject every entry because of the `attributes` that were asked for.
  const isForbidden = entries.length > 0 && entries.every(({ code }) => code === 403);
  const codes = entries.filter((each) => !hasId(each)).map(({ code }) => code);
  const [code] = codes;
  const isClear = codes.length === unnamed.length && codes.every((each) => each === code) && Number(code) >= 400;
  return { byId, left: isForbidden || isSilent ? ids : unnamed, code: isClear ? (code ?? undefined) : undefined };
}

function hasId({ id }: ItemStatus): boolean {
  return typeof id === 'string';
}

const status: DescribedEndpoint<ItemStatusParams, ItemStatus[]> = {
  name: 'items.status',
  summary: 'Reads several items by id',
  method: 'GET',
  path: '/items',
  query: { attributes: 'id,status' },
  input: itemStatusParams,
  example: { ids: ['MLA100', 'MLA200'] },
  output: itemStatuses,
  identity: { ids: '*.id' },
  retry: 'safe',
  errors: [],
};

/** The successor of `status`: its `attributes` take fields of the body alone. */
const bulkStatus: Endpoint<ItemStatusParams, ItemStatus[]> = {
  ...status,
  name: 'items.bulk',
  path: '/items/bulk',
  query: { attributes: 'body.id,body.status' },
};

/** What asks once more, for ids that no entry has named: without `attributes`. Of its entries, those of other ids are ignored. */
const wholeStatus: StatusEndpoint = { ...status, query: {}, identity: {} };
const wholeBulk: StatusEndpoint = { ...bulkStatus, query: {}, identity: {} };

/** The endpoints of items, as `endpoints` has them. */
export const itemEndpoints = { status };

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const itemSchemas = { itemStatus, itemStatusParams };
