import { createTools } from 'marketplace-seller-sdk/tools';
import type { JsonSchema } from 'marketplace-seller-sdk/tools';
import { describe, expect, test } from 'vitest';
// oxlint-disable-next-line no-restricted-imports -- applications write the schemas of their endpoints with it
import * as z from 'zod';
import { strictSchema, portableSchema } from '../src/tools/portable-schema.js';
import { everyEndpoint, everyGroup } from './support/every-endpoint.ts';
import { fc } from './support/fast-check.ts';
import { documentedResponses } from './support/documented-responses.ts';
import { createMarketplace } from './support/marketplace.ts';
import { stubbed } from './support/stubs.ts';

/** What a host says against a schema at a place; `''` is the root. */
type Rule = (schema: JsonSchema, place: string) => readonly (string | false | undefined)[];

const combinators = ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref', '$defs', 'definitions'];

/** The fields of `Schema` in both of Google's APIs that a schema here may have. */
const fieldsOfGoogle = new Set(
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern anyOf propertyOrdering items minimum maximum'.split(
    ' ',
  ),
);

/**
 * What both of Google's APIs say of `parameters` (not `parametersJsonSchema`, which takes JSON Schema). `additionalProperties` is
 * no field of theirs ("Unknown name", github.com/promptfoo/promptfoo/issues/6902).
 */
const google: Rule = (schema, place) => [
  // ai.google.dev/api/caching#Schema: `type` is one enum ("Proto field is not repeating", github.com/zed-industries/zed/issues/53919).
  typeof schema.type !== 'string' && 'has not one type',
  ...Object.keys(schema)
    .filter((name) => !fieldsOfGoogle.has(name))
    .map((name) => `has the field ${name}`),
  // github.com/google-gemini/gemini-cli/issues/3178: "only 'enum' and 'date-time' are supported for STRING type".
  schema.format !== undefined && schema.format !== 'date-time' && 'has another format than date-time',
  // github.com/Draculabo/AntigravityManager/pull/260, github.com/elastic/kibana/pull/286302: strings, and not none.
  schema.enum !== undefined &&
    (schema.type !== 'string' ||
      (schema.enum as unknown[]).length === 0 ||
      (schema.enum as unknown[]).some((value) => typeof value !== 'string' || value === '')) &&
    'has an enum of something else than texts',
  // github.com/kkrishnan90/gemini-desktop/pull/7: "items: missing field".
  schema.type === 'array' && schema.items === undefined && 'is a list without items',
  // github.com/agno-agi/agno/issues/2112: "should be non-empty for OBJECT type". Hosts leave the parameters of a tool without
  // any out (`isEmptyObjectSchema` of @ai-sdk/google).
  schema.type === 'object' && place !== '' && Object.keys(schema.properties ?? {}).length === 0 && 'has no properties',
];

function isOfType({ type }: JsonSchema, name: string): boolean {
  return [type].flat().includes(name);
}

const rules: Readonly<Record<string, Rule>> = {
  'Gemini API, `parameters`': google,
  // cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Schema; github.com/anomalyco/opencode/issues/14788: "When
  // using anyOf, it must be the only field set"; github.com/diegosouzapw/OmniRoute/pull/3360: "should be of type OBJECT".
  'Vertex AI, `parameters`': (schema, place) => [
    ...google(schema, place),
    schema.anyOf !== undefined && Object.keys(schema).length > 1 && 'has fields beside anyOf',
    place === '' && schema.type !== 'object' && 'is no object',
  ],
  // platform.claude.com/docs/en/agents-and-tools/tool-use: JSON Schema 2020-12, an object; github.com/dearlordylord/huly-mcp/issues/66:
  // "input_schema does not support oneOf, allOf, or anyOf at the top level".
  Anthropic: (schema, place) => [
    place === '' && schema.type !== 'object' && 'is no object',
    place === '' && ['anyOf', 'oneOf', 'allOf'].some((name) => name in schema) && 'has a combinator',
    Object.keys(schema.properties ?? {}).some((name) => !/^[\w.-]{1,64}$/.test(name)) && 'has a wrong name of a field',
  ],
  // platform.openai.com/docs/guides/function-calling; "schema must have type 'object' and not have
  // 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level" (github.com/anomalyco/opencode/issues/35516).
  OpenAI: (schema, place) => [
    place === '' && schema.type !== 'object' && 'is no object',
    place === '' && [...combinators, 'enum'].some((name) => name in schema) && 'has a combinator',
    schema.type === 'array' && schema.items === undefined && 'is a list without items',
  ],
  // platform.openai.com/docs/guides/structured-outputs#supported-schemas: objects are closed, and these keywords. `minLength` and
  // `maxLength` can be rejected (github.com/openai/openai-node/pull/1988). Every field has to be required.
  'OpenAI, `strict`': (schema) => [
    isOfType(schema, 'object') && schema.additionalProperties !== false && 'is not closed',
    isOfType(schema, 'object') &&
      Object.keys(schema.properties ?? {}).join() !== schema.required?.join() &&
      'has fields that are not required',
    isOfType(schema, 'array') && schema.items === undefined && 'is a list without items',
    Array.isArray(schema.enum) &&
      isOfType(schema, 'null') !== schema.enum.includes(null) &&
      'has another enum than its type',
    ...Object.keys(schema)
      .filter(
        (name) =>
          !/^(?:type|description|properties|required|additionalProperties|items|enum|pattern|format|minimum|maximum|minItems|maxItems)$/.test(
            name,
          ),
      )
      .map((name) => `has the field ${name}`),
  ],
};

/** What a host says against a schema and what it contains. */
function problemsOf(schema: JsonSchema, rule: Rule, place = ''): string[] {
  const inner = [...Object.entries(schema.properties ?? {}), ...(schema.items ? [['*', schema.items] as const] : [])];
  return [
    ...rule(schema, place).flatMap((problem) => (problem ? [`${place || 'the root'} ${problem}`] : [])),
    ...inner.flatMap(([name, each]) => problemsOf(each, rule, place === '' ? name : `${place}.${name}`)),
  ];
}

const { sellerClient } = createMarketplace();
const tools = createTools(sellerClient, { only: everyGroup });
const strictTools = createTools(sellerClient, { strict: true, only: everyGroup });
const isStrict = (host: string): boolean => host === 'OpenAI, `strict`';

describe.each(Object.entries(rules))('%s', (host, rule) => {
  test.each(isStrict(host) ? strictTools : tools)('takes $name', ({ jsonSchema }) => {
    expect(problemsOf(jsonSchema, rule)).toEqual([]);
  });
});

describe('a host that cannot leave a field out', () => {
  /** An input with every field of its schema, `null` where the given one has nothing. */
  const complete = (given: unknown, { properties, items }: JsonSchema): unknown => {
    if (Array.isArray(given)) return given.map((each) => complete(each, items ?? {}));
    if (!properties || typeof given !== 'object' || given === null) return given ?? null;
    const names = [...new Set([...Object.keys(properties), ...Object.keys(given)])];
    const fields = given as Record<string, unknown>;
    return Object.fromEntries(names.map((name) => [name, complete(fields[name], properties[name] ?? {})]));
  };
  const cases = everyEndpoint.filter(({ endpoint }) => endpoint.requestBody !== 'multipart');

  test.each(cases)('sends `null` for what $name does not need', async ({ name, input }) => {
    for (const strict of [false, true]) {
      const tool = createTools(sellerClient, { strict }).find(({ operation }) => operation === name)!;
      const required = Object.fromEntries(
        Object.entries(input as object).filter(([field]) =>
          tools.find((each) => each.operation === name)?.jsonSchema.required?.includes(field),
        ),
      );
      for (const least of [input, required]) {
        let expected: string;
        try {
          expected = tool.request(least);
        } catch {
          continue; // Needs one of several optional fields.
        }
        const sent = complete(least, tool.jsonSchema);
        expect(tool.request(sent)).toBe(expected);
        const parsed = tool.inputSchema.safeParse(sent) as { success: boolean; data?: unknown };
        expect(parsed.success).toBe(true);
        expect(tool.request(parsed.data)).toBe(expected);
        const { value } = (await tool.inputSchema['~standard'].validate(sent)) as { value?: unknown };
        expect(tool.request(value)).toBe(expected);
      }
    }
  });

  test('sends `null` at every depth, and for a seller of several', async () => {
    const { sellerClient: client, seller_id, marketplace, buyer_id } = createMarketplace();
    const sellers = { for: async () => client, ids: async () => [seller_id] };
    const search = createTools(sellers).find(({ name }) => name === 'questions_search')!;
    const input = {
      seller: String(seller_id),
      seller_id,
      filters: { status: null },
      sort_fields: null,
      limit: null,
    };
    expect(JSON.parse((await search.run(input)).text)).toMatchObject({ result: { questions: [{}] } });
    const pack = marketplace.addPack({ seller_id, buyer_id });
    marketplace.buyerWrites({ pack, text: 'Hello' });
    const send = createTools(client).find(({ name }) => name === 'messages_send')!;
    const to = { user_id: String(buyer_id), email: null, resource: null, resource_id: null, site_id: null };
    const message = {
      pack_id: String(pack.pack_id),
      user_id: seller_id,
      to,
      text: 'Hi',
      attachments: null,
      from: null,
    };
    expect(await send.run(message)).toMatchObject({ isError: false });
    expect(await send.preview(message)).not.toContain('null');
  });

  test('is told that a required field is missing, and of an unknown one', async () => {
    const answer = tools.find(({ name }) => name === 'questions_answer')!;
    for (const wrong of [
      { question_id: 1, text: null },
      { question_id: 1, text: 'Yes', more: null },
    ])
      expect(JSON.parse((await answer.run(wrong)).text)).toMatchObject({ error: { class: 'InvalidInputError' } });
  });
});

describe('an id in a result', () => {
  /** The ids in a result that are no text. */
  const numbersIn = (value: unknown, field = ''): string[] => {
    if (Array.isArray(value)) return value.flatMap((each) => numbersIn(each, field));
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).flatMap(([name, each]) => numbersIn(each, name));
    return typeof value === 'number' && /(?:^|_)ids?$/.test(field) ? [field] : [];
  };

  test.each(Object.entries(documentedResponses))('of %s is text, as the inputs take it', async (name, { body }) => {
    const operation = name.replace(/,.*/, '');
    const { sellerClient: client } = stubbed([() => Response.json(body)], { maxRetries: 0 });
    const [tool] = createTools(client, { only: [operation] });
    const { endpoint, input } = everyEndpoint.find((each) => each.name === operation)!;
    if (endpoint.requestBody === 'multipart') return;
    const { text } = await tool!.run(input);
    expect(numbersIn(JSON.parse(text))).toEqual([]);
  });

  test('is copied into the next input, also by a host that checks it by the schema', async () => {
    const { sellerClient: client, seller_id } = createMarketplace();
    const all = createTools(client);
    const use = async (name: string, input: object) => {
      const tool = all.find((each) => each.name === name)!;
      for (const [field, value] of Object.entries(input))
        expect(typeof value, field).toBe(tool.jsonSchema.properties?.[field]?.type);
      return (JSON.parse((await tool.run(input)).text) as { result: never }).result;
    };
    const { questions } = (await use('questions_search', { seller_id: String(seller_id) })) as {
      questions: { id: string; from: { id: string } }[];
    };
    expect(await use('questions_get', { question_id: questions[0]!.id })).toMatchObject({ id: questions[0]!.id });
    await use('questions_blacklist_add', { seller_id: String(seller_id), user_id: questions[0]!.from.id });
  });

  test('stays a number where an endpoint of an application takes it as one', async () => {
    const order = {
      name: 'orders.get',
      method: 'GET',
      path: '/orders/{order_id}',
      retry: 'safe',
      errors: [],
      input: z.object({ order_id: z.int() }),
      output: z.object({ id: z.int(), order_id: z.int(), pack_id: z.int() }),
    } as const;
    const { sellerClient: client } = stubbed([() => Response.json({ id: 5, order_id: 5, pack_id: 9 })]);
    const tool = createTools(client, { endpoints: [order] }).at(-1)!;
    const { result } = JSON.parse((await tool.run({ order_id: 5 })).text) as { result: object };
    expect(result).toEqual({ id: 5, order_id: 5, pack_id: '9' });
    // Without an input that takes numbers, they are text.
    const byText = { ...order, input: z.object({ order_id: z.string() }) };
    const [other] = createTools(client, { endpoints: [byText], only: [] });
    expect(JSON.parse((await other!.run({ order_id: '5' })).text)).toEqual({
      result: { id: '5', order_id: '5', pack_id: '9' },
    });
  });
});

test('the schemas of both forms take the same: `strict` only closes, requires and takes `null`', () => {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((each) => each !== null && each !== 'null').map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const { additionalProperties: _, required: __, ...rest } = value as Record<string, unknown>;
    const type = Array.isArray(rest.type) ? { type: rest.type.find((each) => each !== 'null') as unknown } : {};
    return Object.fromEntries(Object.entries({ ...rest, ...type }).map(([name, each]) => [name, plain(each)]));
  };
  for (const [index, { jsonSchema }] of strictTools.entries())
    expect(plain(jsonSchema)).toEqual(plain(tools[index]?.jsonSchema));
});

test('all hosts take the names and the lengths of descriptions', () => {
  for (const { name, description } of tools) {
    // Gemini: begins with a letter or _, at most 64. OpenAI: at most 64, and 1,024 characters of description.
    expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    expect(description.length).toBeLessThanOrEqual(1024);
  }
  expect(tools).toHaveLength(everyEndpoint.length);
});

test('the list of tools by default has at most 23,000 characters', () => {
  const byDefault = createTools(sellerClient);
  const list = byDefault.map(({ name, description, jsonSchema }) => ({ name, description, inputSchema: jsonSchema }));
  expect(JSON.stringify(list).length).toBeLessThanOrEqual(23_000);
});

test.each(everyEndpoint)('$name takes its ids as numbers and as text', ({ name, endpoint, input }) => {
  if (endpoint.requestBody === 'multipart') return;
  const tool = tools.find(({ operation }) => operation === name);
  const withTexts = (value: unknown, schema: JsonSchema): unknown => {
    if (Array.isArray(value)) return value.map((each) => withTexts(each, schema.items ?? {}));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([field, each]) => [field, withTexts(each, schema.properties?.[field] ?? {})]),
      );
    return schema.type === 'string' ? String(value) : value;
  };
  const asText = withTexts(input, tool?.jsonSchema ?? {});
  expect(tool?.request(asText)).toBe(tool?.request(input));
  expect(tool?.inputSchema.safeParse(asText)).toMatchObject({ success: true });
  expect(tool?.inputSchema.safeParse(input)).toMatchObject({ success: true });
});

describe('any schema', () => {
  const printed = (schema: z.ZodType): object => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

  /** Schemas as applications write them, in any combination. */
  const schemas = fc.letrec<{ any: z.ZodType; object: z.ZodType }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<z.ZodType>(
        z.string().min(1).max(20),
        z.int(),
        z.number().positive(),
        z.boolean(),
        z.email(),
        z.iso.datetime(),
        z.enum(['a', 'b']),
        z.literal('a'),
        z.literal([1, 2]),
        z.null(),
        z.unknown(),
        z.coerce.date(),
        z.record(z.string(), z.int()),
        z.tuple([z.string(), z.int()]),
      ),
      tie('object'),
      tie('any').map((each) => each.optional()),
      tie('any').map((each) => each.nullable()),
      tie('any').map((each) => z.array(each)),
      fc.tuple(tie('any'), tie('any')).map(([a, b]) => z.union([a, b])),
      fc.tuple(tie('object'), tie('object')).map(([a, b]) => z.intersection(a, b)),
    ),
    object: fc.dictionary(fc.constantFrom('id', 'kind', 'place', 'text'), tie('any')).map((shape) => z.object(shape)),
  }));

  test('becomes one that all hosts take, but for objects with fields of any name', () => {
    const check = (schema: z.ZodType): void => {
      const found = portableSchema(printed(schema));
      for (const [host, rule] of Object.entries(rules))
        expect(
          problemsOf(isStrict(host) ? strictSchema(found) : found, rule).filter(
            (each) => !each.endsWith('has no properties'),
          ),
          JSON.stringify(found),
        ).toEqual([]);
    };
    fc.assert(fc.property(schemas.object, check));
    fc.assert(
      fc.property(
        fc.tuple(schemas.object, schemas.object).map(([a, b]) => z.union([a, b])),
        check,
      ),
    );
  });

  test.each([
    [z.union([z.object({ kind: z.literal('a'), a: z.int() }), z.object({ kind: z.literal('b'), b: z.string() })])],
    [z.object({ kind: z.enum(['a', 'b']), a: z.int().optional(), b: z.string().optional() })],
  ])('keeps what each variant takes, and requires what all of them require', (schema) => {
    expect(portableSchema(printed(schema))).toMatchObject({
      type: 'object',
      properties: { kind: { type: 'string', enum: ['a', 'b'] }, a: { type: 'integer' }, b: { type: 'string' } },
      required: ['kind'],
    });
  });

  test.each([
    [
      { type: ['integer', 'string'], pattern: '^-?\\d+$', minimum: 0 },
      { type: 'string', pattern: '^\\d+$' },
    ],
    [{ type: ['integer', 'null'] }, { type: 'integer' }],
    [
      { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'string' }] },
      { type: 'string', description: 'a, b, or another.' },
    ],
    [
      { type: 'string', minLength: 1, maxLength: 9 },
      { type: 'string', description: '1 to 9 characters.' },
    ],
    [
      { type: 'string', maxLength: 2000, description: 'At most 2,000.' },
      { type: 'string', description: 'At most 2,000.' },
    ],
    [{ const: 5 }, { type: 'number', description: 'One of 5.' }],
    [
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 24 },
      { type: 'integer', maximum: 24 },
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      { type: 'array', items: { type: 'string' } },
    ],
    [{}, { type: 'string' }],
  ])('%j in a field becomes %j', (field, expected) => {
    expect(portableSchema({ type: 'object', properties: { field } }).properties?.field).toEqual(expected);
  });

  test('that contains itself ends', () => {
    interface Tree {
      readonly inner?: Tree | undefined;
    }
    const tree: z.ZodType<Tree> = z.object({ inner: z.lazy(() => tree).optional() });
    expect(JSON.stringify(portableSchema(printed(z.object({ tree }))))).toContain('"inner"');
  });
});
