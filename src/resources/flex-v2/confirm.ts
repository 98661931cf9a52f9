import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import type { FlexItemParams } from '../flex-items/schemas.js';
import { compare, confirmationOf } from '../flex/confirm.js';
import type { Comparison } from '../flex/confirm.js';
import * as reads from './reads.js';
import type { FlexDeliveryRanges, FlexZones } from './schemas.js';
import type * as schemas from './schemas.js';

const days = ['week', 'saturday', 'sunday'] as const;

/** Reads back the zones: all of them, in any order, and the cut-offs that were sent. */
export async function confirmZones(
  { zones: wanted, ...whose }: schemas.SetZonesParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { zones } = (await context.read(reads.zones, whose)).data;
  if (!zones) return { unknown: 'the service shows no zones' };
  const ids = new Set(wanted.map(({ id }) => String(id)));
  const isSameList = zones.length === ids.size && zones.every(({ id }) => ids.has(id));
  return isSameList
    ? confirmationOf(compareCutoffs(zones, wanted), 'the service shows other cut-offs')
    : { done: false };
}

/** Equal cut-offs of all zones switch those of zones off, and then the service shows none. */
function compareCutoffs(shown: NonNullable<FlexZones['zones']>, wanted: schemas.SetZonesParams['zones']): Comparison[] {
  const areOff = shown.every(({ cutoff }) => (cutoff ?? undefined) === undefined);
  const different = new Set(wanted.map(({ cutoff }) => days.map((day) => cutoff?.[day]).join()));
  if (areOff) return wanted.some(({ cutoff }) => cutoff) && different.size > 1 ? ['other'] : [];
  return wanted.flatMap(({ id, cutoff }) => {
    const found = shown.find((zone) => zone.id === String(id))?.cutoff;
    return days.flatMap((day) => {
      const hour = cutoff?.[day];
      return hour === undefined || hour === null ? [] : compare(found?.[day], hour);
    });
  });
}

/** Reads back the radius. */
export async function confirmRadius(
  { radius, ...whose }: schemas.SetRadiusParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { data } = await context.read(reads.radius, whose);
  return confirmationOf([compare(data.radius, radius)], 'the service shows no radius');
}

/** Reads back the window and the ranges. */
export async function confirmDeliveryRanges(
  { delivery_window, delivery_ranges, ...whose }: schemas.SetDeliveryRangesParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { data } = await context.read(reads.deliveryRanges, whose);
  const comparisons = days.flatMap((day) =>
    compareRanges(data.delivery_ranges, day, delivery_ranges[day], delivery_window === 'same_day'),
  );
  return confirmationOf(
    [compare(data.delivery_window, delivery_window), ...comparisons],
    'the service shows other cut-offs, or not all values that were set',
  );
}

/** That a kind of day which was left out is switched off is not certain: ranges there prove nothing. */
function compareRanges(
  shown: FlexDeliveryRanges['delivery_ranges'],
  day: (typeof days)[number],
  wanted: schemas.SetDeliveryRangesParams['delivery_ranges']['week'],
  hasCutoffs: boolean,
): Comparison[] {
  if (!shown) return ['unclear'];
  const found = (shown[day] ?? []).toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0));
  if (!wanted) return found.length > 0 ? ['unclear'] : [];
  if (found.length !== wanted.length) return ['other'];
  return wanted
    .toSorted((a, b) => a.from - b.from)
    .flatMap(({ from, to, capacity, cutoff }, index): Comparison[] => {
      const range = found[index];
      // Turbo computes its own, and those of zones are not shown here.
      const isUnclear = hasCutoffs && cutoff !== undefined && range?.cutoff !== cutoff;
      const same = [compare(range?.from, from), compare(range?.to, to), compare(range?.capacity, capacity)];
      return isUnclear ? [...same, 'unclear'] : same;
    });
}

/** Reads back the days that were sent. Whether the others stay selected is not known. */
export async function confirmHolidays(
  { holidays: wanted, ...whose }: schemas.SetHolidaysParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { data } = await context.read(reads.holidays, whose);
  const comparisons = wanted.map(({ date, selected }) =>
    compare(data.holidays?.find((each) => each.date === date)?.selected, selected),
  );
  return confirmationOf(comparisons, 'the service does not show all of these days');
}

/** Reads back whether an item is in Flex. */
export async function confirmItem(
  input: FlexItemParams,
  context: ConfirmContext,
  shouldBeIn: boolean,
): Promise<Confirmation> {
  const { data } = await context.read(reads.isEnabled, input);
  return data.has_flex === shouldBeIn ? { done: true, output: undefined } : { done: false };
}
