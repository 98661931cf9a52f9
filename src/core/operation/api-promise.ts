import { InvalidInputError } from '../errors/errors.js';
import { array, nullish, object, preprocess, union, unknown } from '../schema/define.js';
import { inspect, type Schema, type StandardSchema } from '../schema/schema.js';
import type { CallOptions, InternalOptions } from '../scope/call-options.js';
import type { Endpoint } from './endpoint.js';

/** The response behind a result. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** The URL of the request, without its token. */
  readonly url: string;
  readonly requestId: string | undefined;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** The time from the call to its result, in milliseconds, including waits. */
  readonly durationMs: number;
  /** How many entries were left out of the list of the response because they did not fit; see `onDrift`. */
  readonly leftOut: number;
}

/** A result together with its response. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseInfo;
}

/**
 * A promise of the parsed output. `withResponse()` also returns status, headers, request id, attempts and duration.
 *
 * @example
 * const { data, response } = await seller.questions.get({ question_id }).withResponse();
 * console.log(data.id, response.status, response.attempts);
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #source: Promise<WithResponse<T>>;
  #data: Promise<T> | undefined;

  /** Promises that `then`, `catch` and `finally` return are plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /**
   * Returns a promise of a value, for a mock of a method. Its response is a 200 of one attempt, without headers; `response`
   * replaces parts of it.
   *
   * @example
   * const get = () => ApiPromise.of({ id: 42, text: 'Is there stock?' });
   * console.log((await get()).text);
   */
  static of<T>(value: T, response: Partial<ResponseInfo> = {}): ApiPromise<T> {
    return succeeded({ data: value, response: { ...mockedResponse(), ...response } });
  }

  constructor(source: Promise<WithResponse<T>>) {
    // The base promise is never used: `then` uses the source, so that a rejection is reported once.
    super(() => undefined);
    this.#source = source;
  }

  /** Returns the output together with its response. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#source.then(({ data, response }) => ({ data, response }));
  }

  override then<A = T, B = never>(
    onfulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#data ??= this.#source.then(({ data }) => data);
    return this.#data.then(onfulfilled, onrejected);
  }
}

/** Returns the same call, with its output changed by a function. */
export function mapped<T, U>(call: ApiPromise<T>, change: (data: T, response: ResponseInfo) => U): ApiPromise<U> {
  return new ApiPromise(call.withResponse().then(({ data, response }) => ({ data: change(data, response), response })));
}

/** Outside the class: esbuild renames a class that refers to itself, and errors would show that name. */
function succeeded<T>(result: WithResponse<T>): ApiPromise<T> {
  return new ApiPromise(Promise.resolve(result));
}

function mockedResponse(): ResponseInfo {
  const headers = new Headers();
  return { status: 200, headers, url: '', requestId: undefined, attempts: 1, durationMs: 0, leftOut: 0 };
}

/** Makes the calls of the resources. */
export interface Requester {
  /** The default deadline in milliseconds. It limits an operation of several calls as a whole. */
  readonly deadlineMs?: number | undefined;
  /** Reports what is wrong with answers that were read, to `onDrift` and the logger. It does not throw. */
  onDrift?(drift: {
    readonly endpoint: Endpoint;
    readonly path: readonly PropertyKey[];
    readonly expected: string;
    readonly received: string;
  }): void;
  /** @internal */
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
  // oxlint-disable-next-line typescript/unified-signatures -- united, the internal options would be public
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: CallOptions): ApiPromise<Out>;
}

/** Call options that can reduce the response to some of its fields. */
export interface WithAttributes<Name extends PropertyKey> {
  /**
   * The fields to request; only these are returned.
   *
   * @default every field
   */
  readonly attributes?: readonly Name[] | undefined;
}

/** What a call returns that asks for some fields: of a list, each entry has only these. */
export type Attributed<T, Name> = unknown extends T
  ? unknown
  : T extends readonly (infer Entry)[]
    ? Attributed<Entry, Name>[]
    : [keyof T] extends [Name]
      ? T
      : Pick<T, Name & keyof T>;

/**
 * Returns the schema of a response that is reduced to some fields. If the response is a list, each entry is reduced.
 *
 * @throws {InvalidInputError} when the endpoint does not support `attributes`, or a name is not valid.
 */
export function selectAttributes(endpoint: Endpoint, attributes: readonly string[]): Schema {
  if (!endpoint.supportsAttributes)
    throw wrong(`${endpoint.method} ${endpoint.path} takes no \`attributes\`: a reduced response could not be read`);
  if (attributes.length === 0) throw wrong('`attributes` is empty; leave it out for every field');
  if (!attributes.every(canBeField)) throw wrong('`attributes` takes names of fields');
  const known = reducedSchemas.get(endpoint.output) ?? new Map<string, Schema>();
  const names = attributes.join();
  const schema = known.get(names) ?? reduced(endpoint.output, attributes);
  // A program has few lists of names, unless it takes them from somebody else.
  if (known.size >= 1000) known.clear();
  reducedSchemas.set(endpoint.output, known.set(names, schema));
  return schema;
}

/** Reduced schemas by the whole one and the names: each is made, and compiled, once. */
const reducedSchemas = new WeakMap<StandardSchema, Map<string, Schema>>();

/** Accepts undocumented fields, but not the names of inherited properties, which are mistakes. */
function canBeField(name: string): boolean {
  return /^[\w.]+$/.test(name) && !(name in Object.prototype);
}

function wrong(message: string): InvalidInputError {
  return new InvalidInputError([{ path: ['attributes'], message }]);
}

function reduced(schema: StandardSchema, attributes: readonly string[]): Schema {
  const found = inspect(schema);
  if (found.kind === 'array') return array(reduced(found.of, attributes));
  if (found.kind === 'union') {
    const [first = unknown, ...others] = found.of;
    return others.reduce<Schema>(union, reduced(first, attributes));
  }
  if (found.kind === 'preprocess') return preprocess(reduced(found.of, attributes), found.reader);
  const shape = found.kind === 'object' ? found.shape : {};
  const fieldOf = (name: string): Schema | undefined => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return object(Object.fromEntries(attributes.map((name) => [name, fieldOf(name) ?? nullish(unknown)])));
}
