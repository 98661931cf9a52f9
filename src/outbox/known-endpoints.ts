import type { Endpoint } from '../core/operation/endpoint.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { namedEndpointError } from '../core/options/check-endpoint.js';
import { endpoints, listEndpoints } from '../endpoints.js';

/** The endpoints that a job can name, by name: after a restart, the name is what is left of one. */
export type KnownEndpoints = ReadonlyMap<string, Endpoint>;

/** @throws {ConfigurationError} when an endpoint of the user is wrong, or has the name of one of this package. */
export function knownEndpoints(own: readonly Endpoint[] = []): KnownEndpoints {
  const known = new Map(listEndpoints(endpoints).map((each): [string, Endpoint] => [each.name, each as Endpoint]));
  for (const endpoint of own) {
    const problem = namedEndpointError(endpoint);
    if (problem)
      throw new ConfigurationError(`createOutbox: \`endpoints\`: ${problem.message.replace('Not sent: ', '')}`);
    if (known.has(endpoint.name))
      throw new ConfigurationError(`createOutbox: \`endpoints\`: there is an endpoint ${endpoint.name} already`);
    known.set(endpoint.name, endpoint);
  }
  return known;
}
