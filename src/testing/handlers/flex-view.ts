import { isObject } from '../../core/json/json.js';
import * as errors from '../../resources/flex/errors.js';
import { errorResponse, type Call, type ErrorResponse } from '../http/handler.js';
import { isInteger, pathId, readJson, readJsonObject, type JsonObject } from '../http/read-request.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Omittable } from '../state/entity-store.js';
import { kindsOfDays } from '../state/flex.js';
import type { KindOfDay, StoredRange, StoredFlexSubscription, Zone, StoredCutoff } from '../state/flex.js';
import { currencyOf } from './items.js';

/** The hours at which a range, or the time to order for it, can end. */
const hours = Array.from({ length: 25 }, (_, hour) => hour);

/** The minimum and the maximum capacity of a range. */
const capacityRange = { from: 1, to: 500 };

/** Serializes a subscription. */
export function toSubscriptionView(
  subscription: StoredFlexSubscription,
  zones: readonly Zone[],
  { liveFields }: MarketplaceSettings,
): object {
  const { id, site_id, user_id, mode, service_id, status, createdAt } = subscription;
  const isFlex = mode === 'FLEX';
  return {
    id,
    site_id,
    user_id,
    mode,
    configuration_type: { coverage: isFlex ? 'zone' : 'radius', delivery: isFlex ? 'custom' : 'accurate' },
    service_id,
    status: { id: status },
    creation_date: new Date(createdAt).toISOString(),
    ...(liveFields && { origin: toAddressView(subscription, zones), configuration: toCapabilitiesView(subscription) }),
  };
}

/** The current and the possible configuration of a subscription, which only the live service sends. */
function toCapabilitiesView(subscription: StoredFlexSubscription): object {
  const isFlex = subscription.mode === 'FLEX';
  const type = isFlex ? 'zone' : 'radius';
  return {
    set: {
      coverage: { type, capabilities: { cutoff_by_zone: hasOwnCutoffs(subscription) } },
      delivery_ranges: isFlex ? 'dynamic' : 'fixed',
      holidays: isFlex,
      transit_times: false,
    },
    available: {
      coverage: { type: [type], capabilities: { cutoff_by_zone: isFlex } },
      accurate_ranges: isFlex ? [] : [{ from: 10, to: 12 }],
    },
  };
}

/** Whether zones have cut-offs of their own. */
export function hasOwnCutoffs({ zoneCutoffs }: StoredFlexSubscription): boolean {
  return Object.keys(zoneCutoffs).length > 0;
}

/** Serializes where deliveries start. */
export function toAddressView({ user_id, site_id }: StoredFlexSubscription, [zone]: readonly Zone[]): object {
  return {
    id: `${user_id}00`,
    address_line: 'Calle Falsa 123',
    city: { id: `${site_id}-C1`, name: zone?.label },
    zip_code: '1000',
  };
}

/** Serializes the configuration of a subscription. */
export function toConfigurationView(
  subscription: StoredFlexSubscription,
  zones: readonly Zone[],
  { liveFields }: MarketplaceSettings,
): object {
  const { site_id, user_id, service_id, status, createdAt, delivery_window, delivery_ranges } = subscription;
  return {
    address: toAddressView(subscription, zones),
    subscription: {
      site_id,
      user_id,
      service_id,
      status: { id: status },
      creation_date: new Date(createdAt).toISOString(),
      training_times: liveFields ? toTrainingView(subscription) : null,
    },
    availables: {
      capacity_range: capacityRange,
      cutoff: hours,
      ranges: hours,
    },
    delivery_window,
    is_moderated: false,
    delivery_ranges: Object.fromEntries(
      kindsOfDays.map((kind) => [kind, delivery_ranges[kind]?.map(toRangeView) ?? null]),
    ),
    working_days: kindsOfDays.filter((kind) => (delivery_ranges[kind] ?? []).length > 0),
    zones: zones.map((zone) => toZoneView(zone, subscription)),
    disabled_features: [...(hasOwnCutoffs(subscription) ? [] : ['CUTOFF_BY_ZONE']), 'CAPACITY_BY_DAY'],
  };
}

/** The training before a subscription is active: it lasts two weeks, and is over for an active one. */
function toTrainingView({ status, createdAt }: StoredFlexSubscription): object {
  const weeks = 2;
  return {
    original: { value: weeks, unit: 'week' },
    remaining: { value: status === 'pending' ? weeks : 0, unit: 'week' },
    activation_date: new Date(createdAt).toISOString(),
  };
}

function toRangeView({ from, to, capacity, cutoff }: StoredRange): object {
  return { from, to, capacity, type: 'cpt', processing_time: 0, et_hour: to, calculated_cutoff: cutoff };
}

function toZoneView(
  { id, label, is_mandatory }: Zone,
  { site_id, zones, zoneCutoffs }: StoredFlexSubscription,
): object {
  return {
    id,
    label,
    enabled: true,
    is_mandatory,
    selected: zones.includes(id),
    cutoff: zoneCutoffs[id] ?? null,
    neighborhoods: [],
    ...toPrices(site_id),
  };
}

/** Serializes what a delivery to a zone costs. Brazil has prices by weight. */
export function toPrices(site_id: string): { readonly price: object; readonly pricing?: object } {
  const { id: currency_id, symbol } = currencyOf(site_id);
  const price = { cents: '00', fraction: '500', currency_id, decimal_separator: ',', symbol };
  if (site_id !== 'MLB') return { price };
  const prices = [
    { price, weight: { from_kg: null, to_kg: 5 } },
    { price, weight: { from_kg: 5, to_kg: null } },
  ];
  const none = { cents: '', fraction: '', currency_id: '', decimal_separator: '', symbol: '' };
  return { price: none, pricing: { mode: 'weight', prices } };
}

/** A GraphQL request. */
export interface GraphqlRequest {
  readonly query: string;
  readonly variables: JsonObject | undefined;
  readonly operationName: string | undefined;
}

/** Reads a GraphQL request. @throws {ErrorResponse} 400: invalid JSON, no GraphQL request, or an empty query */
export async function readQuery(call: Call): Promise<GraphqlRequest> {
  const body = await readJson(call, errorResponse(errors.invalidJson));
  if (!isObject(body) || typeof body.query !== 'string') throw errorResponse(errors.noSchema);
  if (body.query.trim() === '') throw errorResponse(errors.invalidQuery);
  const { query, variables, operationName } = body;
  return {
    query,
    variables: isObject(variables) ? variables : undefined,
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
}

/** Reads the ids in the path. @throws {ErrorResponse} 400: invalid user_id, invalid service_id */
export function readPathIds(call: Call): { readonly user_id: number; readonly service_id: number } {
  return {
    user_id: pathId(call, 'user_id', errorResponse(errors.invalidUser)),
    service_id: pathId(call, 'service_id', errorResponse(errors.invalidService)),
  };
}

/** A range that was sent. The second generation may leave the cut-off out. */
export type SentRange = Omit<StoredRange, 'cutoff'> & { readonly cutoff: number | undefined };

/** Delivery settings that were sent. */
interface SentSettings {
  readonly delivery_window: string | undefined;
  readonly delivery_ranges: Partial<Record<KindOfDay, SentRange[]>> | undefined;
}

/** Reads the delivery settings of the first generation. @throws {ErrorResponse} 400 */
export async function readDelivery(
  call: Call,
): Promise<Omittable<Pick<StoredFlexSubscription, 'delivery_window' | 'delivery_ranges'>>> {
  return (await readSettings(call, true)) as Awaited<ReturnType<typeof readDelivery>>;
}

/** Reads delivery settings. @throws {ErrorResponse} 400 */
export async function readSettings(call: Call, needsCutoff = false): Promise<SentSettings> {
  const { delivery_window, delivery_ranges } = await readJsonObject(call, errorResponse(errors.invalidJson));
  if (delivery_window !== undefined && typeof delivery_window !== 'string')
    throw invalidBody('delivery_window must be a string');
  return {
    delivery_window,
    delivery_ranges: delivery_ranges === undefined ? undefined : readRanges(delivery_ranges, needsCutoff),
  };
}

function readRanges(value: unknown, needsCutoff: boolean): Partial<Record<KindOfDay, SentRange[]>> {
  if (!isObject(value)) throw invalidBody('delivery_ranges must be an object');
  const unknown = Object.keys(value).find((name) => !(kindsOfDays as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw invalidBody(`delivery_ranges has no field ${unknown}; it takes ${kindsOfDays.join(', ')}`);
  const given = kindsOfDays.filter((kind) => value[kind] !== undefined && value[kind] !== null);
  return Object.fromEntries(
    given.map((kind) => {
      const list = value[kind];
      if (!Array.isArray(list)) throw invalidBody(`delivery_ranges.${kind} must be a list`);
      return [kind, list.map((range, index) => readRange(range, `delivery_ranges.${kind}.${index}`, needsCutoff))];
    }),
  );
}

function readRange(value: unknown, at: string, needsCutoff: boolean): SentRange {
  if (!isObject(value)) throw invalidBody(`${at} must be an object`);
  const integer = (name: keyof StoredRange, min: number, max: number): number => {
    const number = value[name];
    if (!isInteger(number) || number < min || number > max)
      throw invalidBody(`${at}.${name} must be an integer from ${min} to ${max}`);
    return number;
  };
  return {
    from: integer('from', 0, 24),
    to: integer('to', 0, 24),
    capacity: integer('capacity', capacityRange.from, capacityRange.to),
    cutoff: needsCutoff || value.cutoff !== undefined ? integer('cutoff', 0, 24) : undefined,
  };
}

/** A zone that is added, with a cut-off of its own if it is given one. */
interface AddedZone {
  readonly id: string;
  readonly cutoff: StoredCutoff | undefined;
}

/** Reads coverage zones: a list of `{ id }`, each perhaps with a `cutoff`. @throws {ErrorResponse} 400 */
export async function readZones(call: Call): Promise<AddedZone[]> {
  const { zones } = await readJsonObject(call, errorResponse(errors.invalidJson));
  if (!Array.isArray(zones) || zones.length === 0) throw invalidBody('zones must be a list of at least one zone');
  return zones.map((zone: unknown, index) => {
    const { id, cutoff }: JsonObject = isObject(zone) ? zone : {};
    if (typeof id !== 'string') throw invalidBody(`zones.${index}.id must be a string`);
    return { id, cutoff: cutoff === undefined || cutoff === null ? undefined : readCutoff(cutoff, index) };
  });
}

function readCutoff(value: unknown, index: number): StoredCutoff {
  const isHour = (hour: unknown): boolean => isInteger(hour) && hour >= 0 && hour <= 24;
  const isValid = ([kind, hour]: [string, unknown]): boolean =>
    (kindsOfDays as readonly string[]).includes(kind) && isHour(hour);
  if (isObject(value) && Object.entries(value).every(isValid)) return value;
  throw invalidBody(`zones.${index}.cutoff must have hours from 0 to 24 for ${kindsOfDays.join(', ')}`);
}

/** 400 with the documented message and its reason. */
export function invalidBody(reason: string): ErrorResponse {
  return errorResponse(errors.invalidJson, { message: `${errors.invalidJson.message}: ${reason}` });
}
