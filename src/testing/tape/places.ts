import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { inspect, keywordsOf, shapeOf } from '../../core/schema/describe.js';
import type { Schema, StandardSchema } from '../../core/schema/schema.js';
import { flexConfiguration } from '../../resources/flex/schemas.js';

/**
 * What a value is. All but `text` and `secret` say nothing of a person. `error text` is the code or the message of an error,
 * and `link` a path that holds ids.
 */
export type Kind =
  | 'id'
  | 'enum'
  | 'date'
  | 'count'
  | 'status'
  | 'text'
  | 'word'
  | 'link'
  | 'secret'
  | 'query document'
  | 'error text'
  | 'names';

/** What the schemas say of one place in a body. A place without anything is outside the schemas. */
export interface SchemaPlace {
  readonly kinds: readonly Kind[];
  /** The known values of an enum. */
  readonly values?: readonly string[] | undefined;
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, SchemaPlace>> | undefined;
  /** The entries of a list. */
  readonly entry?: SchemaPlace | undefined;
}

/** A place that no schema describes. */
export const outside: SchemaPlace = { kinds: [] };

const leaf = (...kinds: Kind[]): SchemaPlace => ({ kinds });
const object = (fields: Readonly<Record<string, SchemaPlace>>): SchemaPlace => ({ kinds: [], fields });

const cause = object({
  code: leaf('error text', 'status'),
  message: leaf('error text'),
  cause_id: leaf('status'),
  type: leaf('error text'),
});

/** The body of an error, in all its known forms. */
export const errorPlace: SchemaPlace = object({
  ...Object.fromEntries(['message', 'error', 'error_description', 'detail'].map((name) => [name, leaf('error text')])),
  code: leaf('error text', 'status'),
  status: leaf('status'),
  status_code: leaf('status'),
  cause: { ...cause, kinds: ['error text'], entry: { ...cause, kinds: ['error text'] } },
});

/** What asks for an authorization, and what is exchanged for tokens: a query, a form or JSON. */
export const tokenRequest: SchemaPlace = object({
  grant_type: leaf('word'),
  response_type: leaf('word'),
  client_id: leaf('id'),
  user_id: leaf('id'),
  redirect_uri: leaf('text'),
  ...Object.fromEntries(
    ['client_secret', 'code', 'refresh_token', 'code_verifier', 'access_token', 'token'].map((name) => [
      name,
      leaf('secret'),
    ]),
  ),
});

/** The tokens that an exchange returns. */
export const tokenResponse: SchemaPlace = object({
  access_token: leaf('secret'),
  refresh_token: leaf('secret'),
  id_token: leaf('secret'),
  token_type: leaf('word'),
  expires_in: leaf('count'),
  user_id: leaf('id'),
});

/** Query parameters that every call can have, and the filters that are known. */
export const conventions: Readonly<Record<string, SchemaPlace>> = {
  ...Object.fromEntries(['limit', 'offset', 'api_version'].map((name) => [name, leaf('count')])),
  ...Object.fromEntries(
    ['mark_as_read', 'tag', 'role', 'sort', 'status', 'search_type'].map((name) => [name, leaf('word')]),
  ),
  attributes: leaf('names'),
  callback: leaf('text'),
  ...Object.fromEntries(
    ['application_id', 'client_id', 'caller', 'seller_id', 'item', 'item_id', 'from'].map((name) => [name, leaf('id')]),
  ),
  date_from: leaf('date'),
  date_to: leaf('date'),
  access_token: leaf('secret'),
};

const queryPlace = object(conventions);

/** Names that older versions of the service use, with the field that they stand for. Wire notes 7, 14 and 26. */
const olderNames: Readonly<Record<string, SchemaPlace>> = {
  ...Object.fromEntries(
    ['message_id', 'resource_id', 'attachment_id', 'buyer_id', 'user_id'].map((name) => [name, leaf('id')]),
  ),
  ...Object.fromEntries(
    ['date', 'date_received', 'date_available', 'date_notified', 'date_read', 'date_moderated'].map((name) => [
      name,
      leaf('date'),
    ]),
  ),
  code: leaf('status'),
  status_code: leaf('status'),
  plain: leaf('text'),
  seller: object({ id: leaf('id') }),
};
const olderObjects: Readonly<Record<string, string>> = {
  moderation: 'message_moderation',
  attachments: 'message_attachments',
  message_moderation: 'message_moderation',
};

/** Names under which a response can wrap its content. */
const wrappers = new Set(
  'data,results,body,message,messages,configuration,subscriptions,caps_available,caps,options,questions,users'.split(
    ',',
  ),
);

const responses = new Map<DescribedEndpoint, SchemaPlace>();
const requests = new Map<DescribedEndpoint, SchemaPlace>();

/** Returns what the schemas say of the response of an endpoint. An entry of a multi-get can be an error. */
export function responsePlace(endpoint: DescribedEndpoint): SchemaPlace {
  return cached(responses, endpoint, () =>
    // Its schema depends on the fields that a call selects.
    endpoint.name === 'flex.configuration'
      ? object({ configuration: placeOf(flexConfiguration, '') })
      : placeOf(endpoint.output, ''),
  );
}

/** Returns what the schemas say of what an endpoint sends: its path, its query and its body. */
export function requestPlace(endpoint: DescribedEndpoint): SchemaPlace {
  return cached(requests, endpoint, () => {
    const place = placeOf(endpoint.input, '');
    if (endpoint.name !== 'flex.configuration') return place;
    return { ...place, fields: { ...place.fields, query: leaf('query document') } };
  });
}

function cached(
  places: Map<DescribedEndpoint, SchemaPlace>,
  endpoint: DescribedEndpoint,
  make: () => SchemaPlace,
): SchemaPlace {
  const place = places.get(endpoint) ?? make();
  places.set(endpoint, place);
  return place;
}

function placeOf(schema: StandardSchema, name: string): SchemaPlace {
  const found = inspect(schema);
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
      return object(mapFields(found.shape));
    case 'array':
      return { kinds: [], entry: placeOf(found.of, name) };
    case 'enum':
      return { kinds: ['enum'], values: found.values };
    case 'string':
      return leaf(kindOfText(schema, name));
    case 'int64':
      return leaf('id');
    case 'integer':
    case 'number':
      return leaf(isIdName(name) ? 'id' : 'count');
    default:
      return keywordsOf(schema).format === 'date-time' ? leaf('date') : outside;
  }
}

function mapFields(shape: Readonly<Record<string, Schema>>): Record<string, SchemaPlace> {
  const places = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, placeOf(schema, name)]));
  // The filters of a search are its query, which no schema has.
  return places.filters?.fields || !places.filters
    ? places
    : { ...places, filters: merged(places.filters, queryPlace) };
}

/** The names of texts that are one of a few words. */
const words = new Set(
  'unit,type,source,currency_id,symbol,method,sort,available_sorts,available_filters,filters'.split(','),
);

function kindOfText(schema: StandardSchema, name: string): Kind {
  const { format, type } = keywordsOf(schema);
  if (format === 'date-time') return 'date';
  // Only the id of an item, a message or a file can be a text or a number.
  if (isIdName(name) || Array.isArray(type)) return 'id';
  if (words.has(name)) return 'word';
  return name === 'path' || name === 'resource' ? 'link' : 'text';
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

/** Returns the place of a field; `undefined` if the schemas do not know its name. */
export function fieldOf(place: SchemaPlace, name: string): SchemaPlace | undefined {
  const fields = place.fields ?? place.entry?.fields;
  if (fields && Object.hasOwn(fields, name)) return fields[name];
  const older = olderObjects[name];
  if (older !== undefined && fields?.[older]) return fields[older];
  if (wrappers.has(name) && fields) return withErrors(place);
  return Object.hasOwn(olderNames, name) && (fields !== undefined || place.kinds.length > 0)
    ? olderNames[name]
    : undefined;
}

/** What a response wraps is its content, or the error of one entry. */
function withErrors(place: SchemaPlace): SchemaPlace {
  return { ...place, fields: { ...errorPlace.fields, ...(place.fields ?? place.entry?.fields) } };
}

/** Returns the place of the entries of a list. A list can stand in place of what it contains, without its wrapper. */
export function entryOf(place: SchemaPlace): SchemaPlace {
  if (place.entry) return place.entry;
  const lists = Object.values(place.fields ?? {}).flatMap(({ entry }) => (entry?.fields ? [entry] : []));
  return lists.reduce(merged, place);
}

/** Lists the names and the known values of endpoints, from which the words of the service are taken. */
export function namesIn(endpoints: readonly DescribedEndpoint[]): { names: Set<string>; values: Set<string> } {
  const [names, values] = [new Set<string>(), new Set<string>()];
  const visit = (place: SchemaPlace): void => {
    for (const value of place.values ?? []) values.add(value);
    if (place.entry) visit(place.entry);
    for (const [name, field] of Object.entries(place.fields ?? {})) {
      names.add(name);
      visit(field);
    }
  };
  for (const endpoint of endpoints) {
    visit(requestPlace(endpoint));
    visit(responsePlace(endpoint));
    for (const name of Object.keys(shapeOf(endpoint.input))) names.add(name);
  }
  for (const place of [errorPlace, tokenRequest, tokenResponse, object(conventions), object(olderNames)]) visit(place);
  for (const name of [...wrappers, ...Object.keys(olderObjects)]) names.add(name);
  return { names, values };
}
