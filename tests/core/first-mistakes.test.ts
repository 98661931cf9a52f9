import { inspect } from 'node:util';
import {
  ConfigurationError,
  ConversationBlockedError,
  defineEndpoint,
  Paged,
  SellerClient,
} from 'marketplace-seller-sdk';
import type { ClientOptions, Endpoint, Message } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { createTools } from 'marketplace-seller-sdk/tools';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const byName = (name: string): string =>
  `the endpoint is given by its name: give the object, \`endpoints.${name}\` of marketplace-seller-sdk/schemas or your own`;
const example = 'give one of `endpoints` of marketplace-seller-sdk/schemas, e.g. `endpoints.questions.get`';
const takesLine = "`request` takes a method and a path, e.g. 'GET /orders/{order_id}'";
const asOption = (name: string): string => `\`${name}\` is an option: give it in the second argument, beside the input`;
const inSecond = (given: string, name = given): string =>
  `\`${given}\` is not a field here; the option \`${name}\` is given in the second argument, beside the input`;
const meant = (given: string, name: string): string => `\`${given}\` is not a field here; did you mean \`${name}\`?`;
const isText = '; text is taken as a path, and';
const base64 = `\`file\` cannot be read (ENOENT)${isText} this looks like base64: give \`Buffer.from(text, 'base64')\` with a \`filename\``;
const address = '`file` is an address, not a path; give its response: `await fetch(address)`';
const pdf = btoa('%PDF-1.4 and what follows');
const order = { order_id: 1 };
const to = { user_id: 31 };

/** Arguments as a line of a program. */
function shown(args: readonly unknown[]): string {
  return inspect(args, { depth: 1, breakLength: Infinity, maxStringLength: 60 }).slice(2, -2);
}

/** Calls a method by its name, as a program without types can: the compiler rejects most of these calls. */
function callAs(client: SellerClient, name: string, args: readonly unknown[]): PromiseLike<unknown> {
  const path = name.split('.');
  const at = path.slice(0, -1).reduce<object>((each, key) => (each as Record<string, object>)[key]!, client);
  const result = (at as Record<string, (...args: readonly unknown[]) => unknown>)[path.at(-1)!]!(...args);
  return result instanceof Paged ? result.first() : (result as PromiseLike<unknown>);
}

const callOptions = {
  signal: new AbortController().signal,
  headers: { 'x-a': 'b' },
  timeoutMs: 20_000,
  maxRetries: 0,
  accessToken: 'token-2',
  output: endpoints.questions.get.output,
};

/** What a program tries first, by method, and the one sentence that it is told. Nothing is sent. */
const mistakes: Readonly<Record<string, readonly (readonly [args: readonly unknown[], sentence: string])[]>> = {
  call: [
    [['questions.get', { question_id: 1 }], byName('questions.get')],
    [
      ['GET /orders/{order_id}', order],
      'the endpoint is a line of method and path: `seller.request` calls it, and `defineEndpoint` makes an endpoint of it',
    ],
    [['answer the question', {}], `the endpoint is a text: ${example}`],
    [[(endpoints.items as Record<string, unknown>).get, {}], `the endpoint is missing: ${example}`],
    [[() => 42, { question_id: 1 }], `the endpoint is a function: ${example}`],
    [[endpoints.currencies, {}], 'the endpoint is a group of endpoints: give one of them, `.list`, `.get`'],
  ],
  confirm: [[['questions.answer', {}, {}], byName('questions.answer')]],
  request: [
    [[endpoints.questions.get, {}], `${takesLine}; \`call\` takes an endpoint`],
    [['/orders/1'], `${takesLine}: the method is missing`],
    [['GET https://api.test/orders'], `${takesLine}, without the host: that is \`baseUrl\``],
    [['GET /orders?sort=x'], `${takesLine}, a path without ? and #; a query is given as fields of the input`],
    [['get /orders'], `${takesLine}: GET, POST, PUT, PATCH or DELETE, one space, and a path that begins with /`],
    [
      ['GET /orders/:order_id', order],
      'the endpoint is wrong: `path` has `:order_id`; a field of the path is `{order_id}`',
    ],
    [
      [`GET /orders/${String(undefined)}`],
      'the endpoint is wrong: `path` has "undefined", the text of a missing value',
    ],
    [['GET /orders/{order_id}', {}], '`order_id` is missing; it takes a string or an integer'],
    [['GET /orders/{order_id}'], '`order_id` is missing; it takes a string or an integer'],
    [
      ['GET /orders/{order_id}', { orderId: 1 }],
      '`order_id` is missing; it takes a string or an integer; `orderId` is given',
    ],
    [['GET /orders/{order_id}', { order_id: '' }], '`order_id` is empty, so it cannot be part of a path'],
    [['POST /orders', { body: { id: 1 } }], '`body` is no field: give its fields beside those of the path'],
    [['POST /orders', { query: { a: 1 } }], asOption('query')],
    ...['GET', 'DELETE', 'POST', 'PUT', 'PATCH'].flatMap((method) =>
      Object.entries(callOptions).map(
        ([name, value]) => [[`${method} /orders/{order_id}`, { ...order, [name]: value }], asOption(name)] as const,
      ),
    ),
  ],
  'questions.get': [
    [[{ question_id: 1, signal: new AbortController().signal }], inSecond('signal')],
    [[{ question_id: 1, timeout: 5 }], inSecond('timeout', 'timeoutMs')],
    [[{ question_id: 1, access_token: 'x' }], inSecond('access_token', 'accessToken')],
    [[42], 'the input takes an object with `question_id`'],
    [[new Map([['question_id', 1]])], 'the input takes an object of fields; convert it with Object.fromEntries'],
    [[{ questionId: 42 }], meant('questionId', 'question_id')],
    [[{ id: 42 }], meant('id', 'question_id')],
    [[{ question_id: 1, auth: 'x' }], inSecond('auth', 'accessToken')],
    [[{ question_id: 1 }, { apiKey: 'x' }], 'there is no option `apiKey`; did you mean `accessToken`?'],
  ],
  'messages.contact': [
    [[{ pack_id: 1, user_id: 7, text: 'a', maxRetries: 0 }], inSecond('maxRetries')],
    [[{ pack_id: 1, seller_id: 7, text: 'a' }], meant('seller_id', 'user_id')],
  ],
  'questions.answer': [
    [[42, 'Yes'], 'the input takes an object with `question_id`, `text`'],
    [
      [{ question_id: 1, text: 'a' }, { idempotencyKey: 'x' }],
      'there is no option `idempotencyKey`; the service has no such keys: a write is sent once, and `confirm()` of an error reads a lost one back',
    ],
  ],
  describe: [[['/currencies'], 'the input takes an object with `path`']],
  'items.status': [[[['MLA1']], 'the input takes an object with `ids`']],
  'messages.send': [
    [[{ pack_id: 1, user_id: 7, to: 31, text: 'a' }], '`to` takes an object with `user_id`'],
    [[{ order_id: 1, user_id: 7, to, text: 'a' }], meant('order_id', 'pack_id')],
  ],
  'messages.upload': [
    [[new FormData()], 'the input takes an object of fields; convert it with Object.fromEntries'],
    [[{ site_id: 'MLA', file: pdf, filename: 'a.pdf' }], base64],
    [[{ site_id: 'MLA', file: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEAAkGBxMTEhUTExIVFRUVFx', filename: 'a.jpg' }], base64],
    [[{ site_id: 'MLA', file: btoa('a'.repeat(5000)), filename: 'a.txt' }], base64.replace('ENOENT', 'ENAMETOOLONG')],
    [
      [{ site_id: 'MLA', file: 'Thank you for your order.', filename: 'a.txt' }],
      `\`file\` cannot be read (ENOENT)${isText} content as bytes with a \`filename\``,
    ],
    [
      [{ site_id: 'MLA', file: '/nowhere/2026/invoice.pdf' }],
      `\`file\` cannot be read (ENOENT)${isText} content as bytes with a \`filename\``,
    ],
    [[{ site_id: 'MLA', file: 'https://shop.test/a.pdf' }], address],
    [[{ site_id: 'MLA', file: new URL('https://shop.test/a.pdf') }], address],
    [[{ site_id: 'MLA', file: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' }], address],
  ],
  'questions.ask': [[[{ item: 'MLA1', text: 'a' }], meant('item', 'item_id')]],
  'messages.conversation': [
    [[{ pack_id: 1, seller_id: 7 }], meant('seller_id', 'user_id')],
    [[{ pack_id: 1, user_id: 7, tag: 'post_sale' }], '`tag` is not a field here; it is always sent, so leave it out'],
  ],
  'contacts.questions.ofItem': [
    [
      [{ item_id: 'MLA1', from: '2026-01-01', to: '2026-02-01' }],
      `${meant('from', 'date_from')}; ${meant('to', 'date_to')}`,
    ],
    [
      [{ item_id: 'MLA1', date_from: '2026-01-01' }],
      '`date_to` is missing; a date is a Date or ISO 8601 text such as "2026-03-01T00:00:00Z"',
    ],
  ],
  'questions.search': [
    [[{ seller: 7 }], meant('seller', 'seller_id')],
    [[{ seller_id: 7, sort: 'x' }], '`sort` is not a field here; did you mean `sort_fields` or `sort_types`?'],
    [[{ seller_id: 7, status: 'UNANSWERED' }], '`status` is not a field here; give it in `filters`'],
  ],
  'messages.get': [
    [
      [{ message_id: String(undefined) }],
      '`message_id` is "undefined", the text of a missing value, so it cannot be part of a path',
    ],
  ],
  'messages.reply': [
    [
      ['5f1b', 'a'],
      '`reply` takes a message with its pack, as `messages.get` and a conversation return it, and a text',
    ],
    [
      [{ message_id: '5f1b', text: 'a' }],
      '`reply` takes a message with its pack, as `messages.get` and a conversation return it, and a text',
    ],
  ],
};

describe.each(Object.entries(mistakes))('%s', (name, rows) => {
  test.each(rows.map(([args, sentence]) => [shown(args), args, sentence] as const))(
    '(%s) is told in one sentence, and nothing is sent',
    async (_, args, sentence) => {
      const { sellerClient, sent } = stubbed([Response.json(wireQuestion)]);
      const error = await errorOf(callAs(sellerClient, name, args));
      expect(error.message).toBe(`Not sent: ${sentence}`);
      expect(sent).toEqual([]);
    },
  );
});

describe('fields that a service may have are sent, although they resemble an option', () => {
  test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    [
      'GET /items',
      { ids: ['MLA1', 'MLA2'], attributes: ['id', 'title'] },
      '/items?ids=MLA1%2CMLA2&attributes=id%2Ctitle',
    ],
    [
      'GET /search',
      { query: 'shoes', signal: 'strong', headers: 'no', output: 'short' },
      '/search?query=shoes&signal=strong&headers=no&output=short',
    ],
    ['GET /search', { query: { status: 'paid' } }, '/search?status=paid'],
    ['GET /orders', { body: { a: 'b' }, timeoutMs: undefined }, '/orders?a=b'],
  ])('%s %j', async (line, input, target) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    await sellerClient.request(line as 'GET /items', input);
    expect(sent[0]!.url).toBe(`https://api.test${target}`);
  });

  test('a body may have any texts', async () => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const fields = { body: 'Hello', query: 'a', output: 'b', attributes: [{ id: 'COLOR' }] };
    await sellerClient.request('POST /claims', fields);
    expect(await sent[0]!.json()).toEqual(fields);
  });

  test('what is named by the input of an endpoint is a field', async () => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const timed = defineEndpoint({ method: 'POST', path: '/jobs/{timeoutMs}' });
    await sellerClient.call(timed, { timeoutMs: 20_000, at: 1 });
    expect(sent[0]!.url).toBe('https://api.test/jobs/20000');
  });
});

test.each<readonly [option: string, sentence: string]>([
  ['apiKey', 'did you mean `accessToken`?'],
  ['auth', 'did you mean `accessToken`?'],
  ['token', 'did you mean `accessToken`?'],
  ['access_token', 'did you mean `accessToken`?'],
  ['timeout', 'did you mean `timeoutMs`?'],
  ['max_retry_delay_ms', 'did you mean `maxRetryDelayMs`?'],
  ['retries', 'did you mean `maxRetries`?'],
  ['maxNetworkRetries', 'did you mean `maxRetries`?'],
  ['httpAgent', 'did you mean `agent`?'],
  ['defaultHeaders', 'did you mean `headers`?'],
  ['log', 'did you mean `logger`?'],
  ['logLevel', 'the `logger` decides: leave its `debug` and `info` empty'],
  ['proxy', 'give an `agent`, or a `fetch` with a dispatcher'],
])('the option %s of other clients is told as ours', (option, sentence) => {
  const create = () => new SellerClient({ baseUrl: 'https://api.test', [option]: 'x' });
  expect(create).toThrow(new ConfigurationError(`there is no option \`${option}\`; ${sentence}`));
});

test.each(['baseURL', 'url', 'host', 'base_url'])('the address as %s is one mistake, and not two', (name) => {
  const create = () => new SellerClient({ [name]: 'https://api.test' } as unknown as ClientOptions);
  expect(create).toThrow(new ConfigurationError(`there is no option \`${name}\`; did you mean \`baseUrl\`?`));
});

describe('an endpoint by its name is told wherever one is expected', () => {
  const name = 'orders.get';
  const topics = { orders_v2: { endpoint: name as never, idOf: String } };
  const store = memoryStore();
  const outbox = () => createOutbox({ store, clientFor: () => undefined });

  test.each<readonly [string, () => unknown]>([
    ['a topic', () => createInbox({ topics, fallback: () => undefined })],
    ['an endpoint of an outbox', () => createOutbox({ store, clientFor: () => undefined, endpoints: [name as never] })],
    ['a job', async () => outbox().add({ key: 'k', user_id: 7, endpoint: name as never, input: {} })],
    ['a tool', () => createTools(stubbed([]).sellerClient, { endpoints: [name as never] })],
    [
      'an operation of the fake',
      () => new FakeMarketplace({ operations: [{ endpoint: name as never, handle: () => ({}) }] }),
    ],
  ])('%s', async (_, make) => {
    const error = await errorOf((async () => make())());
    expect(error.message).toContain(byName(name));
  });

  test('handlers of an inbox, as others call them', () => {
    expect(() => createInbox({ handlers: {} } as never)).toThrow('there is no option `handlers`; did you mean `on`?');
  });

  test.each<readonly [string, unknown, string]>([
    ['nothing', undefined, `the endpoint is missing: ${example}`],
    ['a group', endpoints.currencies, 'give one of them, `.list`, `.get`'],
  ])('a failure of the fake for %s', (_, endpoint, sentence) => {
    const fake = new FakeMarketplace();
    expect(() => fake.failNext(endpoint as Endpoint, { status: 500, message: 'x' })).toThrow(sentence);
  });
});

describe('the first message to a buyer who has not written', () => {
  const sale = () => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
    const input = { pack_id: pack.pack_id!, user_id: seller.user_id, text: 'It leaves today.' };
    return { marketplace, client: marketplace.clientFor(seller), input, pack, buyer: { user_id: buyer.user_id } };
  };

  test('is a 403 that says its reason and what to call, and that call sends it', async () => {
    const { client, input, buyer, marketplace, pack } = sale();
    const error = await errorOf(client.messages.send({ ...input, to: buyer }));
    expect(error).toBeInstanceOf(ConversationBlockedError);
    expect(error.message).toContain('(blocked_by_conversation_initiated_by_seller)');
    expect(error.message).toMatch(/The buyer has not written yet: `messages\.contact` sends the first message$/);
    expect(await client.messages.contact(input)).toMatchObject({ channel: 'option' });
    expect(marketplace.messages.of(pack)).toHaveLength(1);
  });

  test('the reason of another block stands in the message, without that advice', async () => {
    const { client, input, buyer, marketplace, pack } = sale();
    marketplace.packs.change(pack, { blockedBy: 'blocked_by_time' });
    const error = await errorOf(client.messages.send({ ...input, to: buyer }));
    expect(error.message).toMatch(/\(blocked_by_time\)$/);
  });

  test.each<readonly [string, object, string]>([
    [
      'in a cause',
      { error: 'conversation_blocked', message: 'No', cause: ['blocked_by_payment'] },
      'No (blocked_by_payment)',
    ],
    [
      'in the text already',
      { error: 'conversation_blocked', message: 'It is blocked_by_payment' },
      'It is blocked_by_payment',
    ],
    ['nowhere', { error: 'conversation_blocked', message: 'No' }, 'No'],
    [
      'one that only ends alike',
      { message: 'Conversation blocked', cause: 'block_by_ai_assistant_initiated_by_seller_expired' },
      'Conversation blocked (block_by_ai_assistant_initiated_by_seller_expired)',
    ],
  ])('the reason is said once: %s', async (_, body, end) => {
    const { sellerClient } = stubbed([Response.json(body, { status: 403 })]);
    const error = await errorOf(sellerClient.messages.send({ pack_id: 1, user_id: 7, to, text: 'Hola' }));
    expect(error).toBeInstanceOf(ConversationBlockedError);
    expect(error.message.endsWith(`: ${end}`)).toBe(true);
  });

  test('a reply whose text is an object is checked before the conversation is read', async () => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const message = {
      id: 'm1',
      message_resources: [{ id: '1', name: 'packs' }],
      to: { user_id: 7 },
    } as Partial<Message>;
    const error = await errorOf(sellerClient.messages.reply(message as Message, { message: 'a' } as never));
    expect(error.message).toContain('`text` is missing');
    expect(sent).toEqual([]);
  });
});
