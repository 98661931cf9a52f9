import { isObject } from '../../core/json/plain-object.js';
import * as errors from '../../resources/flex/errors.js';
import { errorResponse } from '../http/handler.js';
import type { ErrorResponse } from '../http/handler.js';
import type { Call } from '../http/call.js';
import { isInteger, pathId, readJson, readJsonObject } from '../http/read-request.js';
import type { JsonObject } from '../http/read-request.js';
import { kindsOfDays } from '../state/flex-subscription.js';
import type { KindOfDay, StoredRange, StoredSubscription, ZoneCutoff } from '../state/flex-subscription.js';
import type { Omittable } from '../state/omittable.js';
import { capacityRange } from './flex-view.js';

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
): Promise<Omittable<Pick<StoredSubscription, 'delivery_window' | 'delivery_ranges'>>> {
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
  readonly cutoff: ZoneCutoff | undefined;
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

function readCutoff(value: unknown, index: number): ZoneCutoff {
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
