import type { DescribedEndpoint } from '../src/core/operation/endpoint.js';
import { portableSchema } from '../src/tools/portable-schema.js';
import type { JsonSchema } from '../src/tools/portable-schema.js';
import type { Catalogue, Operation } from './catalogue.ts';
import { remedyOf } from './errors.ts';
import { SchemaWriter } from './openapi.ts';
import { fieldWords, namedFilters, operationWords, remedyWords } from './tool-words.ts';

type Json = Record<string, unknown>;

/** Classes whose errors no call of a tool ends with, and those that `src/tools/error-result.ts` has words for. */
const notOfCalls =
  /^(?:Configuration|InvalidInput|OutcomeUnknown|Notification|AuthorizationCallback|EarlierWrite\w*|Seller)Error$/;

/** What `./tools` says of each operation and of its fields, and what to do about each error. */
export function toolDescriptions(all: Catalogue): Json {
  const writer = new SchemaWriter(all);
  const names = all.operations.map(({ endpoint }) => endpoint.name);
  const operations = all.operations.map((each) => [each.endpoint.name, describe(each, writer, names)]);
  const remedies = all.entries['marketplace-seller-sdk']
    .filter(({ name }) => !notOfCalls.test(name))
    .map(({ name }) => [name, withToolNames(remedyWords[name] ?? remedyOf(name, all), names)] as const)
    .filter(([, remedy]) => remedy !== '');
  return { operations: Object.fromEntries(operations) as Json, remedies: Object.fromEntries(remedies) };
}

function describe({ endpoint, method: { prose } }: Operation, writer: SchemaWriter, names: readonly string[]): Json {
  const { description: rule, ...schema } = inputOf(endpoint, writer);
  const said = operationWords[endpoint.name] ?? prose.text.replace(/\s+/g, ' ');
  const text = [said, rule].filter(Boolean).join(' ');
  return { description: withToolNames(text, names), jsonSchema: withWords(schema, endpoint.name, []) };
}

/** Names tools in place of methods: `seller.questions.search` is `questions_search`. */
function withToolNames(text: string, names: readonly string[]): string {
  const longest = names.filter((name) => name.includes('.')).toSorted((a, b) => b.length - a.length);
  const methods = new RegExp(`\`?(?:seller\\.)?\\b(${longest.join('|').replaceAll('.', '\\.')})\\b\`?`, 'g');
  return text.replace(methods, (_, name: string) => name.replaceAll('.', '_'));
}

/** The input without references. The file of an upload is text: a model has neither a path nor a stream. */
function inputOf({ name, requestBody, input }: DescribedEndpoint, writer: SchemaWriter): JsonSchema {
  const printed = withoutReferences(writer.inline(input), writer) as Json & { properties: Json };
  const { properties } = printed;
  const filters = namedFilters[name]?.map((each) => [each, { type: 'string' }] as const);
  if (filters) properties.filters = { type: 'object', properties: Object.fromEntries(filters) };
  if (requestBody !== 'multipart') return portableSchema(printed);
  const { size: _, ...others } = properties;
  const fields = { ...others, file: { type: 'string' } };
  return portableSchema({ ...printed, properties: fields, required: ['site_id', 'file', 'filename'] });
}

function withoutReferences(json: unknown, writer: SchemaWriter): unknown {
  if (Array.isArray(json)) return json.map((each) => withoutReferences(each, writer));
  if (typeof json !== 'object' || json === null) return json;
  const { $ref, ...rest } = json as { $ref?: string };
  const whole = { ...($ref && writer.component($ref.replace(/.*\//, ''))), ...rest };
  return Object.fromEntries(Object.entries(whole).map(([name, each]) => [name, withoutReferences(each, writer)]));
}

/** Puts the words of fields into a schema. The values that a field is known to take stay. */
function withWords(schema: JsonSchema, operation: string, path: readonly string[]): JsonSchema {
  const { properties, items, description = '', ...others } = schema;
  const place = path.join('.');
  const word = path.length === 0 ? undefined : (fieldWords[`${operation}.${place}`] ?? fieldWords[place]);
  const values = /(?:^| )((?:(?:\w+, )+|\w+ )or another\.)$/.exec(description)?.[1];
  const text = word === undefined ? description : [word, values].filter(Boolean).join(' ');
  return {
    ...(others.type !== undefined && { type: others.type }),
    ...(text && { description: text }),
    ...others,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, withWords(each, operation, [...path, name])]),
      ),
    }),
    ...(items && { items: withWords(items, operation, [...path, '*']) }),
  };
}
