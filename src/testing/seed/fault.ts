import type { Endpoint } from '../../core/endpoint.js';
import { endpoints } from '../../endpoints.js';
import type { Fault } from '../http/faults.js';
import { FakeMarketplaceError } from '../errors.js';
import type { SeededFault } from './schema.js';

/** Every endpoint there is, in one list; fixed paths before those with fields, as the router matches them. */
export function allEndpoints(group: object = endpoints): Endpoint[] {
  const found = Object.values(group).flatMap((entry: object) =>
    'method' in entry ? [entry as Endpoint] : allEndpoints(entry),
  );
  return found.sort((a, b) => fieldsIn(a) - fieldsIn(b));
}

/** A fault as the marketplace takes it. @throws {FakeMarketplaceError} when there can be no such fault. */
export function faultFrom({ endpoint, stall, truncate, headers, ...rest }: SeededFault): Fault {
  const fault: Fault = {
    ...rest,
    endpoint: endpoint === undefined ? undefined : endpointNamed(endpoint),
    // A switch that is off says nothing.
    stall: stall === false ? undefined : stall,
    truncate: truncate === true ? truncate : undefined,
    headers: headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
  needAnswerable(fault);
  return fault;
}

function endpointNamed(name: string): Endpoint {
  const found = allEndpoints().find((endpoint) => endpoint.name === name);
  if (found) return found;
  const names = allEndpoints().map((endpoint) => endpoint.name);
  throw new FakeMarketplaceError(`there is no endpoint "${name}" to strike; there are ${names.sort().join(', ')}`);
}

/** What no server can answer is refused when it is set up, not when it strikes. */
function needAnswerable({ status, body, headers = {} }: Fault): void {
  try {
    new Response(body === undefined ? null : '', { status: status ?? 200, headers });
  } catch {
    throw new FakeMarketplaceError(
      'the fault cannot be answered: `status` is from 200 to 599, 204 and 304 have no `body`, `headers` are HTTP headers',
    );
  }
}

function fieldsIn({ path }: Endpoint): number {
  return path.split('{').length;
}
