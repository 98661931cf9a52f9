import { defined } from '../json/defined.js';
import type { ConfirmOptions, StoredWriteOptions } from '../errors/confirmation.js';
import { ConfigurationError, InvalidInputError } from '../errors/errors.js';
import type { Issue } from '../errors/issue.js';
import type { InternalOptions } from '../scope/call-options.js';
import type { ClientOptions } from './client-options.js';
import {
  delay,
  headerRecord,
  integerFrom,
  isLoopback,
  optionIssues,
  listOf,
  ofType,
  oneOf,
  positive,
  queryRecord,
  token,
  withMethods,
} from './rules.js';
import type { Rule } from './rules.js';

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
  agent: withMethods('addRequest'),
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
  maxConcurrency: integerFrom(1),
  limiter: withMethods('acquire'),
  allowInsecure: ofType('boolean'),
};

/** What to use in place of names that are no options. */
const instead: Readonly<Record<string, string>> = {
  onUnknownOutcome: 'it is `unknownOutcome`',
  userAgent: 'give a `user-agent` in `headers`',
  redactHeaders: 'the values of `headers` are secret, unless SECURITY.md lists their names as public',
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
export const storedWriteRules: Readonly<Record<keyof StoredWriteOptions, Rule>> = {
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
export function checkOptions<O extends object>(options: O, rules: Readonly<Record<string, Rule>>): O {
  if (typeof options !== 'object' || (options as unknown) === null)
    throw new InvalidInputError([{ path: [], message: 'the options are not an object' }]);
  const given = { ...options };
  const named = ({ path, message }: Issue): Issue => ({ path, message: message.replace(/^`/, 'the option `') });
  const issues = optionIssues(given, rules).map(named);
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
  if (given.baseUrl === undefined)
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
