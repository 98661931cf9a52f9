import type { TokenSupplier } from './access-token.js';
import type { Endpoint } from './endpoint.js';
import { ConfigurationError } from './errors.js';
import type { Issue } from './schema.js';

/** One attempt of a call, as a middleware sees it. */
export interface Attempt {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  readonly request: Request;
}

/** Stands around every attempt: looks at or changes the request, calls `next`, looks at or changes the answer. */
export type Middleware = (attempt: Attempt, next: (request: Request) => Promise<Response>) => Promise<Response>;

/** A sink of the usual shape: console, pino, winston. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** An answer whose shape is not the documented one, told without its values. */
export interface Drift {
  readonly endpoint: Endpoint;
  readonly issues: readonly Issue[];
}

/** How a `SellerClient` is set up. */
export interface ClientOptions {
  /** Where the service is, e.g. `https://api.example.com`. `http:` only for loopback, or with `allowInsecure`. */
  readonly baseUrl: string;
  /** The access token, or a function that supplies one: asked before each call, and again after a 401. */
  readonly accessToken?: string | TokenSupplier | undefined;
  /** What sends requests; the platform's `fetch` unless given. */
  readonly fetch?: ((request: Request) => Promise<Response>) | typeof globalThis.fetch | undefined;
  /** Bounds one attempt, its body included, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Bounds a whole call with its waits, in milliseconds. Default: none. */
  readonly deadlineMs?: number | undefined;
  /** How many times a call may be repeated where that is safe. Default 2. */
  readonly retries?: number | undefined;
  /** What happens to an answer of another shape: `throw` (default), `report` to `onDrift` and deliver, or `off`. */
  readonly responseValidation?: 'throw' | 'report' | 'off' | undefined;
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to every call's query. */
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  readonly logger?: Logger | undefined;
  /** How many requests may be under way at once. Default: no bound. */
  readonly maxConcurrency?: number | undefined;
  /** Allows an `http:` base URL on another host than this one. Tokens then travel in clear text. */
  readonly allowInsecure?: boolean | undefined;
}

/** What one call may say differently. */
export interface CallOptions {
  /** Ends the call at once. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly retries?: number | undefined;
  /** Added to, and over, the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to the query as it is: the open door for undocumented parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Another token for this call; `null` sends none. */
  readonly accessToken?: string | null | undefined;
  /** The fields to ask for and deliver; the rest is dropped. */
  readonly attributes?: readonly string[] | undefined;
}

/** Options with their defaults. */
export interface Settings extends ClientOptions {
  readonly timeoutMs: number;
  readonly retries: number;
  readonly responseValidation: 'throw' | 'report' | 'off';
}

type Rule = (value: unknown) => string | undefined;

const positive: Rule = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'takes a number of milliseconds above 0';
const wholeFrom =
  (least: number): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= least ? undefined : `takes a whole number, at least ${least}`;
const ofType =
  (type: string): Rule =>
  (value) =>
    typeof value === type ? undefined : `takes a ${type}`;
const record: Rule = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : 'takes an object of names and values';

const rules: Readonly<Record<keyof ClientOptions, Rule>> = {
  baseUrl: ofType('string'),
  accessToken: (value) => {
    if (typeof value === 'function') return undefined;
    if (typeof value !== 'string') return 'takes the token as a string, or a function that gives it';
    return /^[\x21-\x7e]+$/.test(value)
      ? undefined
      : 'is empty or holds characters that no token has; give the bare token, without "Bearer"';
  },
  fetch: ofType('function'),
  timeoutMs: positive,
  deadlineMs: positive,
  retries: wholeFrom(0),
  responseValidation: (value) =>
    value === 'throw' || value === 'report' || value === 'off' ? undefined : "takes 'throw', 'report' or 'off'",
  onDrift: ofType('function'),
  headers: record,
  query: record,
  middleware: (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'function') ? undefined : 'takes a list of functions',
  logger: record,
  maxConcurrency: wholeFrom(1),
  allowInsecure: ofType('boolean'),
};

/**
 * Checks a client's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function settingsOf(options: ClientOptions): Settings {
  if (typeof options !== 'object' || (options as unknown) === null) {
    throw new ConfigurationError(
      "SellerClient takes an object of options: new SellerClient({ baseUrl: 'https://...', accessToken })",
    );
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const rule = rules[name as keyof ClientOptions] as Rule | undefined;
    if (!rule) return [`there is no option \`${name}\`; the options are ${Object.keys(rules).join(', ')}`];
    const found = rule(value);
    return found === undefined ? [] : [`\`${name}\` ${found}`];
  });
  if (given.baseUrl === undefined)
    wrong.unshift("`baseUrl` is missing: say where the service is, e.g. baseUrl: 'https://api.example.com'");
  if (wrong.length > 0) throw new ConfigurationError(wrong.join('; '));
  const baseUrl = checkedBaseUrl(options.baseUrl, options.allowInsecure === true);
  return {
    timeoutMs: 30_000,
    retries: 2,
    responseValidation: 'throw',
    ...(given as unknown as ClientOptions),
    baseUrl,
  } as Settings;
}

function checkedBaseUrl(baseUrl: string, allowInsecure: boolean): string {
  if (!URL.canParse(baseUrl))
    throw new ConfigurationError("`baseUrl` is not a URL; it takes one such as 'https://api.example.com'");
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new ConfigurationError('`baseUrl` takes an https: URL');
  if (url.username || url.password)
    throw new ConfigurationError('`baseUrl` holds a user name or password; give the token as `accessToken`');
  if (url.search || url.hash)
    throw new ConfigurationError('`baseUrl` holds a query or fragment; give query parameters as `query`');
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      '`baseUrl` is http:, so the token would travel in clear text; use https:, or say `allowInsecure: true`',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
