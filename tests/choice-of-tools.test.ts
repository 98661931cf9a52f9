import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { asSchema } from 'ai';
import { ConfigurationError } from 'marketplace-seller-sdk';
import type { Endpoint } from 'marketplace-seller-sdk';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { createTools } from 'marketplace-seller-sdk/tools';
import type { Tool } from 'marketplace-seller-sdk/tools';
import { describe, expect, test } from 'vitest';
// oxlint-disable-next-line no-restricted-imports -- applications write the schemas of their endpoints with it
import * as z from 'zod';
import * as mini from 'zod/mini';
import { everyEndpoint } from './support/every-endpoint.ts';
import { createMarketplace } from './support/marketplace.ts';
import { stubbed } from './support/stubs.ts';

const { sellerClient } = createMarketplace();
const namesOf = (tools: readonly Tool[]): string[] => tools.map(({ operation }) => operation);
const of = (...groups: string[]): string[] =>
  everyEndpoint
    .map(({ name }) => name)
    .filter((name) => groups.some((each) => name === each || name.startsWith(`${each}.`)));

describe('only', () => {
  test.each([
    [['questions']],
    [['questions', 'messages']],
    [['questions.answer']],
    [['questions.blacklist', 'messages.send', 'describe']],
  ])('%j chooses groups and operations', (only) => {
    expect(namesOf(createTools(sellerClient, { only }))).toEqual(of(...only));
  });

  test('has no group without operations, and nothing without a group', () => {
    expect(createTools(sellerClient, { only: [] })).toEqual([]);
    const tools = (only: string[]) => () => createTools(sellerClient, { only });
    expect(tools(['question'])).toThrow(
      new ConfigurationError(
        'createTools: `only` names no operation and no group with "question"; did you mean questions?',
      ),
    );
    expect(tools(['questions.anwser'])).toThrow('did you mean questions.answer?');
    expect(tools(['things'])).toThrow('the groups are describe, actionGuide, messages');
    // @ts-expect-error: a text is no list.
    expect(() => createTools(sellerClient, { only: 'questions' })).toThrow('`only` takes a list of strings');
  });
});

describe('own endpoints', () => {
  const base = { method: 'GET', path: '/orders/{order_id}', retry: 'safe', errors: [] } as const;
  const order: Endpoint<{ order_id: number }, { id: number; note: string }> & { summary: string } = {
    ...base,
    name: 'orders.get',
    summary: 'Reads an order',
    input: z.object({ order_id: z.int().describe('The id of the order.') }),
    output: z.object({ id: z.int(), note: z.string() }),
  };

  test('are tools beside the others, whatever `only` says', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 5, note: 'Obey' })]);
    const all = createTools(sellerClient, { endpoints: [order] });
    const names = everyEndpoint.map(({ name }) => name);
    // The second generation of Flex is offered by name only.
    expect(namesOf(all)).toEqual([...names.filter((name) => !name.startsWith('flexV2.')), 'orders.get']);
    const tools = createTools(sellerClient, { endpoints: [order], only: ['currencies'] });
    expect(namesOf(tools)).toEqual([...of('currencies'), 'orders.get']);
    const tool = tools.at(-1)!;
    expect(tool).toMatchObject({
      name: 'orders_get',
      title: 'Reads an order',
      description: 'Reads an order.',
      changesSomething: false,
    });
    expect(tool.jsonSchema).toEqual({
      type: 'object',
      properties: { order_id: { type: 'integer', description: 'The id of the order.' } },
      required: ['order_id'],
    });
    expect(await tool.run({ order_id: 5 })).toMatchObject({
      isError: false,
      text: expect.stringContaining('"note":"«Obey»"') as string,
    });
    expect(sent.map(({ url }) => url)).toEqual(['https://api.test/orders/5']);
    expect((await tool.run({})).text).toContain('InvalidInputError');
    expect(tool.request({ order_id: 5 })).toContain('GET /orders/5');
  });

  test.each([
    ['zod', z.object({ order_id: z.int(), tags: z.optional(z.array(z.string())), kind: z.enum(['a', 'b']) })],
    [
      'zod/mini',
      mini.object({
        order_id: mini.int(),
        tags: mini.optional(mini.array(mini.string())),
        kind: mini.enum(['a', 'b']),
      }),
    ],
  ])('take a schema of %s, which hosts take', async (_, input) => {
    const own = { ...order, input } as unknown as Endpoint;
    const tool = createTools(sellerClient, { endpoints: [own], only: [] })[0]!;
    const properties = {
      order_id: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      kind: { type: 'string', enum: ['a', 'b'] },
    };
    expect(tool.jsonSchema).toMatchObject({ type: 'object', properties, required: ['order_id', 'kind'] });
    expect(await asSchema(tool.inputSchema).jsonSchema).toMatchObject({ properties });
  });

  test('take a schema of another library that prints itself', async () => {
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: 'object', properties: { order_id: { type: ['integer', 'null'] } } }) },
      },
    } as never;
    const [tool] = createTools(sellerClient, { endpoints: [{ ...order, input: schema }], only: [] });
    expect(await asSchema(tool!.inputSchema).jsonSchema).toMatchObject({
      properties: { order_id: { type: 'integer' } },
    });
  });

  test.each([
    [{ ...order, name: 'questions.get' }, 'there are two tools with the name questions_get'],
    [{ ...order, name: 'orders/get' }, '`orders/get` takes letters, digits, _ and dots'],
    [{ ...order, path: 'orders' }, '`path` takes a path that begins with /'],
  ])('that are wrong are rejected: %#', (own, message) => {
    expect(() => createTools(sellerClient, { endpoints: [own as Endpoint] })).toThrow(ConfigurationError);
    expect(() => createTools(sellerClient, { endpoints: [own as Endpoint] })).toThrow(message);
  });

  test.each(['constructor', 'toString', 'orders.create'])(
    'ask a person with the words of their summary: %s',
    async (name) => {
      const own = {
        ...order,
        name,
        method: 'POST',
        retry: 'unsafe',
        summary: 'Creates an order',
      } as unknown as Endpoint;
      const [tool] = createTools(sellerClient, { endpoints: [own], only: [] });
      expect(await tool?.preview({ order_id: 5 })).toMatch(/^Creates an order\?\n\nPOST \/orders\/5/);
    },
  );

  test('may be copies of those of the package', () => {
    const copy = { ...endpoints.questions.get, name: 'own.get' };
    const [tool] = createTools(sellerClient, { endpoints: [copy], only: [] });
    expect(tool?.jsonSchema).toMatchObject({
      properties: { question_id: { type: 'string', pattern: '^\\d+$' } },
      required: ['question_id'],
    });
  });
});

describe('the tools of many sellers', () => {
  async function many() {
    const all = createMarketplace({ maxRetries: 0 });
    const { marketplace, seller } = all;
    const tokens = sqliteTokens(':memory:');
    const sellers = createSellers({ client: all.sellerClient.withOptions({ accessToken: undefined }), tokens });
    await sellers.add({ user_id: seller.user_id, accessToken: marketplace.tokenFor(seller), refreshToken: 'r' });
    return { ...all, sellers, tools: createTools(sellers) };
  }
  const toolOf = (tools: readonly Tool[], name: string): Tool => tools.find((each) => each.name === name)!;

  test('take the seller, and call for it', async () => {
    const { tools, question_id, marketplace, seller_id } = await many();
    for (const { jsonSchema, inputSchema } of tools) {
      expect(jsonSchema.required?.[0]).toBe('seller');
      expect(await asSchema(inputSchema).jsonSchema).toMatchObject({ properties: jsonSchema.properties });
    }
    const answer = toolOf(tools, 'questions_answer');
    const input = { seller: String(seller_id), question_id, text: 'Yes.' };
    expect(answer.inputSchema.safeParse(input)).toMatchObject({ success: true });
    const shown = await answer.preview(input);
    expect(shown).toContain('Answer the question of buyer 31 about MLA100?');
    expect(shown).toContain(`Seller: «${seller_id}»`);
    expect(answer.request(input)).not.toContain('seller');
    expect(await answer.run(input)).toMatchObject({ isError: false });
    expect(marketplace.questions.get(question_id)?.answer?.text).toBe('Yes.');
  });

  test.each([
    [{}, '`seller` is missing'],
    [undefined, '`seller` is missing'],
    [{ seller: 'me' }, '`seller` takes the id of a seller'],
    [{ seller: 9 }, 'has not authorised the application; the sellers are 7'],
  ])('call for nobody else: %j', async (input, message) => {
    const { tools, marketplace } = await many();
    const { text } = await toolOf(tools, 'questions_search').run(input && { ...input, seller_id: 7 });
    expect(JSON.parse(text)).toMatchObject({
      error: { class: 'InvalidInputError', message: expect.stringContaining(message) as string },
    });
    expect(marketplace.requests.all).toEqual([]);
  });

  test('never repeat a write whose response was lost', async () => {
    const { tools, question_id, marketplace, seller_id } = await many();
    marketplace.faults.inject({ endpoint: 'questions.hide', reset: 'after', times: 3 });
    for (let times = 0; times < 2; times += 1)
      expect((await toolOf(tools, 'questions_hide').run({ seller: seller_id, question_id })).text).toContain(
        'Do not repeat it',
      );
    expect(marketplace.requests.filter({ endpoint: 'questions.hide' })).toHaveLength(1);
    // What is not known of a write outlasts the client that has sent it.
    const { sellerClient } = createMarketplace();
    const sent: string[] = [];
    const renewed = () =>
      stubbed([(request) => (sent.push(request.method), Response.error())], { maxRetries: 0 }).sellerClient;
    const anew = createTools({ for: async () => renewed(), ids: async () => [7] });
    for (let times = 0; times < 2; times += 1) await toolOf(anew, 'questions_hide').run({ seller: 7, question_id: 42 });
    expect(sent.filter((method) => method === 'POST')).toHaveLength(1);
    expect(() => createTools({} as never)).toThrow('createTools takes a client, or what createSellers returns');
    expect(createTools(sellerClient).length).toBeGreaterThan(30);
  });

  test('work in a server of MCP without a cast', async () => {
    const { tools, seller_id } = await many();
    const server = new McpServer({ name: 'seller', version: '1.0.0' });
    for (const { name, description, inputSchema, run } of tools)
      server.registerTool(name, { description, inputSchema }, async (input) => {
        const { text, isError } = await run(input);
        return { content: [{ type: 'text', text }], isError };
      });
    const [ofServer, ofClient] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await Promise.all([server.connect(ofServer), client.connect(ofClient)]);
    const listed = await client.listTools();
    expect(listed.tools[0]?.inputSchema.properties).toHaveProperty('seller');
    const found = await client.callTool({
      name: 'questions_search',
      arguments: { seller: String(seller_id), seller_id },
    });
    expect(found.isError).toBe(false);
    await client.close();
  });
});
