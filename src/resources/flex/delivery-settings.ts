import { InvalidInputError } from '../../core/errors/errors.js';
import type { DeliveryRange, DeliveryRangeParams, FlexConfiguration } from './schemas.js';

const kindsOfDays = ['week', 'saturday', 'sunday'] as const;

/** Delivery settings that were read, in the form that `flex.setDelivery` takes. They can be changed. */
export interface DeliverySettings {
  /** For example `same_day`. */
  delivery_window?: string | undefined;
  /** Kinds of days that have no ranges are omitted. */
  delivery_ranges?: { [Day in (typeof kindsOfDays)[number]]?: RangeToSet[] };
}
type RangeToSet = { -readonly [Name in keyof DeliveryRangeParams]: DeliveryRangeParams[Name] };

/** Delivery settings that were read, in the form that `flexV2.setDeliveryRanges` takes. They can be changed. */
export interface DeliverySettingsV2 {
  /** `same_day` or `next_day`. */
  delivery_window: string;
  /** Kinds of days that have no ranges are omitted. A range without a `cutoff` has that of its zone. */
  delivery_ranges: {
    [Day in (typeof kindsOfDays)[number]]?: (Omit<RangeToSet, 'cutoff'> & { cutoff?: number | undefined })[];
  };
}

/** Only what `flexV2.deliveryRanges` returns has `is_downgraded`. */
type SettingsOf<Read> = 'is_downgraded' extends keyof Read ? DeliverySettingsV2 : DeliverySettings;

/**
 * Returns the delivery settings that were read in the form that `flex.setDelivery` or `flexV2.setDeliveryRanges` takes, so that
 * they can be changed and written back. The cut-off of `flex` is the one that the service has calculated, unless it also shows
 * the one that was set.
 *
 * @example
 * const subscription = { site_id: 'MLA', user_id: 7, service_id: 1001 };
 * const settings = deliverySettings(await seller.flexV2.deliveryRanges(subscription));
 * for (const range of settings.delivery_ranges.week ?? []) range.capacity = 140;
 * await seller.flexV2.setDeliveryRanges({ ...subscription, ...settings });
 * @throws {InvalidInputError} when a range lacks an hour or its capacity.
 */
export function deliverySettings<Read extends Pick<FlexConfiguration, 'delivery_window' | 'delivery_ranges'>>(
  read: Read,
): SettingsOf<Read> {
  const { delivery_window, delivery_ranges } = read;
  const days = kindsOfDays.flatMap((day) => {
    const ranges = delivery_ranges?.[day];
    return ranges ? [[day, ranges.map((range, index) => rangeToSet(range, [day, index]))] as const] : [];
  });
  return {
    ...(typeof delivery_window === 'string' && { delivery_window }),
    ...(delivery_ranges && { delivery_ranges: Object.fromEntries(days) }),
  } as SettingsOf<Read>;
}

function rangeToSet(range: DeliveryRange & { cutoff?: unknown }, at: readonly PropertyKey[]): object {
  const { from, to, capacity, calculated_cutoff, cutoff = calculated_cutoff } = range;
  const hasCutoff = 'cutoff' in range || 'calculated_cutoff' in range;
  const found = { from, to, capacity, ...(hasCutoff && { cutoff }) };
  for (const [name, value] of Object.entries(found)) {
    if (Number.isSafeInteger(value)) continue;
    const path = ['delivery_ranges', ...at, name];
    throw new InvalidInputError([{ path, message: `\`${path.join('.')}\` is not shown, so it cannot be set` }]);
  }
  return found;
}
