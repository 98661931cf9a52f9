import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { asSchema } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import document from 'marketplace-seller-sdk/openapi.json' with { type: 'json' };
import type { DescribedEndpoint } from 'marketplace-seller-sdk';
import { everyEndpoint } from './support/every-endpoint.ts';
import { createMarketplace } from './support/marketplace.ts';

/** A model has no file to upload: the input of `upload` is a stream, bytes or a path. */
const forModels = everyEndpoint
  .filter(({ name }) => name !== 'messages.upload')
  .map(({ name, endpoint }) => ({ name, endpoint: endpoint as DescribedEndpoint }));

type Json = Readonly<Record<string, unknown>>;

/** Starts an MCP server whose tools are the operations of a client, and connects to it. */
async function connect(call: (endpoint: DescribedEndpoint, input: unknown) => PromiseLike<unknown>): Promise<Client> {
  const server = new McpServer({ name: 'seller', version: '1.0.0' });
  for (const { name, endpoint } of forModels) {
    const annotations = { readOnlyHint: endpoint.retry === 'safe' };
    server.registerTool(
      name,
      { description: endpoint.summary, inputSchema: endpoint.input, annotations },
      async (input) => ({ content: [{ type: 'text', text: JSON.stringify((await call(endpoint, input)) ?? null) }] }),
    );
  }
  const [ofServer, ofClient] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await Promise.all([server.connect(ofServer), client.connect(ofClient)]);
  return client;
}

test('every input but that of the upload is a tool of MCP, unchanged; a safe operation is read-only', async () => {
  const { sellerClient, question_id, marketplace } = createMarketplace();
  const client = await connect((endpoint, input) => sellerClient.call(endpoint, input));
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(forModels.length);
  for (const { name, endpoint } of forModels) {
    const tool = tools.find((each) => each.name === name);
    expect(tool?.inputSchema.type, name).toBe('object');
    expect(Object.keys(tool?.inputSchema.properties ?? {}), name).toEqual(Object.keys(jsonOf(endpoint).properties));
    expect(tool?.annotations?.readOnlyHint, name).toBe(endpoint.retry === 'safe');
  }
  await client.callTool({ name: 'questions.answer', arguments: { question_id, text: 'Yes, there is.' } });
  expect(marketplace.questions.get(question_id)?.answer?.text).toBe('Yes, there is.');
  const wrong = await client.callTool({ name: 'questions.answer', arguments: { question_id } });
  expect(wrong.isError).toBe(true);
  await client.close();
});

test.each(forModels)('$name: the input is a tool of the AI SDK, unchanged', async ({ endpoint }) => {
  const { jsonSchema, validate } = asSchema(endpoint.input);
  expect(await jsonSchema).toMatchObject({ type: 'object', properties: jsonOf(endpoint).properties });
  expect(await validate?.(endpoint.example)).toMatchObject({ success: true });
});

interface ObjectSchema extends Json {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

function jsonOf(endpoint: DescribedEndpoint): ObjectSchema {
  return z.toJSONSchema(endpoint.input, { io: 'input', target: 'draft-7' }) as unknown as ObjectSchema;
}

/** The input in the OpenAPI document: path, query, headers and body merged. */
function documented({ name, method, path, inHeader, query }: DescribedEndpoint): ObjectSchema {
  const paths = document.paths as unknown as Record<string, Record<string, Json>>;
  const operation = paths[path.replace('*}', '}')]?.[method.toLowerCase()];
  expect(operation?.operationId).toBe(name.replaceAll('.', '_'));
  const fieldOf = new Map(Object.entries(inHeader ?? {}).map(([field, header]) => [header, field]));
  const given = ((operation?.parameters ?? []) as { name: string; in: string; required?: boolean; schema: Json }[])
    .filter((each) => !Object.hasOwn(query ?? {}, each.name) && each.name !== 'attributes')
    .map((each) => ({ ...each, name: each.in === 'header' ? fieldOf.get(each.name)! : each.name }));
  const content = (operation?.requestBody as { content: Record<string, { schema: ObjectSchema }> } | undefined)
    ?.content;
  const body = Object.values(content ?? {})[0]?.schema;
  return {
    properties: { ...Object.fromEntries(given.map((each) => [each.name, each.schema])), ...body?.properties },
    required: [...given.filter(({ required }) => required).map((each) => each.name), ...(body?.required ?? [])],
  };
}

/** Without prose, and with the schemas that the document names in their place. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, description: _, ...rest } = value as Record<string, unknown>;
  if (typeof $ref !== 'string')
    return Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, plain(each)]));
  const schemas = document.components.schemas as unknown as Record<string, unknown>;
  return plain(schemas[$ref.replace('#/components/schemas/', '')]);
}

test.each(forModels)('$name: the input has the fields of the OpenAPI document', ({ endpoint }) => {
  const [own, written] = [jsonOf(endpoint), documented(endpoint)];
  expect(Object.keys(own.properties).sort()).toEqual(Object.keys(written.properties).sort());
  expect([...(own.required ?? [])].sort()).toEqual([...(written.required ?? [])].sort());
  for (const [field, schema] of Object.entries(written.properties))
    for (const limit of ['minLength', 'maxLength', 'maxItems', 'minItems', 'minimum', 'pattern', 'enum'])
      expect((plain(own.properties[field]) as Json)[limit], `${field} ${limit}`).toEqual(
        (plain(schema) as Json)[limit],
      );
});
