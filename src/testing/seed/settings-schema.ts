import {
  array,
  boolean,
  enumOf,
  integer,
  number,
  nullish,
  optional,
  strictObject,
  refine,
  string,
} from '../../core/schema/define.js';
import type { Output, Schema } from '../../core/schema/schema.js';
import { defined } from '../../core/json/defined.js';
import { FakeMarketplaceError } from '../errors.js';
import { assertFields } from '../state/assert-fields.js';
import { inField } from '../in-field.js';
import { readAs } from './read-as.js';
import { oddKinds } from '../http/odd-share.js';
import type { Routes } from '../http/routes.js';
import type { MarketplaceSettings } from '../settings.js';

/** An integer in a range. */
export function from(min: number, max: number): Schema<number> {
  return refine(integer, (value) => (value < min || value > max ? `an integer from ${min} to ${max}` : undefined));
}

/** A share of all, from 0 to 1. */
export const share = refine(number, (value) => (value < 0 || value > 1 ? 'a share is from 0 to 1' : undefined));

/** A share of odd responses. */
export const oddShare = strictObject({
  share: optional(share),
  seed: optional(integer),
  endpoints: optional(array(string)),
  kinds: optional(array(enumOf(...oddKinds))),
});

/** The settings that a seed or a control call can change; the limits keep every response small enough for this process. */
export const settingsChange = strictObject({
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
  maxItemIds: optional(from(1, 200)),
  maxIds: optional(from(1, 200)),
  accessTokenLifetimeSeconds: optional(from(1, 1_000_000_000)),
  cors: optional(boolean),
  liveFields: optional(boolean),
  omittedFlexSettings: optional(enumOf('dropped', 'kept')),
  odd: nullish(oddShare),
  messageShape: optional(enumOf('wrapped', 'legacy', 'current')),
});
interface SettingsChange extends Output<typeof settingsChange> {}

/** A rate limit of a control call or a command line. */
export const rateLimit = strictObject({
  perSecond: nullish(integer),
  perMinute: nullish(integer),
  per: nullish(enumOf('application', 'user')),
  retryAfter: nullish(boolean),
});

/** Changes settings, all or none. @throws {FakeMarketplaceError} that names each invalid field */
export function changeSettings(settings: MarketplaceSettings, change: object, routes: Routes): void {
  if ('moderate' in change) throw new FakeMarketplaceError('`moderate` is a function; set it in the process');
  assertFields('settings', change, Object.keys(settings));
  applySettings(settings, readAs(settingsChange, change), routes);
}

/**
 * Changes settings that were checked. `null` as the lifetime of a file: it never expires.
 *
 * @throws {FakeMarketplaceError} when an endpoint does not exist
 */
export function applySettings(settings: MarketplaceSettings, change: SettingsChange, routes: Routes): void {
  const { attachmentLifetimeMs, odd, ...others } = change;
  for (const [index, name] of (odd?.endpoints ?? []).entries())
    inField(`odd.endpoints.${index}`, () => routes.assertName(name));
  if (attachmentLifetimeMs !== undefined) settings.attachmentLifetimeMs = attachmentLifetimeMs ?? Infinity;
  if (odd !== undefined) settings.odd = odd;
  Object.assign(settings, defined(others));
}
