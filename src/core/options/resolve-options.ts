import { isLoopback } from './is-loopback.js';
import { ConfigurationError, InvalidInputError } from '../errors/errors.js';
import type { CallOptions } from './call-options.js';
import type { ClientOptions } from './client-options.js';

/** Client options with their defaults filled in. */
export interface ResolvedOptions extends ClientOptions {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryDelayMs: number;
  readonly confirmWindowMs: number;
  readonly maxResponseBytes: number;
  readonly onUnknownOutcome: 'throw' | 'confirm';
  readonly responseValidation: 'throw' | 'report' | 'off';
}

type Rule = (value: unknown) => string | undefined;

const positive: Rule = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'takes a number of milliseconds above 0';
const integerFrom =
  (minimum: number): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= minimum ? undefined : `takes an integer, at least ${minimum}`;
const ofType =
  (type: string): Rule =>
  (value) =>
    typeof value === type ? undefined : `takes a ${type}`;
const isRecord: Rule = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : 'takes an object of names and values';

const oneOf =
  (...values: readonly string[]): Rule =>
  (value) =>
    values.includes(value as string) ? undefined : `takes ${values.map((each) => `'${each}'`).join(' or ')}`;
const withMethod =
  (name: string): Rule =>
  (value) =>
    typeof (value as Record<string, unknown> | null)?.[name] === 'function'
      ? undefined
      : `takes an object with a function \`${name}\``;
const token: Rule = (value) => {
  if (typeof value !== 'string') return 'takes the token as a string, or a function that returns it';
  return /^[\x21-\x7e]+$/.test(value)
    ? undefined
    : 'is empty or contains characters that no token has; give the bare token, without "Bearer"';
};
const validHeaders: Rule = (value) => {
  const problem = isRecord(value);
  if (problem !== undefined) return problem;
  for (const [name, content] of Object.entries(value as object)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'contains a name that no header can have';
    if (typeof content !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(content))
      return `contains under \`${name}\` a value that no header can have`;
  }
  return undefined;
};

const rules: Readonly<Record<keyof ClientOptions, Rule>> = {
  baseUrl: ofType('string'),
  accessToken: (value) => (typeof value === 'function' ? undefined : token(value)),
  fetch: ofType('function'),
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: integerFrom(0),
  maxRetryDelayMs: integerFrom(0),
  onUnknownOutcome: oneOf('throw', 'confirm'),
  confirmWindowMs: integerFrom(0),
  responseValidation: oneOf('throw', 'report', 'off'),
  maxResponseBytes: integerFrom(1),
  onDrift: ofType('function'),
  onWait: ofType('function'),
  headers: validHeaders,
  query: isRecord,
  middleware: (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'function') ? undefined : 'takes a list of functions',
  logger: withMethod('info'),
  tracing: withMethod('observe'),
  maxConcurrency: integerFrom(1),
  limiter: withMethod('acquire'),
  allowInsecure: ofType('boolean'),
};

const callRules: Readonly<Record<string, Rule>> = {
  signal: withMethod('addEventListener'),
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: integerFrom(0),
  headers: validHeaders,
  query: isRecord,
  accessToken: (value) => (value === null ? undefined : token(value)),
};

/**
 * Checks the options of one call.
 *
 * @throws {InvalidInputError} when one is wrong; nothing is sent.
 */
export function checkCallOptions(options: CallOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const problem = value === undefined ? undefined : callRules[name]?.(value);
    if (problem !== undefined)
      throw new InvalidInputError([{ path: [name], message: `the option \`${name}\` ${problem}` }]);
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
  const problems = Object.entries(given).flatMap(([name, value]) => {
    const rule = rules[name as keyof ClientOptions] as Rule | undefined;
    if (!rule) return [`there is no option \`${name}\`; the options are ${Object.keys(rules).join(', ')}`];
    const problem = rule(value);
    return problem === undefined ? [] : [`\`${name}\` ${problem}`];
  });
  if (given.baseUrl === undefined)
    problems.unshift("`baseUrl` is missing: give the address of the service, e.g. baseUrl: 'https://api.example.com'");
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  const baseUrl = checkBaseUrl(options.baseUrl, options.allowInsecure === true);
  return {
    timeoutMs: 30_000,
    maxRetries: 2,
    maxRetryDelayMs: 30_000,
    confirmWindowMs: 3000,
    maxResponseBytes: 16 * 2 ** 20,
    onUnknownOutcome: 'throw',
    responseValidation: 'throw',
    ...(given as unknown as ClientOptions),
    baseUrl,
  } as ResolvedOptions;
}

function checkBaseUrl(baseUrl: string, allowInsecure: boolean): string {
  if (!URL.canParse(baseUrl))
    throw new ConfigurationError("`baseUrl` is not a URL; it takes one such as 'https://api.example.com'");
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new ConfigurationError('`baseUrl` takes an https: URL');
  if (url.username || url.password)
    throw new ConfigurationError('`baseUrl` contains a user name or password; give the token as `accessToken`');
  if (url.search || url.hash)
    throw new ConfigurationError('`baseUrl` contains a query or fragment; give query parameters as `query`');
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      '`baseUrl` is http:, so the token would travel in clear text; use https:, or set `allowInsecure: true`',
    );
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}
