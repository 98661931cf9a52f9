import type { Drift, Logger, Middleware, TokenProvider, Tracing, Wait } from './hooks.js';
import type { Limiter } from './limiter.js';

/** An `Agent` of `node:http` or `node:https`, or one that inherits from it. */
export interface HttpAgent {
  destroy(): unknown;
}

/** Options of a `SellerClient`. */
export interface ClientOptions {
  /**
   * The address of the service. `http:` is accepted only for loopback addresses, or with `allowInsecure`.
   *
   * @example 'https://api.example.com'
   */
  readonly baseUrl: string;
  /**
   * The access token, or a function that supplies one. The function is called before each call, and again after a 401.
   *
   * @default none: requests are sent without a token
   * @example
   * const seller = new SellerClient({ baseUrl, accessToken: refreshingToken({ load, refresh, save }) });
   */
  readonly accessToken?: string | TokenProvider | undefined;
  /**
   * The function that sends requests.
   *
   * @default the platform's `fetch`
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | typeof globalThis.fetch | undefined;
  /**
   * An `Agent` of `node:http` or `node:https` that opens the connections, e.g. for a proxy or a private certificate
   * authority. Node only, and not together with `fetch` or `middleware`.
   *
   * @default the global agent of Node
   */
  readonly agent?: HttpAgent | undefined;
  /**
   * The time limit of one attempt, its body included, in milliseconds. Of an upload or a download it limits the silence
   * between two pieces.
   *
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The time limit of a whole call with its retries and waits, in milliseconds. Of an iteration, it limits the time of all
   * its requests; of a method that makes several requests, that of the whole.
   *
   * @default none
   */
  readonly deadlineMs?: number | undefined;
  /**
   * How many times a request may be retried where that is safe. `0` sends each request once.
   *
   * @default 2
   */
  readonly maxRetries?: number | undefined;
  /**
   * The longest wait between two attempts, in milliseconds. A longer `Retry-After` is reported as an error, not slept.
   *
   * @default 30_000
   */
  readonly maxRetryDelayMs?: number | undefined;
  /**
   * Takes a 503 with `Retry-After` as proof that the service did nothing, and retries every write after it. By default a
   * write that is not idempotent is not retried, because a gateway that has passed it on may respond so as well.
   *
   * @default false
   */
  readonly retryWritesAfter503?: boolean | undefined;
  /**
   * What happens when the response to a write is lost: `throw` an `OutcomeUnknownError`, or `confirm` by reading back,
   * and send it again only where it was not carried out. Endpoints that cannot be read back always throw.
   *
   * @default 'throw'
   */
  readonly onUnknownOutcome?: 'throw' | 'confirm' | undefined;
  /**
   * How long after a failure the service may still carry out a write, in milliseconds. Reading back lasts as long.
   *
   * @default 3_000
   */
  readonly confirmWindowMs?: number | undefined;
  /**
   * What happens to a response that does not fit its schema. In every mode, an optional field of another type is
   * delivered as it came, and an entry of a list that is no entry is left out.
   *
   * - `throw`: without something required, the call rejects with an `UnexpectedResponseError`.
   * - `report`: what is required is delivered as it came, too.
   * - `off`: like `report`, and `onDrift` is not called.
   *
   * @default 'throw'
   */
  readonly responseValidation?: 'throw' | 'report' | 'off' | undefined;
  /**
   * The largest response body, in bytes after decompression. A longer one is not read further and is an error. Downloads
   * have no limit.
   *
   * @default 16_777_216
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Called for each place where a response does not fit its schema, and is delivered all the same. Errors that it throws
   * are ignored.
   *
   * @default none
   */
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  /**
   * Called when a call begins to wait, with the duration and the reason. Errors that it throws are ignored.
   *
   * @default none
   */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /**
   * Headers of every request.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Names of headers whose values are secret, besides those that SECURITY.md lists: they are masked in errors, logs and
   * traces, and do not follow a download to another origin.
   *
   * @default []
   * @example
   * const seller = new SellerClient({ baseUrl, headers: { 'x-tenant-key': 'a secret' }, redactHeaders: ['x-tenant-key'] });
   */
  readonly redactHeaders?: readonly string[] | undefined;
  /**
   * Your application's name and version, put in front of the `user-agent` that names this package and the runtime. A
   * `user-agent` in `headers` replaces all of it. It has no effect in browsers, which send their own.
   *
   * @default none
   * @example 'my-app/1.2'
   */
  readonly userAgent?: string | undefined;
  /**
   * Query parameters of every request.
   *
   * @default none
   */
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * Functions that wrap every attempt, the first one outermost.
   *
   * @default []
   * @example
   * import type { Middleware } from 'marketplace-seller-sdk';
   * const timing: Middleware = async ({ request }, next) => {
   *   const response = await next(request);
   *   console.log(request.method, response.status);
   *   return response;
   * };
   */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Receives a line per response (`debug`), wait (`info`) and failed call (`warn`). It never receives a token.
   *
   * @default none
   */
  readonly logger?: Logger | undefined;
  /**
   * Traces calls.
   *
   * @default none
   * @example
   * import { openTelemetry } from 'marketplace-seller-sdk/otel';
   * const seller = new SellerClient({ baseUrl, accessToken, tracing: openTelemetry() });
   */
  readonly tracing?: Tracing | undefined;
  /**
   * How many requests may be in flight at the same time, per token.
   *
   * @default no limit
   */
  readonly maxConcurrency?: number | undefined;
  /**
   * A limiter of your own, e.g. one that shares a limit between machines.
   *
   * @default none
   */
  readonly limiter?: Limiter | undefined;
  /**
   * Accepts an `http:` base URL of another host. Tokens then travel in clear text.
   *
   * @default false
   */
  readonly allowInsecure?: boolean | undefined;
}
