import type { Endpoint } from '../../core/endpoint.js';
import { listEndpoints } from '../../core/list-endpoints.js';
import { endpoints } from '../../endpoints.js';

/** All endpoints, those with fewer path parameters first, as the router matches them. */
export const allEndpoints: readonly Endpoint[] = listEndpoints(endpoints).sort(
  (a, b) => parameterCount(a) - parameterCount(b),
);

function parameterCount({ path }: Endpoint): number {
  return path.split('{').length;
}
