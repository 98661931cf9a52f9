import type { Endpoint } from './endpoint.js';

type EndpointTable = { readonly [name: string]: Endpoint | EndpointTable };

/** Lists the endpoints of a nested table, in its order. */
export function listEndpoints(table: object): Endpoint[] {
  return Object.values(table as EndpointTable).flatMap((entry) => (isEndpoint(entry) ? [entry] : listEndpoints(entry)));
}

function isEndpoint(entry: Endpoint | EndpointTable): entry is Endpoint {
  return typeof entry.path === 'string';
}
