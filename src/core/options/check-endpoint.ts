import type { Endpoint } from '../endpoint.js';
import { ConfigurationError } from '../errors/errors.js';
import { listOf, ofType, oneOf } from './rules.js';
import type { Rule } from './rules.js';
import type { StandardSchema } from '../schema/standard-schema.js';

const schema: Rule = (value) =>
  (value as StandardSchema | null | undefined)?.['~standard']
    ? undefined
    : 'takes a schema that implements Standard Schema';

/** The properties that every endpoint has. */
const rules: Readonly<Partial<Record<keyof Endpoint, Rule>>> = {
  name: ofType('string'),
  method: oneOf('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'),
  path: (value) => {
    if (!String(value).startsWith('/')) return 'takes a path that begins with /';
    return /[?#]/.test(String(value)) ? 'takes a path without ? and #; `query` takes constant parameters' : undefined;
  },
  input: schema,
  output: schema,
  retry: oneOf('safe', 'idempotent', 'unsafe'),
  errors: listOf('object'),
};

const checked = new WeakSet<Endpoint>();

/**
 * Checks an endpoint before its first request. Programs without types may define it incompletely.
 *
 * @throws {ConfigurationError} when a property is missing or wrong.
 */
export function checkEndpoint(endpoint: Endpoint): void {
  if (checked.has(endpoint)) return;
  const given = endpoint as Partial<Endpoint> | undefined | null;
  const problems = Object.entries(rules).flatMap(([name, rule]) => {
    const problem = rule(given?.[name as keyof Endpoint]);
    return problem === undefined ? [] : [`\`${name}\` ${problem}`];
  });
  if (problems.length > 0) throw new ConfigurationError(`Not sent: the endpoint is wrong: ${problems.join('; ')}`);
  checked.add(endpoint);
}
