import { describe, expect, test } from 'vitest';
import { listEndpoints } from '../../src/endpoints.js';
import { endpoints } from '../../src/endpoints.js';
import { arrange, call, marketplace, question, serveMarketplace, tokens } from '../support/plain-http.ts';

serveMarketplace();

const parameters: Readonly<Record<string, string>> = {
  question_id: '5000000001',
  pack_id: '900',
  site_id: 'MLA',
  item_id: 'MLA1',
  service_id: '77',
  id: 'ARS',
};

function fill(path: string): string {
  return path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) => parameters[name] ?? '1');
}

// `describe` is the OPTIONS of every path; the others have paths of their own.
const all = listEndpoints(endpoints)
  .filter(({ name }) => name !== 'describe')
  .map(({ name, method, path }) => ({ name, method, path: fill(path) }));

interface ErrorBody {
  readonly message: string;
  readonly error: string;
  readonly status: number;
  readonly cause: unknown;
}

/** The specification lets everyone read questions and reference data; its samples of contact metrics carry no token. */
const isPublic = /^(questions\.get|currencies\.|sites\.|items\.status|contacts\.)/;
const isSending = /^(messages\.send|actionGuide\.send)$/;

describe('every endpoint', () => {
  test.each(all.filter(({ name }) => !isPublic.test(name)))('$name needs a token', async ({ name, method, path }) => {
    const { status, body } = await call<ErrorBody>(`${method} ${path}?tag=post_sale`, { token: null });
    expect({ status, message: body.message }).toEqual({
      status: isSending.test(name) ? 400 : 401,
      message: 'Access token is required',
    });
  });

  test.each(all)('$name rejects an unknown token with the standard body', async ({ method, path }) => {
    const { status, body } = await call<ErrorBody>(`${method} ${path}?tag=post_sale`, { token: 'unknown' });
    expect({ status, body }).toEqual({
      status: 401,
      body: { message: 'The access token is not valid', error: 'invalid_token', status: 401, cause: [] },
    });
  });

  test.each(all.filter(({ path }) => path.startsWith('/messages')))('$name needs its tag', async ({ method, path }) => {
    const { status, body } = await call<ErrorBody>(`${method} ${path}?site_id=MLA`);
    expect({ status, error: body.error }).toEqual({ status: 404, error: 'not_found' });
    expect(body.message).toContain('tag=post_sale');
  });

  test.each(all)('$name is described by OPTIONS', async ({ path, method }) => {
    const { status, body } = await call<Record<string, unknown>>(`OPTIONS ${path}`, { token: null });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([
      'name',
      'description',
      'attributes',
      'methods',
      'related_resources',
      'connections',
    ]);
    expect(body.methods).toContainEqual({
      method,
      example: expect.stringContaining(method) as string,
      description: expect.stringMatching(/^[A-Z]\w+ \w+/) as string,
    });
  });

  test.each(all)('$name keeps its status inside of JSONP', async ({ method, path }) => {
    const query = 'tag=post_sale&site_id=MLA';
    const plain = await call(`${method} ${path}?${query}`);
    arrange();
    const { status, headers, body } = await call<string>(`${method} ${path}?${query}&callback=show`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('javascript');
    const [, content = ''] = /^show\((.*)\);$/s.exec(body) ?? [];
    const [inner, innerHeaders] = JSON.parse(content) as [number, object];
    expect(inner).toBe(plain.status);
    expect(innerHeaders).toMatchObject({ 'Content-Type': 'application/json' });
  });

  test.each(all)('$name rejects other methods and names its own', async ({ method, path }) => {
    const { status, headers } = await call(`PATCH ${path}`);
    expect(status).toBe(405);
    expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining([method, 'OPTIONS']));
  });
});

describe('reducing responses', () => {
  test.each<[line: string, body: unknown]>([
    ['/questions/5000000001?attributes=id,status', { id: 5_000_000_001, status: 'UNANSWERED' }],
    ['/questions/5000000001?attributes=', expect.objectContaining({ item_id: 'MLA1' })],
    ['/questions/5000000001?attributes=nothing', {}],
    ['/questions/search?seller_id=1&attributes=total', { total: 1 }],
    ['/currencies/ARS?attributes=symbol', { symbol: '$' }],
    ['/currencies?attributes=id&limit=1', expect.arrayContaining([{ id: 'ARS' }])],
    ['/items?ids=MLA1&attributes=status', [{ code: 200, body: { status: 'active' } }]],
    [
      '/items?ids=MLA1,MLA2&attributes=id,status',
      [
        { code: 200, body: { id: 'MLA1', status: 'active' } },
        { code: 200, body: { id: 'MLA2', status: 'paused' } },
      ],
    ],
    ['/users/1/questions_blacklist?attributes=paging', { paging: { total: 0, offset: 0, limit: 50 } }],
    [
      '/currencies/XXX?attributes=status',
      { message: 'Currency XXX does not exist', error: 'not_found', status: 404, cause: [] },
    ],
  ])('GET %s', async (line, body) => {
    expect((await call(`GET ${line}`)).body).toEqual(body);
  });
});

describe('pagination', () => {
  const lists = ['/questions/search?seller_id=1', '/users/1/questions_blacklist?', '/sites/MLA/search?q=item'];
  test.each(lists)('%s takes limit and offset', async (list) => {
    const { status, body } = await call<Record<string, unknown>>(`GET ${list}&limit=1&offset=1`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toMatch(/"limit":1\b/);
  });
  test.each(
    lists.flatMap((list) =>
      ['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=', 'offset=-1', 'offset=x'].map(
        (query) => [list, query] as const,
      ),
    ),
  )('%s rejects %s', async (list, query) => {
    const { status, body } = await call<ErrorBody>(`GET ${list}&${query}`);
    expect(status).toBe(400);
    expect(body.message).toContain(query.split('=')[0]);
  });
  test.each([
    ['limit=0', 'limit is not greater than 0'],
    ['limit=-5', 'limit is not greater than 0'],
    ['limit=1e2', 'invalid limit'],
    ['limit=0x10', 'invalid limit'],
    ['limit=1.5', 'invalid limit'],
    ['limit=', 'invalid limit'],
    ['limit=%2B5', 'invalid limit'],
    ['offset=-1', 'invalid offset'],
    ['offset=1.5', 'invalid offset'],
    ['offset=', 'invalid offset'],
  ])('a conversation rejects %s with "%s"', async (query, message) => {
    const { status, body } = await call(`GET /messages/packs/900/sellers/1?tag=post_sale&${query}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { message, error: 'bad_request', status: 400 } });
  });
  test('limit shrinks the page, offset moves it, and both combine', async () => {
    for (const text of ['b', 'c', 'd']) {
      marketplace.clock.advance({ minutes: 1 });
      marketplace.ask({ from: { user_id: 2 }, item_id: 'MLA1', text });
    }
    const { body } = await call<{ total: number; questions: { text: string }[] }>(
      'GET /questions/search?seller_id=1&limit=2&offset=1',
    );
    expect([body.total, body.questions.map(({ text }) => text)]).toEqual([4, ['c', 'b']]);
  });
});

describe('sorting a search', () => {
  test.each([
    ['sort_fields=date_created&sort_types=ASC', 200],
    ['sort_fields=item_id,from_id&sort_types=ASC,DESC', 200],
    ['sort_fields=seller_id', 200],
    ['sort_fields=item_id,from_id&sort_types=ASC', 400],
    ['sort_fields=item_id,from_id&sort_types=ASC,DESC,ASC', 400],
    ['sort_types=ASC', 400],
    ['sort_fields=text', 400],
    ['sort_fields=item_id&sort_types=UP', 400],
  ])('by %s is %i', async (query, status) => {
    expect((await call(`GET /questions/search?seller_id=1&${query}`)).status).toBe(status);
  });
});

describe('rules of writing', () => {
  const conversation = '/messages/packs/900/sellers/1?tag=post_sale';
  const fromBuyer = (length: number) => ({
    token: tokens.buyer,
    body: { from: { user_id: 2 }, to: { user_id: 1 }, text: 'x'.repeat(length) },
  });

  test('a buyer writes up to 3500 characters', async () => {
    expect((await call(`POST ${conversation}`, fromBuyer(3500))).status).toBe(200);
    expect(await call(`POST ${conversation}`, fromBuyer(3501))).toMatchObject({
      status: 400,
      body: { message: 'The text is longer than 3500 characters' },
    });
  });

  test.each(['null', '[]', '7', '"x"', '{', ''])('a body of %j is rejected by every write', async (body) => {
    for (const line of [
      'POST /questions',
      'POST /answers',
      'POST /my/questions/hidden',
      'POST /users/1/questions_blacklist',
      `POST ${conversation}`,
    ])
      expect([line, (await call(line, { body })).status]).toEqual([line, 400]);
  });

  test.each([
    ['text', 'GET /questions/5000000001x'],
    ['a negative number', 'GET /questions/-1'],
    ['a fraction', 'GET /questions/1.5'],
    ['text for a user', 'GET /users/me/questions/response_time'],
    ['text for a blocked user', 'DELETE /users/1/questions_blacklist/me'],
  ])('%s is no id', async (_, line) => {
    const { status, body } = await call<ErrorBody>(line);
    expect(status).toBe(400);
    expect(body.message).toMatch(/_id must be an integer$/);
  });

  test('each subscription of an application gets notifications with ids of their own', async () => {
    for (let time = 0; time < 2; time += 1) marketplace.notifications.subscribe({ callback: () => new Response() });
    await call('POST /answers', { body: { question_id: question, text: 'Yes' } });
    await marketplace.notifications.flush();
    expect(new Set(marketplace.notifications.attempts.map(({ id }) => id)).size).toBe(2);
  });
});
