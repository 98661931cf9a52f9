import type { Confirmation } from '../../core/errors/confirmation.js';
import { isWord } from '../../core/schema/fields.js';
import type {
  AddZonesParams,
  DeliveryRange,
  DeliveryRangeParams,
  FlexConfiguration,
  SetDeliveryParams,
} from './schemas.js';

/** A value that was read, compared with the one that was set; `unclear` if it proves neither. */
type Comparison = 'same' | 'other' | 'unclear';

/** Decides by a configuration whether delivery settings were carried out. */
export function confirmDelivery(
  { delivery_window: window, delivery_ranges: ranges }: FlexConfiguration,
  { delivery_window, delivery_ranges = {} }: SetDeliveryParams,
): Confirmation {
  const comparisons = (['week', 'saturday', 'sunday'] as const).flatMap((day) => {
    const wanted = delivery_ranges[day];
    return wanted === undefined ? [] : compareRanges(ranges?.[day], wanted);
  });
  if (delivery_window !== undefined)
    comparisons.push(isWord(window, delivery_window) ? 'same' : compare(window, delivery_window));
  return confirmationOf(comparisons, 'the service shows another cut-off, or not all values that were set');
}

/** Decides by a configuration whether zones were added. */
export function confirmZones({ zones }: FlexConfiguration, added: AddZonesParams['zones']): Confirmation {
  const comparisons = added.map(({ id }) => {
    const shown = zones?.find((zone) => zone.id === String(id));
    // A list without the zone proves that it is not selected.
    return compare(zones && !shown ? false : shown?.selected, true);
  });
  return confirmationOf(comparisons, 'the service does not show which zones are selected');
}

/** A day that is `null` has no ranges. A day that is absent is not shown. */
function compareRanges(
  found: readonly DeliveryRange[] | null | undefined,
  wanted: readonly DeliveryRangeParams[],
): Comparison[] {
  if (found === undefined) return ['unclear'];
  if ((found ?? []).length !== wanted.length) return ['other'];
  return wanted.flatMap(({ from, to, capacity, cutoff }, index) => {
    const range = found?.[index];
    // The service calculates the cut-off that it shows, so a different one does not prove that another one was set.
    const sameCutoff = range?.calculated_cutoff === cutoff ? 'same' : 'unclear';
    return [compare(range?.from, from), compare(range?.to, to), compare(range?.capacity, capacity), sameCutoff];
  });
}

function compare<T>(found: T | null | undefined, wanted: T): Comparison {
  if (found === null || found === undefined) return 'unclear';
  return found === wanted ? 'same' : 'other';
}

function confirmationOf(comparisons: readonly Comparison[], unknown: string): Confirmation {
  if (comparisons.includes('other')) return { done: false };
  return comparisons.includes('unclear') ? { unknown } : { done: true, output: undefined };
}
