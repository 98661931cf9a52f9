import { ConfigurationError, InvalidInputError, type Issue } from '../errors/errors.js';
import type { ConfirmOptions, SentWriteOptions } from '../errors/seller-error.js';
import { defined } from '../json/json.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { InternalOptions } from '../scope/call-options.js';
import type { Drift, Logger, Middleware, TokenProvider, Tracing } from './hooks.js';
import {
  delay,
  headerRecord,
  httpAgent,
  integerFrom,
  isLoopback,
  listOf,
  ofType,
  oneOf,
  optionIssues,
  positive,
  queryRecord,
  token,
  withMethods,
} from './rules.js';
import type { Rule } from './rules.js';

/** What a `fetch` is called with, beside the URL. */
export interface FetchInit {
  /** The method, in upper case. */
  readonly method: string;
  /** The headers, with names in lower case. */
  readonly headers: Record<string, string>;
  /**
   * The text of a request, or the file of an upload: a stream on Node.js, Deno and Bun, elsewhere a `FormData`. What a middleware has
   * put in its place is text, bytes if it is no text, or a stream for an upload.
   */
  // Each `fetch` has its own type for what it takes; one type that all take does not exist.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body?: any;
  /** Stated with a stream: the response may begin before the request has ended. */
  readonly duplex?: 'half';
  /** Ends the request, and the reading of its response. */
  readonly signal: AbortSignal;
  /** Only downloads follow a redirect: another host would receive the token. */
  readonly redirect: 'error' | 'follow' | 'manual';
  /** Where the platform knows it: no cache may answer for the service. */
  readonly cache?: 'no-store';
}

/** A `fetch`: that of the platform, of undici, of node-fetch, or a function of your own. */
export type Fetch = (
  url: string,
  init: FetchInit,
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
  text(): Promise<string>;
}>;

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
   * The function that sends all requests. It is called as `fetch(url, init)`.
   *
   * @default `node:http` on Node.js, except for downloads; otherwise the platform's `fetch`
   * @example
   * import { ProxyAgent, fetch } from 'undici';
   * const dispatcher = new ProxyAgent('http://proxy.internal:3128');
   * const seller = new SellerClient({ baseUrl, fetch: (url, init) => fetch(url, { ...init, dispatcher }) });
   */
  readonly fetch?: Fetch | undefined;
  /**
   * An `Agent` of `node:http` or `node:https` that opens the connections, e.g. for a proxy or a private certificate
   * authority. Every request goes through it, also where the global `fetch` or its dispatcher is replaced, as in tests that mock
   * `fetch`. It works only on Node.js, and not together with `fetch` or `middleware`.
   *
   * @default the global agent of Node
   */
  readonly agent?:
    | {
        /** What a dispatcher of undici does not have. */
        readonly maxSockets: number;
        destroy(): unknown;
      }
    | undefined;
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
   * Receives one message per response (`debug`), wait (`info`) and failed call (`warn`), and one a day (`warn`) for an endpoint that
   * the service will end, by `Deprecation` or `Sunset` of a response. It never receives a token.
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
  readonly concurrency?: number | undefined;
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

/** An attempt that waits for a limiter. */
export interface LimiterAttempt {
  readonly endpoint: Endpoint;
  /** The endpoints that the service limits together: the first part of their names, for example `messages`. */
  readonly group: string;
  /** Whether it is no GET or OPTIONS. The service counts reads and writes of a group separately. */
  readonly isWrite: boolean;
  /**
   * The id of the user for whom it is sent: the one in the access token, otherwise that of the seller in the path.
   * `undefined` if neither has one.
   */
  readonly user: string | undefined;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The host of the service. */
  readonly host: string;
  /** Aborts when the call ends early: the caller aborted it, or its deadline has passed. */
  readonly signal: AbortSignal;
}

/**
 * Decides when attempts are sent. Use your own limiter to share a limit between processes or machines.
 *
 * It is asked last, just before the attempt is sent. A call that waits for the client's own limits, for example during the
 * pause after a 429, holds nothing of it. If a pause begins while the call waits for `acquire`, `release` gives the permission
 * back, and both begin again.
 *
 * @example
 * import type { Limiter } from 'marketplace-seller-sdk';
 * const limiter: Limiter = {
 *   acquire: async ({ user, group, isWrite, signal }) => {
 *     const bucket = `${user}/${group}/${isWrite ? 'write' : 'read'}`;
 *     await fetch(`https://limits.internal/${bucket}`, { method: 'POST', signal });
 *   },
 * };
 */
export interface Limiter {
  /** Called before each attempt. When the promise resolves, the attempt is sent; when it rejects, the call fails. */
  acquire(attempt: LimiterAttempt): void | Promise<void>;
  /** Called when an attempt has ended. Its errors are ignored. */
  release?(
    report: Omit<LimiterAttempt, 'signal'> & {
      /** The status of the response; `undefined` if there was no response, or if the attempt was not sent after all. */
      readonly status: number | undefined;
      /** How long the service asked to wait (`Retry-After`), in milliseconds. */
      readonly retryAfterMs: number | undefined;
    },
  ): void;
}

/** Client options with their defaults. */
export interface ResolvedOptions extends ClientOptions {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryDelayMs: number;
  readonly maxResponseBytes: number;
  readonly unknownOutcome: 'throw' | 'confirm';
  readonly responseValidation: 'throw' | 'report';
}

const rules: Readonly<Record<keyof ClientOptions, Rule>> = {
  baseUrl: ofType('string'),
  accessToken: (value) => (typeof value === 'function' ? undefined : token(value)),
  fetch: ofType('function'),
  agent: httpAgent,
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: integerFrom(0),
  maxRetryDelayMs: delay,
  unknownOutcome: oneOf('throw', 'confirm'),
  responseValidation: oneOf('throw', 'report'),
  maxResponseBytes: integerFrom(1),
  onDrift: ofType('function'),
  headers: headerRecord,
  middleware: listOf('function'),
  logger: withMethods('info'),
  tracing: withMethods('observe'),
  concurrency: integerFrom(1),
  limiter: withMethods('acquire'),
  allowInsecure: ofType('boolean'),
};

/** What to use in place of names that are no options. */
const instead: Readonly<Record<string, string>> = {
  onUnknownOutcome: 'it is `unknownOutcome`',
  userAgent: 'give a `user-agent` in `headers`',
  logLevel: 'the `logger` decides: leave its `debug` and `info` empty',
  proxy: 'give an `agent`, or a `fetch` with a dispatcher',
  fetchOptions: 'give a `fetch` that adds them: `(url, init) => fetch(url, { ...init, ...options })`',
  request: 'give its parts, e.g. `fetch`, `agent` or `timeoutMs`',
  redactHeaders: 'the values of `headers` are secret, unless SECURITY.md lists their names as public',
};

/** What to use in place of options of a call that other clients have. */
export const insteadInCall: Readonly<Record<string, string>> = {
  idempotencyKey:
    'the service has no such keys: a write is sent once, and `confirm()` of an error reads a lost one back',
};

/** The options of one call. */
export const callRules: Readonly<Record<keyof InternalOptions, Rule>> = {
  signal: withMethods('addEventListener'),
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: integerFrom(0),
  confirmWindowMs: delay,
  headers: headerRecord,
  query: queryRecord,
  accessToken: (value) => (value === null ? undefined : token(value)),
  attributes: listOf('string'),
  onUploadProgress: ofType('function'),
  onDownloadProgress: ofType('function'),
};

const { signal, confirmWindowMs, deadlineMs } = callRules;

/** The options of `confirm()`. */
export const confirmRules: Readonly<Record<keyof ConfirmOptions, Rule>> = { signal, confirmWindowMs, deadlineMs };

/** A smaller value is not a time in milliseconds but a time in seconds or a duration: this is March 1973. */
const leastTime = 1e11;

/** The options of `confirm` of a client. A time in the future would make every entry look older than the write. */
export const storedWriteRules: Readonly<Record<keyof SentWriteOptions, Rule>> = {
  ...confirmRules,
  sentAt: (value) =>
    typeof value === 'number' && value >= leastTime && value <= Date.now()
      ? undefined
      : 'takes a time of the past in milliseconds since 1970, such as a stored `Date.now()`',
};

/**
 * Reads the options of a function, and checks them by the rule of each option.
 *
 * @returns a copy: a getter of the caller could return something else the next time.
 * @throws {InvalidInputError} when an option is unknown or wrong; nothing is sent.
 */
export function checkOptions<O extends object>(
  options: O,
  rules: Readonly<Record<string, Rule>>,
  instead: Readonly<Record<string, string>> = {},
): O {
  if (typeof options !== 'object' || (options as unknown) === null)
    throw new InvalidInputError([{ path: [], message: 'the options are not an object' }]);
  const given = { ...options };
  const named = ({ path, message }: Issue): Issue => ({ path, message: message.replace(/^`/, 'the option `') });
  const issues = optionIssues(given, rules, instead).map(named);
  if (issues.length > 0) throw new InvalidInputError(issues);
  return given;
}

/**
 * An older Node.js would fail in the first call, with an error that names neither the library nor the remedy.
 *
 * @throws {ConfigurationError} on such a platform.
 */
export function checkPlatform(): void {
  if ('withResolvers' in Promise) return;
  throw new ConfigurationError(
    'marketplace-seller-sdk needs Node.js 22.12 or later, or another platform with `Promise.withResolvers`',
  );
}

/**
 * Checks a client's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  if (typeof options !== 'object' || (options as unknown) === null) {
    throw new ConfigurationError(
      "SellerClient takes an object of options: new SellerClient({ baseUrl: 'https://...', accessToken })",
    );
  }
  checkPlatform();
  const given: Partial<ClientOptions> = defined(options);
  const problems = optionIssues(given, rules, instead).map(({ message }) => message);
  // Another name for it was found already.
  if (given.baseUrl === undefined && !problems.some((each) => each.includes('`baseUrl`')))
    problems.unshift("`baseUrl` is missing: give the address of the service, e.g. baseUrl: 'https://api.example.com'");
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  const baseUrl = checkBaseUrl(given.baseUrl ?? '', given.allowInsecure === true);
  return {
    timeoutMs: 30_000,
    maxRetries: 2,
    maxRetryDelayMs: 30_000,
    maxResponseBytes: 16 * 2 ** 20,
    unknownOutcome: 'throw',
    responseValidation: 'throw',
    ...(given as unknown as ClientOptions),
    baseUrl,
  } as ResolvedOptions;
}

function checkBaseUrl(baseUrl: string, allowInsecure: boolean): string {
  if (!URL.canParse(baseUrl))
    throw new ConfigurationError("`baseUrl` is not a URL; it takes one such as 'https://api.example.com'");
  const url = new URL(baseUrl);
  const problem = problemOf(url, allowInsecure);
  if (problem !== undefined) throw new ConfigurationError(`\`baseUrl\` ${problem}`);
  return url.href.replace(/(?<!\/)\/+$/, '');
}

function problemOf({ protocol, username, password, href, hostname }: URL, allowInsecure: boolean): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'takes an https: URL';
  if (username || password) return 'contains a user name or password; give the token as `accessToken`';
  // Paths are appended to the base URL: after `?` or `#`, they would become part of the query or the fragment.
  if (/[?#]/.test(href)) return 'contains a query or fragment; give query parameters as the call option `query`';
  if (protocol === 'https:' || allowInsecure || isLoopback(hostname)) return undefined;
  return 'is http:, so the token would travel in clear text; use https:, or set `allowInsecure: true`';
}
