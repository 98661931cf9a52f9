import { InvalidInputError } from '../../core/errors/errors.js';
import type { DeliveryRange, DeliveryRangeParams, FlexConfiguration } from './schemas.js';

const kindsOfDays = ['week', 'saturday', 'sunday'] as const;

/** Delivery settings that were read, in the form that `setDelivery` takes. They can be changed. */
export interface DeliverySettings {
  /** For example `same_day`. */
  delivery_window?: string | undefined;
  /** Kinds of days that have no ranges are omitted; `setDelivery` does not change them. */
  delivery_ranges?: { [Day in (typeof kindsOfDays)[number]]?: RangeToSet[] };
}
type RangeToSet = { -readonly [Name in keyof DeliveryRangeParams]: DeliveryRangeParams[Name] };

/**
 * Returns the delivery settings of a configuration in the form that `setDelivery` takes, so that they can be changed and
 * written back. The cut-off is the one that the service has calculated, unless it also shows the one that was set.
 *
 * @example
 * const subscription = { site_id: 'MLA', user_id: 7, service_id: 1001 };
 * const settings = deliverySettings(await seller.flex.configuration(subscription));
 * for (const range of settings.delivery_ranges?.week ?? []) range.capacity = 40;
 * await seller.flex.setDelivery({ ...subscription, ...settings });
 * @throws {InvalidInputError} when a range lacks an hour or its capacity.
 */
export function deliverySettings({
  delivery_window,
  delivery_ranges,
}: Pick<FlexConfiguration, 'delivery_window' | 'delivery_ranges'>): DeliverySettings {
  const days = kindsOfDays.flatMap((day) => {
    const ranges = delivery_ranges?.[day];
    return ranges ? [[day, ranges.map((range, index) => rangeToSet(range, [day, index]))] as const] : [];
  });
  return {
    ...(typeof delivery_window === 'string' && { delivery_window }),
    ...(days.length > 0 && { delivery_ranges: Object.fromEntries(days) }),
  };
}

function rangeToSet(range: DeliveryRange & { cutoff?: unknown }, at: readonly PropertyKey[]): RangeToSet {
  const { from, to, capacity, calculated_cutoff, cutoff = calculated_cutoff } = range;
  const found = { from, to, capacity, cutoff };
  for (const [name, value] of Object.entries(found)) {
    if (Number.isSafeInteger(value)) continue;
    const path = ['delivery_ranges', ...at, name];
    throw new InvalidInputError([{ path, message: `\`${path.join('.')}\` is not shown, so it cannot be set` }]);
  }
  return found as RangeToSet;
}
