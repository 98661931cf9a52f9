import { ApiPromise } from '../operation/api-promise.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { Requester } from '../operation/requester.js';
import { ConfigurationError } from '../errors/errors.js';
import type { InternalOptions } from '../scope/call-options.js';
import { listOf, ofType, oneOf } from './rules.js';
import type { Rule } from './rules.js';
import type { StandardSchema } from '../schema/schema.js';

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
    return /[?#]/.test(String(value)) ? 'takes a path without ? and #; `query` takes constant parameters' : undefined;
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

/** The error of an endpoint of which a property is missing or wrong. */
export function endpointError(endpoint: unknown): ConfigurationError | undefined {
  const given = (endpoint ?? {}) as Partial<Endpoint>;
  const problems = Object.entries(rules).flatMap(([name, rule]) => {
    const problem = rule(given[name as keyof Endpoint]);
    return problem === undefined ? [] : [`\`${name}\` ${problem}`];
  });
  if (problems.length === 0) return undefined;
  return new ConfigurationError(`Not sent: the endpoint is wrong: ${problems.join('; ')}`);
}
