import { SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkOperations } from '../../src/cli/commands/check.js';
import type { Checked } from '../../src/cli/commands/check.js';
import { Ids, sitesOf } from '../../src/cli/readings.js';
import type { IdName } from '../../src/cli/readings.js';
import { listEndpoints } from '../../src/endpoints.js';
import { listen } from '../../src/testing/server.js';
import { oddFetch } from '../support/odd-responses.ts';
import { running } from '../support/serving.ts';

const pack_id = 2_000_000_000_000_900;
const token = 'APP_USR-500-secret-of-the-seller-7';
const operations = listEndpoints(endpoints).filter(({ retry }) => retry === 'safe');
const names = operations.map(({ name }) => name).sort();

/** A marketplace on a port, with everything that a seller can read. */
async function served(): Promise<{ marketplace: FakeMarketplace; url: string; shipment_id: number }> {
  const marketplace = new FakeMarketplace();
  marketplace.seed({
    users: [{ user_id: 7, token }, { user_id: 31 }],
    items: [{ item_id: 'MLA100', seller_id: 7, flex: true }],
    questions: ['Is there stock?', 'And in blue?'].map((text) => ({ item_id: 'MLA100', from: 31, text })),
    packs: [{ pack_id, seller_id: 7, buyer_id: 31, messages: [{ from: 'buyer', text: 'When does it come?' }] }],
    flex: { subscriptions: [{ user_id: 7 }, { user_id: 7, mode: 'TURBO' }] },
  });
  const shipment_id = marketplace.flex.ship({ user_id: 7 });
  marketplace.flex.assignDriver(shipment_id, 77);
  const { messages } = marketplace.clientFor({ user_id: 7 });
  const { id } = await messages.upload({ site_id: 'MLA', file: new Uint8Array([37, 80, 68, 70]), filename: 'a.pdf' });
  await messages.send({ pack_id, user_id: 7, to: { user_id: 31 }, text: 'Here it is.', attachments: [id] });
  marketplace.requests.clear();
  const { url, close } = await marketplace.listen();
  onTestFinished(close);
  return { marketplace, url, shipment_id };
}

async function check(
  url: string,
  ...args: string[]
): Promise<{ code: number; text: string; errors: string; rows: readonly Checked[] }> {
  const program = running('check', '--base-url', url, '--token', token, '--pause-ms', '0', ...args);
  const code = await program.code;
  const text = program.printed.join('\n');
  expect(text + program.errors.join('\n')).not.toContain('secret');
  return {
    code,
    text,
    errors: program.errors.join('\n'),
    rows: args.includes('--json') ? (JSON.parse(text) as Checked[]) : [],
  };
}

/** The options with which only these operations are called. */
const only = (...operation: string[]): string[] =>
  names.filter((name) => !operation.includes(name)).flatMap((name) => ['--skip', name]);

const findable = ['--pack', String(pack_id)];

describe('the command check', () => {
  test('calls every reading operation with what it finds, and all of them work', async () => {
    const { url, marketplace, shipment_id } = await served();
    const { code, rows } = await check(url, '--json', ...findable, '--shipment', String(shipment_id));
    expect(rows.filter(({ result }) => result !== 'works')).toEqual([]);
    expect(rows.map(({ operation }) => operation).sort()).toEqual(names);
    expect(code).toBe(0);
    const called = new Set(
      marketplace.requests.all.map(({ method, endpoint }) => (method === 'OPTIONS' ? 'describe' : endpoint)),
    );
    expect([...called].sort()).toEqual(names);
  });

  test('writes nothing, and marks no message as read', async () => {
    const { url, marketplace } = await served();
    await check(url, ...findable);
    const requests = marketplace.requests.all;
    const posts = requests.filter(({ method }) => method !== 'GET' && method !== 'OPTIONS');
    expect(new Set(posts.map(({ endpoint }) => endpoint))).toEqual(new Set(['flex.configuration']));
    const messages = requests.filter(({ path }) => path.startsWith('/messages/'));
    expect(messages.length).toBeGreaterThan(4);
    for (const { path, query } of messages) expect({ path, query }).toMatchObject({ query: { mark_as_read: 'false' } });
    expect(requests.filter(({ query }) => 'mark_as_read' in query)).toHaveLength(messages.length);
  });

  test('asks for a short page, the listings of the seller and the contacts of a week', async () => {
    const { url, marketplace } = await served();
    await check(url, ...findable);
    const requests = marketplace.requests.all;
    const pages = requests.filter(({ query }) => query.limit !== undefined);
    expect(pages.filter(({ query }) => query.limit !== '10')).toEqual([]);
    const lists = ['messages.conversation', 'questions.blacklist.list', 'questions.search', 'sites.search'];
    expect(pages.map(({ endpoint }) => endpoint)).toEqual(expect.arrayContaining(lists));
    const queryOf = (name: string): unknown => requests.find(({ endpoint }) => endpoint === name)?.query;
    expect(queryOf('sites.search')).toMatchObject({ seller_id: '7' });
    const { date_from, date_to } = queryOf('contacts.questions.ofItem') as Record<string, string>;
    expect(Math.round((Date.parse(date_to!) - Date.parse(date_from!)) / 86_400_000)).toBe(7);
  });

  test('reads two objects of a kind if there are two, and waits before each call', async () => {
    const { url, marketplace } = await served();
    const ids = new Ids();
    ids.add('user', [7]);
    ids.add('item', ['MLA100', 'MLA101']);
    let pauses = 0;
    const pause = (): Promise<void> => Promise.resolve(void (pauses += 1));
    const createClient = (): SellerClient => new SellerClient({ baseUrl: url, accessToken: token });
    for await (const row of checkOperations({ ids, skip: [], pause, createClient })) expect(row.operation).not.toBe('');
    const requests = marketplace.requests.all;
    expect(requests.filter(({ endpoint }) => endpoint === 'questions.get')).toHaveLength(2);
    expect(requests.filter(({ endpoint }) => endpoint === 'flex.items.isEnabled')).toHaveLength(2);
    expect(requests.filter(({ endpoint }) => endpoint === 'questions.search')).toHaveLength(1);
    expect(pauses).toBe(requests.length);
  });

  test.each<[IdName, unknown[][], unknown, unknown]>([
    ['item', [['A', 'B', 'C']], 'A', 'B'],
    ['item', [['A'], ['B', 'C']], 'A', 'B'],
    ['item', [['A'], ['A', 'B']], 'A', 'B'],
    ['item', [['A', 'A']], 'A', 'A'],
    ['question', [[1, undefined, null, {}, 2]], '1', '2'],
    ['pack', [[2_000_000_001], ['2000000001']], '2000000001', '2000000001'],
    ['user', [['7'], [8]], '7', '7'],
    ['site', [['MLA', 'MLB'], ['MLM']], 'MLA', 'MLA'],
    ['item', [[], [undefined]], undefined, undefined],
  ])('of ids of the kind %s, given as %j, the first two are read: %s and %s', (name, added, first, second) => {
    const ids = new Ids();
    for (const values of added) ids.add(name, values);
    expect([ids.choice(0)[name], ids.choice(1)[name]]).toEqual([first, second]);
  });

  test.each([
    ['MLA1', 'MLA'],
    ['MLB600000001', 'MLB'],
    ['MLAX1', undefined],
    ['ML1', undefined],
    ['MLA', undefined],
    ['mla1', undefined],
    ['xMLA1', undefined],
    [undefined, undefined],
    [1, undefined],
  ])('the site of the item %s is %s', (item, site) => {
    expect(sitesOf([item])).toEqual([site]);
  });

  test('says what an operation needs that it could not find', async () => {
    const { url } = await served();
    const { code, text } = await check(url, '--skip', 'items.status');
    expect(code).toBe(0);
    expect(text).toMatch(/^messages\.get +not tried +needs --message$/m);
    expect(text).toMatch(/^flex\.driver +not tried +needs --shipment$/m);
    expect(text).toMatch(/^items\.status +not tried +skipped$/m);
    const notTried = text.match(/ not tried +(?:needs|skipped)/g)?.length ?? 0;
    const [count, left] = [names.length, names.length - notTried];
    expect(text.split('\n').slice(-2)).toEqual([
      `${count} reading operations: not tried ${notTried}, works ${left}`,
      `${left} of ${count} operations were tried; --pack and --shipment try the others`,
    ]);
    const less = await check(url, '--skip', 'questions.search', '--skip', 'sites.search');
    expect(less.text).toMatch(/^flex\.items\.isEnabled +not tried +needs --site and --item$/m);
  });

  test.each<[string, string[], string[]]>([
    ['a token without a user id, and nothing else', [], ['user', 'pack', 'shipment']],
    ['a seller', ['--user', '7'], ['pack', 'shipment']],
    ['a pack', ['--user', '7', ...findable], ['shipment']],
    ['a seller of whom nothing is found', ['--user', '31', ...findable], ['item', 'question', 'message', 'shipment']],
    [
      'a search that is skipped',
      ['--user', '7', '--skip', 'questions.search', ...findable],
      ['item', 'question', 'shipment'],
    ],
  ])('says how many operations were not tried, and which ids to give: %s', async (_, args, wanted) => {
    const { url, marketplace } = await served();
    const opaque = 'opaque-token';
    marketplace.accounts.issueToken(7, undefined, opaque);
    const { text, code } = await check(url, '--token', opaque, ...args);
    const untried = text.match(/ not tried +needs/g)?.length ?? 0;
    expect(text).toContain(`\n\n${untried} of ${names.length} w`);
    expect([...text.matchAll(/^ {2}--(\w+) [A-Z]+ +\w/gm)].map(([, name]) => name)).toEqual(wanted);
    expect(code).toBe(args.includes('31') ? 1 : 0);
    const last = text.split('\n').at(-1)!;
    expect(last).toMatch(new RegExp(`^\\d+ of ${names.length} operations were tried; `));
    expect([...last.matchAll(/--(\w+)/g)].map(([, name]) => name)).toEqual(wanted);
    if (args.length === 0) expect(last).toContain(`4 of ${names.length}`);
  });

  test('says nothing of ids if all operations were tried', async () => {
    const { url, shipment_id } = await served();
    const { text } = await check(url, ...findable, '--shipment', String(shipment_id));
    expect(text).not.toContain('--');
    expect(text).not.toContain('ids are missing');
  });

  test('the odd responses of the live service fit the schemas, with five seeds', async () => {
    const { url, marketplace, shipment_id } = await served();
    const given = ['--json', ...findable, '--shipment', String(shipment_id)];
    // An operation that finds nothing to read here has no response of its own.
    const usual = await check(url, ...given);
    const empty = usual.rows
      .filter(({ details }) => details.length > 0)
      .flatMap(({ operation }) => ['--skip', operation]);
    for (let seed = 1; seed <= 5; seed += 1) {
      const odd = await listen(oddFetch(marketplace, { seed }), {});
      onTestFinished(odd.close);
      const { code, rows } = await check(odd.url, ...given, ...empty);
      expect(rows.filter(({ result }) => !['works', 'not tried'].includes(result))).toEqual([]);
      expect(code).toBe(0);
    }
  });

  test.each([
    [
      'a field of another type',
      { questions: [{ id: 42, text: { private: 1 } }], total: 1 },
      /questions\[\]\.text: .*string, not object/,
    ],
    ['a required field that is missing', { questions: [{ text: 'a private text' }] }, /questions\[\]\.id: .*integer/],
    [
      'a list that is none',
      { questions: 'a private text' },
      /questions: .*, not string|questions: .*list|questions: .*array/,
    ],
    ['a body that is no object', 7, /^the body: .*an object/],
    ['a page of HTML', '<html>private</html>', /not JSON/],
  ])('a response that differs is shown by paths and types, without values: %s', async (_, body, line) => {
    const { url, marketplace } = await served();
    marketplace.faults.inject({ status: 200, body, endpoint: endpoints.questions.search });
    const { code, rows, text } = await check(url, '--json', '--item', 'MLA100', ...only('questions.search'));
    const row = rows.find(({ operation }) => operation === 'questions.search');
    expect(row?.result).toBe('differs');
    expect(row?.details.join('\n')).toMatch(line);
    expect(code).toBe(1);
    expect(text).not.toContain('private');
  });

  test('an entry of a list is named without its number', async () => {
    const { url, marketplace } = await served();
    marketplace.faults.inject({ status: 200, body: [{ id: 'ARS', symbol: 5 }], endpoint: endpoints.currencies.list });
    const { rows } = await check(url, '--json', ...only('currencies.list'));
    const row = rows.find(({ operation }) => operation === 'currencies.list');
    expect(row?.details).toEqual([expect.stringMatching(/^\[\]\.symbol: /)]);
  });

  test('a documented 404 means that there is nothing to read: the operation works', async () => {
    const { url, marketplace } = await served();
    const [noQuestions] = endpoints.questions.responseTime.errors;
    marketplace.failNext(endpoints.questions.responseTime, noQuestions!);
    const { code, rows } = await check(url, '--json', ...only('questions.responseTime'));
    expect(rows.find(({ operation }) => operation === 'questions.responseTime')).toEqual({
      operation: 'questions.responseTime',
      result: 'works',
      details: [expect.stringContaining(noQuestions!.message)],
    });
    expect(code).toBe(0);
  });

  test('a 404 that is not documented rejects the call', async () => {
    const { url, marketplace } = await served();
    marketplace.faults.inject({ status: 404, body: { message: 'no such page' }, endpoint: endpoints.questions.responseTime });
    const { code, rows } = await check(url, '--json', ...only('questions.responseTime'));
    expect(rows.find(({ operation }) => operation === 'questions.responseTime')).toMatchObject({ result: 'rejected' });
    expect(code).toBe(1);
  }); // prettier-ignore

  test.each([1, 2])('says why the service rejects a call, once, if it rejects %i of two', async (times) => {
    const { url, marketplace } = await served();
    const body = { message: `no scope for ${token}`, error: 'forbidden', status: 403, cause: [] };
    marketplace.faults.inject({ status: 403, body, endpoint: endpoints.questions.get, times });
    const { code, rows } = await check(url, '--json', ...only('questions.search', 'questions.get'));
    expect(rows.find(({ operation }) => operation === 'questions.get')).toEqual({
      operation: 'questions.get',
      result: 'rejected',
      details: [expect.stringMatching(/failed with 403 \(forbidden\): no scope for/)],
    });
    expect(code).toBe(1);
  });

  test('the table has a line per detail, in columns', async () => {
    const { url, marketplace } = await served();
    const body = { questions: [{ id: 42, text: 5, status: {} }], total: 1 };
    marketplace.faults.inject({ status: 200, body, endpoint: endpoints.questions.search });
    const { text } = await check(url, ...findable);
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith('questions.search '));
    const column = lines[at]!.indexOf('questions[]');
    expect(lines[at]).toMatch(/^questions\.search +differs +questions\[\]\.\w+: /);
    expect(lines[at + 1]).toMatch(new RegExp(`^ {${column}}questions\\[\\]\\.\\w+: `));
    const results = lines.slice(0, lines.indexOf('')).filter((line) => !line.startsWith(' '));
    expect(new Set(results.map((line) => line.search(/(?<= )(?:works|differs|not tried|rejected)/))).size).toBe(1);
    expect(lines.every((line) => line === line.trimEnd())).toBe(true);
  });

  test('finds an item in the listings, a file in the conversation, and the site in the id of an item', async () => {
    const { url, marketplace } = await served();
    for (const { id } of marketplace.questions.all) marketplace.questions.hide(id);
    const { rows } = await check(url, '--json', ...findable, '--site', 'MLA', '--skip', 'messages.get');
    const resultOf = (name: string): unknown => rows.find(({ operation }) => operation === name)?.result;
    expect(['items.status', 'messages.download', 'contacts.questions.ofItem'].map(resultOf)).toEqual(
      Array(3).fill('works'),
    );
    const bare = await check(
      url,
      '--json',
      '--item',
      'MLA100',
      '--skip',
      'questions.search',
      '--skip',
      'messages.conversation',
      '--message',
      String(marketplace.messages.all.at(-1)?.id),
    );
    const results = Object.fromEntries(bare.rows.map(({ operation, result }) => [operation, result]));
    expect(results).toMatchObject({ 'sites.search': 'works', 'messages.get': 'works', 'messages.download': 'works' });
  });

  test('a service that does not respond has no row that works', async () => {
    const marketplace = new FakeMarketplace();
    const { url, close } = await marketplace.listen();
    await close();
    const others = names.filter((name) => !['describe', 'questions.get'].includes(name));
    const { code, rows } = await check(url, '--json', ...others.flatMap((name) => ['--skip', name]));
    expect(new Set(rows.map(({ result }) => result))).toEqual(new Set(['no response', 'not tried']));
    expect(code).toBe(1);
  });

  test.each([['--fake'], []])('takes the service as `call` and `mcp` do: %j', async (...args: string[]) => {
    const { url } = await served();
    vi.stubEnv('SELLER_BASE_URL', url);
    vi.stubEnv('SELLER_TOKEN', token);
    onTestFinished(() => void vi.unstubAllEnvs());
    const program = running('check', '--pause-ms', '0', ...args);
    expect(await program.code).toBe(0);
    expect(program.printed.join('\n')).toMatch(/^questions\.search +works$/m);
  });

  test.each([
    [['check'], /SELLER_BASE_URL, must be given, or --fake/],
    [['check', '--base-url', 'https://api.example.com'], /SELLER_TOKEN, must be an access token/],
    [['check', '--token', 'x', '--base-url', 'api'], /--base-url or --token is invalid: .*`baseUrl`/],
    [['check', '--token', 'x', '--base-url', 'http://api.example.com'], /allowInsecure|https/],
    [['check', '--token', 'x', '--base-url', 'https://api.example.com', '--pause-ms', 'long'], /--pause-ms/],
    [['check', '--token', 'x', '--base-url', 'https://api.example.com', '--pause-ms', '5s'], /--pause-ms .*"5s"/],
    [['check', '--token', 'x', '--base-url', 'https://api.example.com', '--pause-ms', '123456'], /--pause-ms/],
    [['check', '--token', 'x', '--base-url', 'https://api.example.com', '--pause-ms=-5'], /--pause-ms .*"-5"/],
    [
      ['check', '--token', 'x', '--base-url', 'https://api.example.com', '--skip', 'questions.gets'],
      /questions\.get\b/,
    ],
    [['check', 'APP_USR-secret'], /check takes no arguments, only options$/m],
  ])('a wrong command line exits with 2: %j', async (args, message) => {
    const program = running(...args);
    expect(await program.code).toBe(2);
    expect(program.errors.join()).toMatch(message);
    expect(program.errors.join()).not.toContain('secret');
  });
});
