import { isLoopback } from './is-loopback.js';
import { ConfigurationError, InvalidInputError } from '../errors/errors.js';
import type { CallOptions } from './call-options.js';
import type { ClientOptions } from './client-options.js';

/** Options with their defaults. */
export interface ResolvedOptions extends ClientOptions {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryDelayMs: number;
  readonly confirmWindowMs: number;
  readonly onUnknownOutcome: 'throw' | 'confirm';
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

const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(value as string) ? undefined : `takes ${words.map((word) => `'${word}'`).join(' or ')}`;
const withMethod =
  (name: string): Rule =>
  (value) =>
    typeof (value as Record<string, unknown> | null)?.[name] === 'function'
      ? undefined
      : `takes an object with a function \`${name}\``;
const token: Rule = (value) => {
  if (typeof value !== 'string') return 'takes the token as a string, or a function that gives it';
  return /^[\x21-\x7e]+$/.test(value)
    ? undefined
    : 'is empty or holds characters that no token has; give the bare token, without "Bearer"';
};
const sendableHeaders: Rule = (value) => {
  const wrong = record(value);
  if (wrong !== undefined) return wrong;
  for (const [name, content] of Object.entries(value as object)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'holds a name that no header can have';
    if (typeof content !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(content))
      return `holds under \`${name}\` what no header can carry`;
  }
  return undefined;
};

const rules: Readonly<Record<keyof ClientOptions, Rule>> = {
  baseUrl: ofType('string'),
  accessToken: (value) => (typeof value === 'function' ? undefined : token(value)),
  fetch: ofType('function'),
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: wholeFrom(0),
  maxRetryDelayMs: wholeFrom(0),
  onUnknownOutcome: oneOf('throw', 'confirm'),
  confirmWindowMs: wholeFrom(0),
  responseValidation: oneOf('throw', 'report', 'off'),
  onDrift: ofType('function'),
  onWait: ofType('function'),
  headers: sendableHeaders,
  query: record,
  middleware: (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'function') ? undefined : 'takes a list of functions',
  logger: withMethod('info'),
  tracing: withMethod('observe'),
  maxConcurrency: wholeFrom(1),
  limiter: withMethod('acquire'),
  allowInsecure: ofType('boolean'),
};

const callRules: Readonly<Record<string, Rule>> = {
  signal: withMethod('addEventListener'),
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: wholeFrom(0),
  headers: sendableHeaders,
  query: record,
  accessToken: (value) => (value === null ? undefined : token(value)),
};

/**
 * Checks the options of one call.
 *
 * @throws {InvalidInputError} when one is wrong; nothing is sent.
 */
export function checkCallOptions(options: CallOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const found = value === undefined ? undefined : callRules[name]?.(value);
    if (found !== undefined)
      throw new InvalidInputError([{ path: [name], message: `the option \`${name}\` ${found}` }]);
  }
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
    maxRetries: 2,
    maxRetryDelayMs: 30_000,
    confirmWindowMs: 3000,
    onUnknownOutcome: 'throw',
    responseValidation: 'throw',
    ...(given as unknown as ClientOptions),
    baseUrl,
  } as ResolvedOptions;
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
