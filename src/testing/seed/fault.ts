import { FakeMarketplaceError } from '../errors.js';
import type { Fault } from '../http/fault.js';
import type { SeededFault } from './schema.js';

/** Converts a seeded fault. @throws {FakeMarketplaceError} when no server can send it */
export function faultFrom({ headers, match, ...rest }: SeededFault): Fault {
  const fault: Fault = {
    ...rest,
    // JSON has no regular expressions, so `match.body` is a text or a part of the JSON body.
    match: match as Fault['match'],
    headers: headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
  assertSendable(fault);
  return fault;
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
