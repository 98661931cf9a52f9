import type { DescribedEndpoint } from './endpoint.js';

/** Lists the endpoints of a nested table, in its order. */
export function listEndpoints(table: object): DescribedEndpoint[] {
  return Object.values(table as Readonly<Record<string, object>>).flatMap((entry) =>
    isEndpoint(entry) ? [entry] : listEndpoints(entry),
  );
}

/** Whether an entry of a table is an endpoint, and not a group of endpoints. */
function isEndpoint(entry: object): entry is DescribedEndpoint {
  return 'path' in entry && typeof entry.path === 'string';
}
