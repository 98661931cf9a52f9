import { FakeMarketplaceError } from './errors.js';
import type { RateLimit } from './http/rate-limit.js';
import { defaultSettings } from './settings.js';
import type { MarketplaceSettings } from './settings.js';
import { assertFields } from './state/assert-fields.js';

/** The start of a fake marketplace. */
export interface MarketplaceStart {
  /** Stops the marketplace's clock at this time. @default the clock shows the machine's time */
  readonly now?: Date | string | number | undefined;
  /**
   * Which one the marketplace follows if the live service and the specification differ. It selects the defaults of
   * `settings`.
   *
   * @default 'live'
   */
  readonly follow?: 'live' | 'documents' | undefined;
  /** Responds 429 to calls above a rate, e.g. `{ perSecond: 10 }`. @default no limit */
  readonly limit?: RateLimit | undefined;
  /** Behaviour that the specification leaves open. @default see `MarketplaceSettings` */
  readonly settings?: Partial<MarketplaceSettings> | undefined;
}

/** Returns the settings at the start. @throws {FakeMarketplaceError} when an option is unknown or invalid */
export function settingsOf(options: MarketplaceStart): MarketplaceSettings {
  assertFields('the options', options, ['now', 'follow', 'limit', 'settings', 'operations']);
  const { follow = 'live', settings = {} } = options;
  if (!['live', 'documents'].includes(follow))
    throw new FakeMarketplaceError(`\`follow\` is 'live' or 'documents', not ${follow}`);
  const defaults = defaultSettings(follow);
  assertFields('`settings`', settings, Object.keys(defaults));
  return { ...defaults, ...settings };
}
