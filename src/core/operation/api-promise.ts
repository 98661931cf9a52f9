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
 * const text = await seller.questions.get({ question_id }).map((question) => question.text ?? '');
 * console.log(data.id, response.status, response.attempts, text);
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

  /** Returns the same call, with its output changed by a function. */
  map<U>(change: (data: T, response: ResponseInfo) => U): ApiPromise<U> {
    return mapped(this.#source, change);
  }

  override then<A = T, B = never>(
    onfulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#data ??= this.#source.then(({ data }) => data);
    return this.#data.then(onfulfilled, onrejected);
  }
}

/** Outside the class: esbuild renames a class that refers to itself, and logs would show that name. */
function mapped<T, U>(source: Promise<WithResponse<T>>, change: (data: T, response: ResponseInfo) => U): ApiPromise<U> {
  return new ApiPromise(source.then(({ data, response }) => ({ data: change(data, response), response })));
}

function succeeded<T>(result: WithResponse<T>): ApiPromise<T> {
  return new ApiPromise(Promise.resolve(result));
}

function mockedResponse(): ResponseInfo {
  const headers = new Headers();
  return { status: 200, headers, url: '', requestId: undefined, attempts: 1, durationMs: 0, leftOut: 0 };
}
