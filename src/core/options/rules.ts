import { ConfigurationError } from '../errors/errors.js';
import { isPlainObject } from '../json/plain-object.js';
import type { Issue } from '../errors/issue.js';
import { didYouMean } from './nearest.js';
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

export const withMethods =
  (...names: readonly string[]): Rule =>
  (value) => {
    const missing = names.find((name) => typeof (value as Record<string, unknown> | null)?.[name] !== 'function');
    return missing === undefined ? undefined : `takes an object with a function \`${missing}\``;
  };

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

function hintFor(name: string, names: readonly string[]): string {
  return didYouMean(name, names, `the options are ${names.join(', ')}`, '`');
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
