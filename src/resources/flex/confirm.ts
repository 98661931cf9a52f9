import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { compareIds } from '../../core/response/identity.js';
import { isWord } from '../fields.js';
import { configuration, configurationQuery } from './reads.js';
import * as schemas from './schemas.js';

/** Reads back the delivery settings. */
export async function confirmDelivery(
  input: schemas.SetDeliveryParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const range = '{from to capacity calculated_cutoff}';
  const fields = `delivery_window delivery_ranges{week${range} saturday${range} sunday${range}}`;
  const found = await configured(input, fields, context);
  return found ? compareDelivery(found, input) : noConfiguration;
}

/** Reads back which zones are selected. */
export async function confirmZones(input: schemas.AddZonesParams, context: ConfirmContext): Promise<Confirmation> {
  const found = await configured(input, 'zones{id selected}', context);
  return found ? compareZones(found, input.zones) : noConfiguration;
}

const noConfiguration: Confirmation = { unknown: 'the service shows no configuration that can be read' };

/** Reads fields of a seller's configuration; `undefined` if the response contains none that can be read. */
async function configured(
  input: Pick<schemas.SetDeliveryParams, 'site_id' | 'user_id' | 'service_id'>,
  fields: string,
  context: ConfirmContext,
): Promise<schemas.FlexConfiguration | undefined> {
  const { site_id } = input;
  const query = configurationQuery(input, `{subscription{user_id service_id} ${fields}}`);
  const { data } = await context.read(configuration, { site_id, query });
  const parsed = schemas.flexConfiguration.safeParse((data as { configuration?: unknown }).configuration);
  if (!parsed.success) return undefined;
  const identity = { user_id: 'subscription.user_id', service_id: 'subscription.service_id' };
  return compareIds({ identity }, input, parsed.data).ofAnother ? undefined : parsed.data;
}

/** A value that was read, compared with the one that was set; `unclear` if it proves neither. */
export type Comparison = 'same' | 'other' | 'unclear';

/** Decides by a configuration whether delivery settings were carried out. */
function compareDelivery(
  { delivery_window: window, delivery_ranges: ranges }: schemas.FlexConfiguration,
  { delivery_window, delivery_ranges = {} }: schemas.SetDeliveryParams,
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
function compareZones({ zones }: schemas.FlexConfiguration, added: schemas.AddZonesParams['zones']): Confirmation {
  const comparisons = added.map(({ id }) => {
    const shown = zones?.find((zone) => zone.id === String(id));
    // A list without the zone proves that it is not selected.
    return compare(zones && !shown ? false : shown?.selected, true);
  });
  return confirmationOf(comparisons, 'the service does not show which zones are selected');
}

/** A day that is `null` has no ranges. A day that is absent is not shown. */
function compareRanges(
  found: readonly schemas.DeliveryRange[] | null | undefined,
  wanted: readonly schemas.DeliveryRangeParams[],
): Comparison[] {
  if (found === undefined) return ['unclear'];
  const left = [...(found ?? [])];
  if (left.length !== wanted.length) return ['other'];
  // The service need not keep the order.
  return wanted.flatMap((range) => {
    const all = left.map((each) => compareRange(each, range));
    const clear = all.findIndex((each) => !each.includes('other') && !each.slice(0, 3).includes('unclear'));
    const best = clear >= 0 ? clear : all.findIndex((each) => !each.includes('other'));
    if (best < 0) return ['other' as const];
    left.splice(best, 1);
    return all[best] ?? [];
  });
}

function compareRange(
  found: schemas.DeliveryRange,
  { from, to, capacity, cutoff }: schemas.DeliveryRangeParams,
): Comparison[] {
  // The service calculates the cut-off that it shows, so a different one does not prove that another one was set.
  const sameCutoff = found.calculated_cutoff === cutoff ? 'same' : 'unclear';
  return [compare(found.from, from), compare(found.to, to), compare(found.capacity, capacity), sameCutoff];
}

/** Compares a value that was read with the one that was set. */
export function compare<T>(found: T | null | undefined, wanted: T): Comparison {
  if (found === null || found === undefined) return 'unclear';
  return found === wanted ? 'same' : 'other';
}

/** Decides by the values of a configuration; `unknown` says what is missing if they prove nothing. */
export function confirmationOf(comparisons: readonly Comparison[], unknown: string): Confirmation {
  if (comparisons.includes('other')) return { done: false };
  return comparisons.includes('unclear') ? { unknown } : { done: true, output: undefined };
}
