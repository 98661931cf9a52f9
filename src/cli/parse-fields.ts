import { deliveryFaults, withoutNulls } from '../testing/dashboard/notification-controls.js';
import type { RateLimit } from '../testing/http/rate-limit.js';
import type { OddShare } from '../testing/http/odd-share.js';
import { oddShare } from '../testing/seed/settings-schema.js';
import { rateLimit } from '../testing/seed/rate-limit.js';
import { SeedError, readAs } from '../testing/seed/read-as.js';
import { seededFault } from '../testing/seed/schema.js';
import type { SeededFault } from '../testing/seed/schema.js';
import type { DeliveryFaults } from '../testing/webhooks/callback.js';

/**
 * Parses a fault from the command line: fields and values, e.g. `status=503 times=2`.
 *
 * @throws {SeedError} when a field or a value is invalid, or there is no field
 */
export function parseFault(text: string): SeededFault {
  return readAs(seededFault, nested(parseFields(text)));
}

/** Parses the faults of a callback, e.g. `late=0.5 twice=0.3`. @throws {SeedError} when a field or a value is invalid */
export function parseDeliveryFaults(text: string): DeliveryFaults {
  return withoutNulls(readAs(deliveryFaults, parseFields(text)));
}

/** Parses a rate limit, e.g. `perSecond=10 per=user`. @throws {SeedError} when a field or a value is invalid */
export function parseLimit(text: string): RateLimit {
  return withoutNulls(readAs(rateLimit, parseFields(text)));
}

/** Parses a share of odd responses, e.g. `share=0.3 seed=7`. @throws {SeedError} when a field or a value is invalid */
export function parseOdd(text: string): OddShare {
  return readAs(oddShare, parseFields(text));
}

/** Turns `match.path=/answers` into a field of `match`. */
function nested(fields: object): object {
  const result: Record<string, unknown> = {};
  const match: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith('match.')) match[name.slice('match.'.length)] = value;
    else result[name] = value;
  }
  return Object.keys(match).length > 0 ? { ...result, match } : result;
}

function parseFields(text: string): object {
  const fields = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => {
      const [name = '', ...value] = word.split('=');
      return [name, value.length === 0 ? true : parseValue(value.join('='))];
    });
  if (fields.length === 0) throw new SeedError(['a field is missing, e.g. status=503']);
  return Object.fromEntries(fields) as object;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
