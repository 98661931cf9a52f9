import type { Drift, Logger, Middleware, TokenProvider, Tracing } from './hooks.js';
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
   * The access token, or a function that returns it. The function is called before each call, and again after a 401.
   *
   * @default none: requests are sent without a token
   * @example
   * const seller = new SellerClient({ baseUrl, accessToken: refreshingToken({ load, refresh, save }) });
   */
  readonly accessToken?: string | TokenProvider | undefined;
  /**
   * The function that sends all requests. It gets a whole `Request`, and no `init`.
   *
   * @default `node:http` on Node.js, except for downloads; otherwise the platform's `fetch`
   */
  readonly fetch?: ((request: Request, init?: RequestInit) => Promise<Response>) | undefined;
  /**
   * An `Agent` of `node:http` or `node:https` that opens the connections, e.g. for a proxy or a private certificate
   * authority. Every request goes through it, also where the global `fetch` or its dispatcher is replaced, as in tests that mock
   * `fetch`. It works only on Node.js, and not together with `fetch` or `middleware`.
   *
   * @default the global agent of Node
   */
  readonly agent?: HttpAgent | undefined;
  /**
   * The time limit of one attempt in milliseconds, including its response body. For an upload or a download, it limits
   * the time between two chunks.
   *
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The time limit of a whole call in milliseconds, including its retries and waits. For an iteration, and for a method
   * that makes several requests, it limits the time of all requests together.
   *
   * @default none
   */
  readonly deadlineMs?: number | undefined;
  /**
   * The maximum number of retries of a call. The client retries only if that is safe. `0` sends each request once. After a 429
   * of a rate limit, only the retries since the last success of any call count: set `deadlineMs` to limit the time.
   *
   * @default 2
   */
  readonly maxRetries?: number | undefined;
  /**
   * The longest wait between two attempts, in milliseconds. If the service asks for a longer one (`Retry-After`), the
   * call fails.
   *
   * @default 30_000
   */
  readonly maxRetryDelayMs?: number | undefined;
  /**
   * What happens when the response to a write is lost. `throw`: the call rejects with an `OutcomeUnknownError`.
   * `confirm`: the client reads back for 3 seconds, and after a timeout for at least `timeoutMs`, whether the write was
   * carried out, and sends it again only if it was not.
   * Idempotent writes are retried in both cases, and are read back if no retry is left. Writes that cannot be read back
   * always throw.
   *
   * @default 'throw'
   */
  readonly unknownOutcome?: 'throw' | 'confirm' | undefined;
  /**
   * What happens to a response that does not fit its schema. In both modes, an optional field of another type is
   * returned unchanged.
   *
   * - `throw`: an invalid entry of a list is left out. If anything else that is required is missing or wrong, the call
   *   rejects with an `UnexpectedResponseError`.
   * - `report`: required fields and entries of lists are also returned unchanged.
   *
   * @default 'throw'
   */
  readonly responseValidation?: 'throw' | 'report' | undefined;
  /**
   * The maximum size of a response body, in bytes after decompression. A larger one is not read further and is an
   * error. Downloads have no limit.
   *
   * @default 16_777_216
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Called for each difference between a response and its schema, if the response is returned nevertheless. Its
   * errors are ignored.
   *
   * @default none
   */
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  /**
   * Headers of every request. Their values are secret, unless SECURITY.md lists the name as public: they are masked in errors,
   * logs and traces, and a download that is redirected to another origin does not have them. A `user-agent` replaces the
   * client's own.
   *
   * @default none
   * @example
   * const seller = new SellerClient({ baseUrl, headers: { 'x-tenant-key': 'a secret', 'accept-language': 'es-AR' } });
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Functions that wrap every attempt. The first one is the outermost.
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
   * Receives one message per response (`debug`), wait (`info`) and failed call (`warn`). It never receives a token.
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
   * The maximum number of this client's requests in flight at the same time, per token. Clients that `withOptions`
   * returns with the same maximum share it. Requests of clients with another maximum, or with none, do not count.
   *
   * @default no limit
   */
  readonly maxConcurrency?: number | undefined;
  /**
   * Your own limiter, e.g. one that shares a limit between clients that are created separately, or between machines.
   *
   * @default none
   */
  readonly limiter?: Limiter | undefined;
  /**
   * Accepts an `http:` base URL of any host. Tokens are then sent in clear text.
   *
   * @default false
   */
  readonly allowInsecure?: boolean | undefined;
}
