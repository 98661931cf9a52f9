import { FakeMarketplaceError } from '../errors.js';
import { assertFields } from '../state/assert-fields.js';
import { seededFault } from '../seed/schema.js';
import type { Fault } from './fault.js';
import { assertFilter } from './request-filter.js';
import type { Routes } from './routes.js';

/** An hour. Timers longer than 2^31 ms would fire immediately. */
const maxDelayMs = 3_600_000;

/** @throws {FakeMarketplaceError} when a fault is invalid */
export function validateFault(fault: Fault, routes: Routes): void {
  assertFields('a fault', fault, Object.keys(seededFault.shape));
  assertKind(fault);
  const { endpoint, match, probability = 1, times = 1, skip = 0 } = fault;
  if (!(probability > 0 && probability <= 1))
    throw new FakeMarketplaceError('`probability` must be above 0 and at most 1');
  if (!(times >= 1)) throw new FakeMarketplaceError('`times` must be at least 1');
  if (!(Number.isInteger(skip) && skip >= 0)) throw new FakeMarketplaceError('`skip` must be an integer of at least 0');
  if (endpoint) routes.assertName(endpoint);
  if (match) assertFilter(match, routes);
}

function assertKind({ status, body, reset, stall, truncate, delayMs }: Fault): void {
  const kinds = [status, reset, stall, truncate].filter((kind) => kind !== undefined && kind !== false);
  if (kinds.length === 0 && delayMs === undefined)
    throw new FakeMarketplaceError('a fault needs `status`, `reset`, `stall`, `truncate` or `delayMs`');
  if (kinds.length > 1)
    throw new FakeMarketplaceError('a fault takes only one of `status`, `reset`, `stall` and `truncate`');
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    throw new FakeMarketplaceError(`\`status\` is from 200 to 599, not ${String(status)}`);
  if (body !== undefined && status === undefined)
    throw new FakeMarketplaceError('the `body` of a fault needs a `status`');
  if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= maxDelayMs))
    throw new FakeMarketplaceError(`\`delayMs\` must be from 0 to ${maxDelayMs}`);
}
