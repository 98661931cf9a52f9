import type { Endpoint } from '../../core/endpoint.js';
import { allEndpoints } from '../http/all-endpoints.js';
import { FakeMarketplaceError } from '../errors.js';
import type { Fault } from '../http/fault.js';
import { assertEndpoint } from '../http/request-filter.js';
import { validateFault } from '../http/validate-fault.js';
import type { SeededFault } from './schema.js';

/** Converts a seeded fault. @throws {FakeMarketplaceError} when the fault is invalid */
export function faultFrom({ endpoint, stall, truncate, headers, match, ...rest }: SeededFault): Fault {
  const fault: Fault = {
    ...rest,
    endpoint: endpoint === undefined ? undefined : endpointNamed(endpoint),
    // JSON has no regular expressions, so `match.body` is a text or a part of the JSON body.
    match: match as Fault['match'],
    // `false` means the same as an omitted field.
    stall: stall === false ? undefined : stall,
    truncate: truncate === true ? truncate : undefined,
    headers: headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
  assertSendable(fault);
  validateFault(fault);
  return fault;
}

/** Returns an endpoint. @throws {FakeMarketplaceError} when there is none of this name */
export function endpointNamed(name: string): Endpoint {
  const found = allEndpoints.find((endpoint) => endpoint.name === name);
  if (found) return found;
  assertEndpoint(name);
  throw new FakeMarketplaceError(`there is no endpoint "${name}"`);
}

/** @throws {FakeMarketplaceError} when no server can send such a response */
function assertSendable({ status, body, headers = {} }: Fault): void {
  try {
    new Response(body === undefined ? null : '', { status: status ?? 200, headers });
  } catch {
    throw new FakeMarketplaceError(
      'the fault cannot be sent: `status` is from 200 to 599, 204 and 304 have no `body`, `headers` are HTTP headers',
    );
  }
}
