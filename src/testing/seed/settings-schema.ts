import * as s from '../../core/schema/define.js';
import type { Output, Schema } from '../../core/schema/schema.js';
import { defined } from '../../core/json/defined.js';
import { FakeMarketplaceError } from '../errors.js';
import { assertFields } from '../state/assert-fields.js';
import { readAs } from './read-as.js';
import type { MarketplaceSettings } from '../settings.js';

/** An integer in a range. */
export function from(min: number, max: number): Schema<number> {
  return s.refine(s.integer, (value) => (value < min || value > max ? `an integer from ${min} to ${max}` : undefined));
}

/** A share of all, from 0 to 1. */
export const share = s.refine(s.number, (value) => (value < 0 || value > 1 ? 'a share is from 0 to 1' : undefined));

/** The settings that a seed or a control call can change; the limits keep every response small enough for this process. */
export const settingsChange = s.strictObject({
  postSaleTag: s.optional(s.enumOf('all', 'documented')),
  conversationPageSize: s.optional(from(1, 1000)),
  maxPageSize: s.optional(from(1, 1000)),
  detailedAnswerErrors: s.optional(s.boolean),
  reducedOptionResponse: s.optional(s.boolean),
  itemStatusShape: s.optional(s.enumOf('wrapped', 'bare')),
  itemOrder: s.optional(s.enumOf('asked', 'any')),
  bulkEntries: s.optional(s.enumOf('coded', 'selected')),
  capPerOption: s.optional(from(0, 1000)),
  optionLockMs: s.optional(from(0, 60_000)),
  attachmentLifetimeMs: s.nullish(from(0, Number.MAX_SAFE_INTEGER)),
  attachmentExtensions: s.nullish(s.array(s.string)),
  contactTimeZone: s.optional(s.enumOf('utc', 'site')),
  contactsNeedToken: s.optional(s.boolean),
  missedFeedsOwner: s.nullish(s.integer),
  maxWindowIntervals: s.optional(from(1, 5000)),
  maxItemIds: s.optional(from(1, 200)),
  maxIds: s.optional(from(1, 200)),
  accessTokenLifetimeSeconds: s.optional(from(1, 1_000_000_000)),
  cors: s.optional(s.boolean),
  liveFields: s.optional(s.boolean),
  omittedFlexSettings: s.optional(s.enumOf('dropped', 'kept')),
  flexRepeatedDelete: s.optional(s.enumOf('already', 'down', 'done')),
  flexWithoutSubscription: s.optional(s.enumOf('not_found', 'forbidden', 'empty')),
  flexHolidaySelected: s.optional(s.enumOf('rests', 'delivers')),
  flexHolidayList: s.optional(s.enumOf('whole', 'part')),
  messageShape: s.optional(s.enumOf('wrapped', 'legacy', 'current')),
});
interface SettingsChange extends Output<typeof settingsChange> {}

/** A rate limit. */
export const rateLimit = s.strictObject({
  perSecond: s.nullish(from(1, 10_000)),
  perMinute: s.nullish(from(1, 10_000)),
  per: s.nullish(s.enumOf('application', 'user')),
  retryAfter: s.nullish(s.boolean),
});

/** Changes settings, all or none. @throws {FakeMarketplaceError} that names each invalid field */
export function changeSettings(settings: MarketplaceSettings, change: object): void {
  if ('moderate' in change) throw new FakeMarketplaceError('`moderate` is a function; set it in the process');
  assertFields('settings', change, Object.keys(settings));
  applySettings(settings, readAs(settingsChange, change));
}

/** Changes settings that were checked. `null` as the lifetime of a file: it never expires. */
export function applySettings(settings: MarketplaceSettings, change: SettingsChange): void {
  const { attachmentLifetimeMs, ...others } = change;
  if (attachmentLifetimeMs !== undefined) settings.attachmentLifetimeMs = attachmentLifetimeMs ?? Infinity;
  Object.assign(settings, defined(others));
}
