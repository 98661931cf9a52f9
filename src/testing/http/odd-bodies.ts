import { isObject } from '../../core/json/plain-object.js';
import type { JsonObject } from './read-request.js';

/** Adds fields that no schema knows, on every level. Wire notes 1. */
export function withUnknownFields(body: unknown): unknown {
  return mapObjects(body, (fields) => ({ ...fields, new_field: { since: 2030, list: [1, null], text: null } }));
}

/** Lists and objects that may be missing are `null`. Wire notes 4. */
export function withNulls(body: unknown): unknown {
  return mapAllFields(body, (name, value) => (isOptional(name, value) ? null : value));
}

/** Lists and objects that may be missing are left out; the text of an object is empty. Wire notes 4. */
export function withoutOptional(body: unknown): unknown {
  return mapObjects(body, (fields) =>
    Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isOptional(name, value))),
  );
}

const optionalObjects = new Set(['answer', 'to', 'weekend', 'weekdays_working_hours', 'weekdays_extra_hours']);
/** Lists without which their response has no sense. */
const neededLists = new Set(['questions', 'messages', 'users', 'options', 'results', 'zones', 'body']);

function isOptional(name: string, value: unknown): boolean {
  return (Array.isArray(value) && !neededLists.has(name)) || optionalObjects.has(name);
}

/** Integer ids are digits in a string. Wire notes 3. */
export function withTextIds(body: unknown): unknown {
  return mapAllFields(body, (name, value) =>
    /(^|_)id$|^last$/.test(name) && Number.isInteger(value) ? String(value) : value,
  );
}

/** Enumerated values in the other letter case. Wire notes 2. */
export function withOtherCase(body: unknown): unknown {
  return mapAllFields(body, (name, value) =>
    typeof value === 'string' && enumerated.has(name) ? inOtherCase(value) : value,
  );
}

const enumerated = new Set(['status', 'mode', 'type', 'coverage', 'delivery', 'reason']);

function inOtherCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}

/** The same moments with nine decimals and an offset without a colon. Wire notes 5. */
export function withOtherTimestamps(body: unknown): unknown {
  return mapAllFields(body, (_, value) => (isTimestamp(value) ? inOtherForm(value) : value));
}

function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
}

function inOtherForm(timestamp: string): string {
  const local = new Date(Date.parse(timestamp) - 4 * 3_600_000).toISOString();
  return local.replace('Z', '000000-0400');
}

/** Applies a function to every object of a JSON value, the inner ones first. */
function mapObjects(value: unknown, change: (fields: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change));
  return isObject(value) ? change(mapFields(value, (_, field) => mapObjects(field, change))) : value;
}

/** Applies a function to every field of every object of a JSON value. */
function mapAllFields(body: unknown, change: (name: string, value: unknown) => unknown): unknown {
  return mapObjects(body, (fields) => mapFields(fields, change));
}

function mapFields(fields: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
}
