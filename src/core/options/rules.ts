import { ConfigurationError, type Issue } from '../errors/errors.js';
import { isPlainObject } from '../json/json.js';
import { ApiPromise, type Requester } from '../operation/api-promise.js';
import { isLostValue, type Endpoint } from '../operation/endpoint.js';
import type { StandardSchema } from '../schema/schema.js';
import type { InternalOptions } from '../scope/call-options.js';
import { longestTimerMs } from '../scope/cancel-scope.js';

/** Returns what an option accepts if the value is wrong; `undefined` if the value is right. */
export type Rule = (value: unknown) => string | undefined;

function rule(accepts: (value: unknown) => boolean, takes: string): Rule {
  return (value) => (accepts(value) ? undefined : `takes ${takes}`);
}

function isFrom(minimum: number, value: unknown): value is number {
  return typeof value === 'number' && value >= minimum;
}

export const positive: Rule = /* @__PURE__ */ rule(
  (value) => typeof value === 'number' && value > 0,
  'a number of milliseconds above 0',
);

export const notNegative: Rule = /* @__PURE__ */ rule(
  (value) => isFrom(0, value),
  'a number of milliseconds, at least 0',
);

export const integerFrom = (minimum: number): Rule =>
  rule((value) => Number.isSafeInteger(value) && isFrom(minimum, value), `an integer, at least ${minimum}`);

export const delay: Rule = /* @__PURE__ */ rule(
  (value) => Number.isInteger(value) && isFrom(0, value) && value <= longestTimerMs,
  `an integer, at least 0 and at most ${longestTimerMs}`,
);

export const ofType = (type: string): Rule => rule((value) => typeof value === type, `a ${type}`);

/**
 * Rejects `Headers`, `Map` and `URLSearchParams`: they have no own properties, so their content would be lost silently.
 */
const record: Rule = (value) => {
  if (isPlainObject(value)) return undefined;
  const isMap = typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value);
  return `takes an object of names and values${isMap ? '; convert it with Object.fromEntries' : ''}`;
};

/** Query parameters that change the shape of every response, and what to use instead. */
export const reservedQuery: Readonly<Record<string, string>> = {
  callback: 'makes the response JSONP; see readJsonp',
  attributes: 'removes fields that the client needs; use the call option `attributes` where a method offers it',
};

export const queryRecord: Rule = (value) => {
  const problem = record(value);
  if (problem !== undefined) return problem;
  const reserved = Object.keys(value as object).find((name) => Object.hasOwn(reservedQuery, name));
  if (reserved !== undefined) return `has \`${reserved}\`, which ${reservedQuery[reserved]}`;
  const [wrong] = Object.entries(value as object).find(([, each]) => !isQueryValue(each)) ?? [];
  return wrong === undefined ? undefined : `takes a string, finite number or boolean under \`${wrong}\``;
};

function isQueryValue(value: unknown): boolean {
  return ['string', 'boolean', 'undefined'].includes(typeof value) || Number.isFinite(value);
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const notInHeader = /[^\t\x20-\x7e\x80-\xff]/;
/** With these, a server could read one request as two. They are often copied from a request that the caller received. */
const framing = /^(?:content-length|expect|keep-alive|trailer|transfer-encoding|upgrade)$/i;

export const headerRecord: Rule = (value) => {
  const problem = record(value);
  if (problem !== undefined) return problem;
  for (const [name, content] of Object.entries(value as object)) {
    if (!headerName.test(name)) return 'contains a name that no header can have';
    if (framing.test(name)) return `contains \`${name}\`, which only the connection sets`;
    if (typeof content !== 'string' || notInHeader.test(content))
      return `contains under \`${name}\` a value that no header can have`;
  }
  return undefined;
};

export const oneOf = (...values: readonly string[]): Rule =>
  rule((value) => values.includes(value as string), values.map((each) => `'${each}'`).join(' or '));

export const listOf = (type: string): Rule =>
  rule((value) => Array.isArray(value) && value.every((each) => typeof each === type), `a list of ${type}s`);

/** Each entry has a message of its own: see `namedEndpointError`. */
export const endpointList: Rule = /* @__PURE__ */ rule(Array.isArray, 'a list of endpoints');

export const withMethods =
  (...names: readonly string[]): Rule =>
  (value) => {
    const missing = names.find((name) => typeof (value as Record<string, unknown> | null)?.[name] !== 'function');
    return missing === undefined ? undefined : `takes an object with a function \`${missing}\``;
  };

/** A dispatcher of undici has other methods, and the name that people look for: `ProxyAgent`. */
export const httpAgent: Rule = (value) =>
  typeof (value as { dispatch?: unknown } | null)?.dispatch === 'function'
    ? 'is a dispatcher of undici, which only its own `fetch` takes; give `fetch: (url, init) => fetch(url, { ...init, dispatcher })` with the `fetch` of undici'
    : withMethods('addRequest')(value);

export const token: Rule = (value) => {
  if (typeof value !== 'string') return 'takes the token as a string, or a function that returns it';
  return isToken(value)
    ? undefined
    : 'is empty or contains characters that no token has; give the bare token, without "Bearer"';
};

/** Whether a text can be part of an `authorization` header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** What is said of a token that cannot be sent. */
export const oddly = {
  accessToken: 'an access token that is empty or has characters that no token has',
  refreshToken: 'a refresh token with control characters',
};

/** Which of two tokens cannot be sent, or would break a line: they are rejected before anything stores them. */
export function oddTokens({ accessToken, refreshToken }: OddTokens): (keyof typeof oddly)[] {
  const odd: (keyof typeof oddly)[] = [];
  if (typeof accessToken !== 'string' || !isToken(accessToken)) odd.push('accessToken');
  const isMissing = refreshToken === undefined || refreshToken === null;
  if (!isMissing && (typeof refreshToken !== 'string' || /\p{Cc}/u.test(refreshToken))) odd.push('refreshToken');
  return odd;
}

type OddTokens = Partial<Record<keyof typeof oddly, unknown>>;

/**
 * Checks the properties of an object, including unknown names. An option that is `undefined` counts as omitted. `instead` says
 * of some unknown names what to use in their place.
 */
export function optionIssues(
  given: object,
  rules: Readonly<Record<string, Rule>>,
  instead: Readonly<Record<string, string>> = {},
): Issue[] {
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const say = (message: string): Issue[] => [{ path: [name], message }];
    if (value === undefined) return [];
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule)
      return say(
        `there is no option \`${name}\`; ${Object.hasOwn(instead, name) ? instead[name] : hintFor(name, Object.keys(rules))}`,
      );
    const found = rule(value);
    return found === undefined ? [] : say(`\`${name}\` ${found}`);
  });
}

/** What other clients call an option: such names are tried first, and resemble ours too little to be recognised. */
const elsewhere: Readonly<Record<string, string>> = {
  apiKey: 'accessToken',
  auth: 'accessToken',
  token: 'accessToken',
  getAccessToken: 'accessToken',
  url: 'baseUrl',
  host: 'baseUrl',
  retry: 'maxRetries',
  retries: 'maxRetries',
  maxNetworkRetries: 'maxRetries',
  httpAgent: 'agent',
  httpsAgent: 'agent',
  httpClient: 'fetch',
  defaultHeaders: 'headers',
  log: 'logger',
  maxConcurrency: 'concurrency',
  params: 'query',
  abortSignal: 'signal',
  handlers: 'on',
  onQuestion: 'on',
  onMessage: 'on',
  onNotification: 'on',
};

function hintFor(name: string, names: readonly string[]): string {
  const meant = optionMeantBy(name, names);
  return meant === undefined ? `the options are ${names.join(', ')}` : `did you mean \`${meant}\`?`;
}

/** The option that a name means elsewhere, otherwise the most similar. */
export function optionMeantBy(name: string, names: readonly string[]): string | undefined {
  const meant = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  return meant !== undefined && names.includes(meant) ? meant : nearest(name, names);
}

/**
 * Checks the options of a function that creates something. `required` are the names that must be given.
 *
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function checkConfiguration(
  creator: string,
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError(`${creator} takes an object of options`);
  const missing = required.filter((name) => (options as Record<string, unknown>)[name] === undefined);
  const problems = [
    ...missing.map((name) => `\`${name}\` is missing`),
    ...optionIssues(options, rules).map(({ message }) => message),
  ];
  if (problems.length > 0) throw new ConfigurationError(`${creator}: ${problems.join('; ')}`);
}

/** Returns whether a host name or IP address is this machine. IPv6 addresses may have brackets. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(host);
}

/** Returns the name that is the same in another case, otherwise the most similar; `undefined` if all differ by more than two letters. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const same = names.find((each) => bare(each) === bare(name));
  if (same !== undefined) return same;
  const ranked = names
    .map((each) => ({ each, distance: distance(name, each) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.min(2, name.length / 2) ? best.each : undefined;
}

/** A name without what differs between camelCase, snake_case and kebab-case. */
export function bare(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}

/** What an error says of a name that does not exist: the one that was probably meant, in `mark`s, or `otherwise`. */
export function didYouMean(name: string, names: readonly string[], otherwise: string, mark = ''): string {
  const near = nearest(name, names);
  return near === undefined ? otherwise : `did you mean ${mark}${near}${mark}?`;
}

/** The edit distance of two words (Damerau): a swap of two adjacent letters counts as one edit. */
function distance(a: string, b: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (last?.[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = isSwap ? (beforeLast?.[column - 2] ?? row) + 1 : Infinity;
      current.push(Math.min(substitution, (current[column - 1] ?? 0) + 1, (last?.[column] ?? 0) + 1, swap));
    }
    [beforeLast, last] = [last ?? [], current];
  }
  return last?.[b.length] ?? 0;
}

const schema: Rule = (value) =>
  typeof (value as Partial<StandardSchema> | null | undefined)?.['~standard']?.validate === 'function'
    ? undefined
    : 'takes a schema that implements Standard Schema';

/** The properties that every endpoint has. */
const rules: Readonly<Partial<Record<keyof Endpoint, Rule>>> = {
  name: ofType('string'),
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
  path: (value) => {
    if (!String(value).startsWith('/')) return 'takes a path that begins with /';
    if (/[?#]/.test(String(value))) return 'takes a path without ? and #; `query` takes constant parameters';
    const field = /\/:(\w+)/.exec(String(value))?.[1];
    if (field !== undefined) return `has \`:${field}\`; a field of the path is \`{${field}}\``;
    const lost = String(value).split('/').find(isLostValue);
    return lost === undefined ? undefined : `has "${lost}", the text of a missing value`;
  },
  input: schema,
  output: schema,
  retry: oneOf('safe', 'idempotent', 'unsafe'),
  errors: listOf('object'),
};

/** Calls an endpoint that may be the application's own. Programs without types may define it incompletely. */
export function callChecked<In, Out>(
  http: Requester,
  endpoint: Endpoint<In, Out>,
  input: In,
  options: InternalOptions | undefined,
): ApiPromise<Out> {
  const wrong = endpointError(endpoint);
  return wrong ? new ApiPromise(Promise.reject(wrong)) : http.call(endpoint, input, options);
}

/** The error of an endpoint that is found again by its name, or shows it: the name that `defineEndpoint` makes does not do. */
export function namedEndpointError(endpoint: unknown): ConfigurationError | undefined {
  const wrong = endpointError(endpoint);
  if (wrong || !/\s/.test((endpoint as Endpoint).name)) return wrong;
  return new ConfigurationError('Not sent: the endpoint needs a `name` of its own, without spaces, e.g. `orders.get`');
}

/** The error of an endpoint that is none, or of which a property is missing or wrong. */
export function endpointError(endpoint: unknown): ConfigurationError | undefined {
  const instead = insteadOfEndpoint(endpoint);
  if (instead !== undefined) return new ConfigurationError(`Not sent: the endpoint is ${instead}`);
  const given = endpoint as Partial<Endpoint>;
  const problems = Object.entries(rules).flatMap(([name, rule]) => {
    const problem = rule(given[name as keyof Endpoint]);
    return problem === undefined ? [] : [`\`${name}\` ${problem}`];
  });
  if (problems.length === 0) return undefined;
  return new ConfigurationError(`Not sent: the endpoint is wrong: ${problems.join('; ')}`);
}

const table = 'of marketplace-seller-sdk/schemas';
const anyOfTable = `give one of \`endpoints\` ${table}, e.g. \`endpoints.questions.get\``;

/** What was given in place of an endpoint, and what to give; `undefined` for an object that may be one. */
function insteadOfEndpoint(given: unknown): string | undefined {
  if (given === undefined || given === null) return `missing: ${anyOfTable}`;
  if (typeof given === 'string') {
    if (/^[A-Z]+ \//.test(given))
      return 'a line of method and path: `seller.request` calls it, and `defineEndpoint` makes an endpoint of it';
    return /^\w+(?:\.\w+){0,3}$/.test(given)
      ? `given by its name: give the object, \`endpoints.${given}\` ${table} or your own`
      : `a text: ${anyOfTable}`;
  }
  if (typeof given !== 'object') return `a ${typeof given}: ${anyOfTable}`;
  const parts = 'path' in given ? [] : Object.entries(given).filter(([, each]) => isEndpointLike(each));
  if (parts.length === 0) return undefined;
  return `a group of endpoints: give one of them, ${parts.map(([name]) => `\`.${name}\``).join(', ')}`;
}

function isEndpointLike(value: unknown): boolean {
  return typeof (value as Partial<Endpoint> | null | undefined)?.path === 'string';
}
