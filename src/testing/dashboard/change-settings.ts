import {
  array,
  boolean,
  enumOf,
  integer,
  nullish,
  optional,
  params,
  refine,
  string,
} from '../../core/schema/schema.js';
import type { Schema } from '../../core/schema/schema.js';
import { FakeMarketplaceError } from '../errors.js';
import { readAs } from '../seed/schema.js';
import type { MarketplaceSettings } from '../settings.js';
import { assertFields } from '../state/assert-fields.js';

function from(min: number, max: number): Schema<number> {
  return refine(integer, (value) =>
    value < min || value > max ? { path: [], message: `an integer from ${min} to ${max}` } : undefined,
  );
}

/** The settings that a control call can change; the limits keep every response small enough for this process. */
export const settingsChange = params({
  postSaleTag: optional(enumOf('all', 'documented')),
  conversationPageSize: optional(from(1, 1000)),
  maxPageSize: optional(from(1, 1000)),
  detailedAnswerErrors: optional(boolean),
  reducedOptionResponse: optional(boolean),
  itemStatusShape: optional(enumOf('wrapped', 'bare')),
  capPerOption: optional(from(0, 1000)),
  optionLockMs: optional(from(0, 60_000)),
  attachmentLifetimeMs: nullish(from(0, Number.MAX_SAFE_INTEGER)),
  attachmentExtensions: nullish(array(string)),
  contactTimeZone: optional(enumOf('utc', 'site')),
  contactsNeedToken: optional(boolean),
  maxWindowIntervals: optional(from(1, 5000)),
  maxIds: optional(from(1, 200)),
  accessTokenLifetimeSeconds: optional(from(1, 1_000_000_000)),
  cors: optional(boolean),
});

/** Changes settings, all or none. @throws {FakeMarketplaceError} that names each invalid field */
export function changeSettings(settings: MarketplaceSettings, changes: object): void {
  if ('moderate' in changes) throw new FakeMarketplaceError('`moderate` is a function; set it in the process');
  assertFields('settings', changes, Object.keys(settings));
  const { attachmentLifetimeMs, ...others } = readAs(settingsChange, changes);
  if (attachmentLifetimeMs !== undefined) settings.attachmentLifetimeMs = attachmentLifetimeMs ?? Infinity;
  Object.assign(settings, others);
}
