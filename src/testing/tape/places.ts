import { isObject } from '../../core/json/plain-object.js';
import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { inspect, keywordsOf } from '../../core/schema/describe.js';
import type { Schema, StandardSchema } from '../../core/schema/schema.js';
import { flexConfiguration } from '../../resources/flex/schemas.js';
import { endpointOf } from '../http/all-endpoints.js';
import { errorPlace, leaf, object, olderNames, olderPlace, outside, queryPlace, textPlace, tokenPlace, word, wrappers } from './conventions.js'; // prettier-ignore
import type { SchemaPlace } from './conventions.js';

/** What the schemas say of a call. */
export interface Places {
  readonly endpoint?: DescribedEndpoint | undefined;
  /** What it sends: its path, its query and its body. */
  readonly request: SchemaPlace;
  readonly response: SchemaPlace;
}

/** Returns what the schemas say of a call and of its response. */
export function placesOf(method: string, path: string, status: number): Places {
  const [pathname = ''] = path.split('?', 1);
  const isOfTokens = pathname === '/oauth/token' || pathname === '/authorization';
  const endpoint = isOfTokens ? undefined : endpointOf(method, pathname);
  const unknown = isOfTokens ? tokenPlace : outside;
  const places = endpoint ? placesOfEndpoint(endpoint) : { request: unknown, response: unknown };
  return { ...places, ...(status >= 400 && { response: errorPlace }) };
}

const made = new Map<DescribedEndpoint, Places>();

/** Returns what the schemas of an endpoint say. */
export function placesOfEndpoint(endpoint: DescribedEndpoint): Places {
  const found = made.get(endpoint) ?? inSchemas(endpoint);
  made.set(endpoint, found);
  return found;
}

function inSchemas(endpoint: DescribedEndpoint): Places {
  const [request, response] = [placeOf(endpoint.input, ''), placeOf(endpoint.output, '')];
  if (endpoint.name !== 'flex.configuration') return { endpoint, request, response };
  // Its output depends on the fields that a query selects.
  const selected = object({ configuration: placeOf(flexConfiguration, '') });
  return { endpoint, request: merged(request, object({ query: leaf('query document') })), response: selected };
}

function placeOf(schema: StandardSchema, name: string): SchemaPlace {
  const found = inspect(schema);
  const { format, type } = keywordsOf(schema);
  if (format === 'date-time') return leaf('date');
  switch (found.kind) {
    case 'optional':
    case 'nullable':
      return placeOf(found.of, name);
    case 'preprocess':
      // The id of an item, a message or a file is the only text that is read in two forms.
      return inspect(found.of).kind === 'string' ? leaf('id') : placeOf(found.of, name);
    case 'union':
      return found.of.map((each) => placeOf(each, name)).reduce(merged);
    case 'object':
      return objectOf(found.shape);
    case 'array':
      return { kinds: [], entry: placeOf(found.of, name) };
    case 'enum':
      return word(found.values);
    case 'boolean':
      return word(['true', 'false']);
    case 'int64':
      return leaf('id');
    case 'integer':
    case 'number':
      return leaf(isIdName(name) ? 'id' : 'count');
    case 'string':
      // Only the id of an item, a message or a file can be a text or a number.
      return isIdName(name) || Array.isArray(type) ? leaf('id') : (textPlace.fields?.[name] ?? outside);
    default:
      return outside;
  }
}

function objectOf(shape: Readonly<Record<string, Schema>>): SchemaPlace {
  const fields = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, placeOf(schema, name)]));
  const { filters } = fields;
  // The filters of a search are its query, which no schema has.
  return object(filters && !filters.fields ? { ...fields, filters: merged(filters, queryPlace) } : fields);
}

function isIdName(name: string): boolean {
  return /(^|_)ids?$/.test(name);
}

function merged(a: SchemaPlace, b: SchemaPlace): SchemaPlace {
  const entry = a.entry && b.entry ? merged(a.entry, b.entry) : (a.entry ?? b.entry);
  const values = a.values || b.values ? [...(a.values ?? []), ...(b.values ?? [])] : undefined;
  const fields = a.fields || b.fields ? { ...a.fields, ...b.fields } : undefined;
  return { kinds: [...a.kinds, ...b.kinds], values, fields, entry };
}

/** Returns the place of a field, which a response may have under an older name, or wrap in another field. */
export function fieldOf(place: SchemaPlace, name: string): SchemaPlace {
  const fields = place.fields ?? place.entry?.fields;
  const own = fields && (ownOf(fields, name) ?? ownOf(fields, olderNames[name] ?? ''));
  if (own) return own;
  // What a response wraps is its content, or the error of one entry.
  if (fields && wrappers.has(name)) return { ...place, fields: { ...errorPlace.fields, ...fields } };
  return (fields || place.kinds.length > 0 ? ownOf(olderPlace.fields, name) : undefined) ?? outside;
}

/** Returns the place of a query parameter. */
export function parameterOf({ fields }: SchemaPlace, name: string): SchemaPlace {
  const found = ownOf(fields, name) ?? ownOf(queryPlace.fields, name) ?? outside;
  return found.entry ?? found;
}

function ownOf(fields: SchemaPlace['fields'] = {}, name: string): SchemaPlace | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Returns the place of the entries of a list. A list can stand in place of what it contains, without its wrapper. */
export function entryOf(place: SchemaPlace): SchemaPlace {
  if (place.entry) return place.entry;
  const lists = Object.values(place.fields ?? {}).flatMap(({ entry }) => (entry?.fields ? [entry] : []));
  return lists.reduce(merged, place);
}

/** What replaces a string or a number at a place. */
export type Replace = (value: string | number, place: SchemaPlace) => string | number;

/** Replaces the strings and numbers of a JSON value, and its names. */
export function replaceIn(
  value: unknown,
  place: SchemaPlace,
  replace: Replace,
  nameOf: (name: string) => string = (name) => name,
): unknown {
  if (Array.isArray(value)) return value.map((each) => replaceIn(each, entryOf(place), replace, nameOf));
  if (typeof value === 'string' || typeof value === 'number') return replace(value, place);
  if (!isObject(value)) return value;
  const entries = new Map<string, unknown>();
  for (const [name, field] of Object.entries(value))
    entries.set(free(nameOf(name), entries), replaceIn(field, fieldOf(place, name), replace, nameOf));
  return Object.fromEntries(entries);
}

function free(name: string, entries: ReadonlyMap<string, unknown>): string {
  let [found, number] = [name, 2];
  while (entries.has(found)) found = `${name}_${number++}`;
  return found;
}
