import type { StandardSchema } from '../src/core/schema/schema.js';
import type { Catalogue, Operation } from './catalogue.ts';
import { remedyOf } from './errors.ts';
import { SchemaWriter } from './openapi.ts';

type Json = Record<string, unknown>;

/** What `./tools` says of each operation and of its fields, and what to do about each error. */
export function toolDescriptions(all: Catalogue): Json {
  const writer = new SchemaWriter(all);
  const operations = all.operations.map((each) => [each.endpoint.name, describe(each, writer)]);
  const remedies = all.entries['marketplace-seller-sdk']
    .map(({ name }) => [name, remedyOf(name, all)] as const)
    .filter(([, remedy]) => remedy !== '');
  return { operations: Object.fromEntries(operations) as Json, remedies: Object.fromEntries(remedies) };
}

function describe({ endpoint, method: { prose } }: Operation, writer: SchemaWriter): Json {
  const text = prose.text.replaceAll('**', '').replace(/\s+/g, ' ');
  return { description: text, jsonSchema: inputOf(endpoint.requestBody === 'multipart', endpoint.input, writer) };
}

/** The file of an upload is text here: a model has neither a path nor a stream. */
function inputOf(isUpload: boolean, input: StandardSchema, writer: SchemaWriter): unknown {
  const schema = withoutReferences(writer.inline(input), writer) as Json & { properties: Json };
  if (!isUpload) return schema;
  const { size: _, file: __, ...others } = schema.properties;
  const file = { type: 'string', contentEncoding: 'base64', description: 'The content of the file, in base64.' };
  return { ...schema, properties: { ...others, file }, required: ['site_id', 'file', 'filename'] };
}

function withoutReferences(json: unknown, writer: SchemaWriter): unknown {
  if (Array.isArray(json)) return json.map((each) => withoutReferences(each, writer));
  if (typeof json !== 'object' || json === null) return json;
  const { $ref, ...rest } = json as { $ref?: string };
  const whole = { ...($ref && writer.component($ref.replace(/.*\//, ''))), ...rest };
  return Object.fromEntries(Object.entries(whole).map(([name, each]) => [name, withoutReferences(each, writer)]));
}
