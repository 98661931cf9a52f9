import { InvalidInputError, SellerClient, TimeoutError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { ApiError, ClientOptions, Drift, ItemStatus } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { goldenRequests } from '../support/golden-requests.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

test('an unknown item does not hide the status of the others', async () => {
  const marketplace = new FakeMarketplace();
  const user = marketplace.addUser();
  const active = marketplace.addItem({ seller_id: user.user_id });
  const paused = marketplace.addItem({ seller_id: user.user_id, status: 'paused' });
  const sellerClient = marketplace.clientFor(user);
  const found = await sellerClient.items.status({ ids: [active.item_id, 'MLA1', paused.item_id] });
  expectTypeOf(found).toEqualTypeOf<ItemStatus[]>();
  expect(found).toMatchObject([
    { id: active.item_id, status: 'active', code: 200 },
    { id: 'MLA1', code: 404, message: 'Item MLA1 does not exist' },
    { id: paused.item_id, status: 'paused', code: 200 },
  ]);
  expect(found[1]).not.toHaveProperty('status');
});

test('a status is read from each known shape', async () => {
  const shapes = [
    { status: 'active' },
    { code: 200, body: { id: 'B', status: 'closed', sub_status: [] } },
    { code: 404, body: { message: 'no', error: 'not_found', status: 404 } },
    'paused',
    null,
    { code: 500, body: null },
    { id: 7, status: 'active' },
    { status: 404, message: 'gone' },
  ];
  const ids = ['A', 'B', 'C', 'D', 'E', 'F', '7', 'H'];
  const { sellerClient, sent } = answering(shapes);
  expect(await sellerClient.items.status({ ids })).toEqual([
    { id: 'A', status: 'active' },
    { id: 'B', status: 'closed', sub_status: [], code: 200 },
    { id: 'C', error: 'not_found', code: 404, message: 'no' },
    { id: 'D', status: 'paused' },
    { id: 'E' },
    { id: 'F', body: null, code: 500 },
    { id: '7', status: 'active' },
    { id: 'H', code: 404, message: 'gone' },
  ]);
  expect(sent).toEqual(['GET /items?attributes=status&ids=A%2CB%2CC%2CD%2CE%2CF%2C7%2CH']);
});

test('a number that is no status of HTTP, and an entry that is only a text, are not taken for a status', async () => {
  const ids = ['A', 'B', 'C', 'D', 'E'];
  const { sellerClient } = answering([99, 100, 599, 600, 404.5].map((status) => ({ status, message: 'no' })));
  const found = await sellerClient.items.status({ ids });
  expect(found.map(({ code }) => code)).toEqual([undefined, 100, 599, undefined, undefined]);
  const { sellerClient: texts } = answering([{ code: 404, body: 'not here' }]);
  expect(await texts.items.status({ ids: ['A'] })).toEqual([{ id: 'A', code: 404, message: 'not here' }]);
});

test.each([
  { status_code: 404 },
  { status_code: 404, body: { message: 'no' } },
  { code: '404', body: 'no' },
  { status_code: 500, body: null },
])('the entry %j has its code, as in either form of the path', async (entry) => {
  const { sellerClient } = answering([entry]);
  const [found] = await sellerClient.items.status({ ids: ['A'] });
  expect(found).toMatchObject({ id: 'A', code: Number(entry.status_code ?? entry.code) });
  expect(found).not.toHaveProperty('status');
});

test.each<[object, object]>([
  [
    { code: 404, body: { code: 'item_not_found', message: 'no', status: 400 } },
    { code: 404, message: 'no' },
  ],
  [
    { status_code: 403, body: { code: 1001, status: 'paused' } },
    { code: 403, status: 'paused' },
  ],
  [
    { code: '200', body: { code: 'x', status: 'active' } },
    { code: 200, status: 'active' },
  ],
  [
    { code: 'item_not_found', status: 404, message: 'no' },
    { code: 404, message: 'no' },
  ],
  [
    { code: 500, body: { status: 200, message: 'no' } },
    { code: 500, message: 'no' },
  ],
])('the code of the entry %j is that of HTTP, whatever code its body has', async (entry, expected) => {
  const { sellerClient } = answering([entry]);
  const [found] = await sellerClient.items.status({ ids: ['A'] });
  expect(found).toMatchObject({ id: 'A', ...expected });
  if (!('status' in expected)) expect(found).not.toHaveProperty('status');
});

describe.each([404, 410])('after the service has ended the path, with %i', (status) => {
  function ended(counts = 2) {
    const marketplace = new FakeMarketplace();
    const user = marketplace.addUser();
    const add = () => marketplace.addItem({ seller_id: user.user_id }).item_id;
    const ids = Array.from({ length: counts }, add);
    marketplace.faults.inject({ endpoint: 'items.status', status, times: Infinity });
    const paths = () =>
      marketplace.requests.all.map(({ path, query }) => `${path} ${query.attributes} ${query.ids?.split(',').length}`);
    return { marketplace, ids, paths, client: marketplace.clientFor(user, { maxRetries: 0 }) };
  }

  test('its successor is asked, by position, and from then on at once', async () => {
    const { marketplace, ids, paths, client } = ended();
    marketplace.items.change(ids[1]!, { status: 'paused' });
    const asked = [ids[1]!, 'MLA1', ids[0]!, ids[1]!];
    const expected = [
      { id: ids[1], status: 'paused', code: 200 },
      { id: 'MLA1', code: 404 },
      { id: ids[0], status: 'active', code: 200 },
      { id: ids[1], status: 'paused', code: 200 },
    ];
    expect(await client.items.status({ ids: asked })).toMatchObject(expected);
    expect(paths()).toEqual(['/items status 3', '/items/bulk body.status 3']);
    expect(await client.items.status({ ids: asked })).toMatchObject(expected);
    expect(paths().slice(2)).toEqual(['/items/bulk body.status 3']);
  });

  test('20 items are asked for at a time, none twice', async () => {
    const { ids, paths, client } = ended(45);
    const found = await client.items.status({ ids: [...ids, ...ids.slice(0, 5)] });
    expect(found.map(({ id }) => id)).toEqual([...ids, ...ids.slice(0, 5)]);
    expect(paths()).toEqual([
      '/items status 20',
      '/items/bulk body.status 20',
      '/items/bulk body.status 20',
      '/items/bulk body.status 5',
    ]);
  });

  test.each([404, 410])('and its successor with %i, the first error is thrown, each time', async (later) => {
    const { sellerClient, sent } = responding(({ pathname }) =>
      Response.json({ message: pathname }, { status: pathname === '/items' ? status : later }),
    );
    for (const times of [1, 2]) {
      const error = await errorOf<ApiError>(sellerClient.items.status({ ids: ['A'] }));
      expect(error).toMatchObject({ status, message: expect.stringContaining('/items') as string });
      expect(error.body).toEqual({ message: '/items' });
      expect(sent).toHaveLength(2 * times);
    }
  });

  test('another error of its successor is thrown, and the older path is asked again', async () => {
    const { sellerClient, sent } = responding(({ pathname }) =>
      Response.json({ message: 'no' }, { status: pathname === '/items' ? status : 403 }),
    );
    for (const times of [1, 2]) {
      expect(await errorOf(sellerClient.items.status({ ids: ['A'] }))).toMatchObject({ status: 403 });
      expect(sent).toHaveLength(2 * times);
    }
  });

  test.each([[[]], [[{ status_code: 200, body: { status: 'active' } }]], [list(3)], [{ results: list(1) }]])(
    'a list of another length than asked is an error: %j',
    async (body) => {
      const { sellerClient } = responding(({ pathname }) =>
        pathname === '/items' ? new Response('', { status }) : Response.json(body),
      );
      const error = await errorOf(sellerClient.items.status({ ids: ['A', 'B'] }));
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toMatch(/the list has \d entr\w+ for 2 items/);
    },
  );
});

/** Entries of the successor. */
function list(length: number): object[] {
  return Array.from({ length }, () => ({ status_code: 200, body: { status: 'active' } }));
}

type OfDeadline = (client: SellerClient, ids: string[]) => PromiseLike<unknown>;

describe.each<[string, Partial<ClientOptions>, OfDeadline]>([
  ['the call', {}, (client, ids) => client.items.status({ ids }, { deadlineMs: 1000 })],
  ['the client', { deadlineMs: 1000 }, (client, ids) => client.items.status({ ids })],
  [
    'the call, not the client',
    { deadlineMs: 700 },
    (client, ids) => client.items.status({ ids }, { deadlineMs: 1000 }),
  ],
  ['a derived client', {}, (client, ids) => client.withOptions({ deadlineMs: 1000 }).items.status({ ids })],
])('the deadline of %s is that of all requests of a list of 200', (_of, options, call) => {
  test.each([
    ['/items', 200],
    ['/items/bulk', 404],
  ])('to %s, each time anew', async (_, status) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { sellerClient, sent } = responding(async ({ pathname, searchParams }) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      if (pathname === '/items' && status === 404) return new Response('', { status });
      const { length } = searchParams.get('ids')!.split(',');
      return Response.json(list(length));
    }, options);
    const ids = Array.from({ length: 200 }, (_each, index) => `MLA${index}`);
    for (const times of [1, 2]) {
      const startedAt = performance.now();
      const error = await advanceUntilSettled(errorOf(call(sellerClient, ids)));
      expect(error).toBeInstanceOf(TimeoutError);
      expect(error.message).toBe('GET /items did not end within its deadline of 1000 ms');
      expect(performance.now() - startedAt).toBe(1000);
      expect(sent).toHaveLength(3 * times);
    }
  });
});

test.each([{ x: 1 }, { message: 'no' }, { error: 'not_found', item: 'A' }])(
  'the entry %j is neither form: it keeps its place and is reported',
  async (entry) => {
    const drifts: unknown[] = [];
    const { sellerClient } = answering([entry, { status: 'active' }], (drift) => drifts.push(drift.path));
    const [found, next] = await sellerClient.items.status({ ids: ['A', 'B'] });
    expect(found).toMatchObject({ id: 'A', status: entry });
    expect(next).toEqual({ id: 'B', status: 'active' });
    expect(drifts).toEqual([[0, 'status']]);
  },
);

test.each([{}, { word: 7 }, { message: 'Try later' }])('the body %j is no list of items', async (body) => {
  const { sellerClient } = answering(body);
  await expect(sellerClient.items.status({ ids: ['A'] })).rejects.toBeInstanceOf(UnexpectedResponseError);
});

test('a list in `results` is read', async () => {
  const { sellerClient } = answering({ results: [{ id: 'A', status: 'active' }] });
  expect(await sellerClient.items.status({ ids: ['A'] })).toEqual([{ id: 'A', status: 'active' }]);
});

test('an entry without an id gets one by its position only when the list is complete', async () => {
  const { sellerClient } = answering([{ status: 'active' }, { id: 'C', status: 'paused' }]);
  expect(await sellerClient.items.status({ ids: ['A', 'B', 'C'] })).toEqual([
    { status: 'active' },
    { id: 'C', status: 'paused' },
  ]);
});

describe.each(['/items', '/items/bulk'])('a list of %s in another order', (path) => {
  const [active, paused, gone] = [{ id: 'A', status: 'active' }, { id: 'B', status: 'paused' }, { code: 404 }];
  test.each([
    [
      [paused, active],
      ['A', 'B'],
    ],
    [
      [paused, gone],
      ['A', 'B'],
    ],
    [
      [gone, active],
      ['A', 'B'],
    ],
    [
      [gone, paused, gone],
      ['A', 'C', 'B'],
    ],
    [
      [active, gone, paused],
      ['A', 'B', 'C'],
    ],
  ])('never names an entry by the place of another one: %j', async (entries, ids) => {
    const { sellerClient } = stubbed([
      ({ url }) => (new URL(url).pathname === path ? Response.json(entries) : Response.json({}, { status: 410 })),
    ]);
    const found = await sellerClient.items.status({ ids });
    expect(found).toHaveLength(entries.length);
    for (const entry of entries) {
      const named =
        'id' in entry ? found.filter(({ id }) => id === entry.id) : found.filter(({ code }) => code === 404);
      expect(named).toContainEqual('id' in entry ? entry : { code: 404 });
      if ('id' in entry) expect(named).toHaveLength(1);
    }
  });
});

test('a single object is read as a list of one', async () => {
  const { sellerClient } = answering({ status: 'active' });
  expect(await sellerClient.items.status({ ids: ['A'] })).toEqual([{ id: 'A', status: 'active' }]);
});

test('an empty list of ids and an id with a comma are not sent', async () => {
  const { sellerClient, sent } = answering([]);
  await expect(sellerClient.items.status({ ids: [] })).rejects.toBeInstanceOf(InvalidInputError);
  await expect(sellerClient.items.status({ ids: ['A', 'B,C'] })).rejects.toThrow('`ids.1` contains a comma');
  expect(sent).toEqual([]);
});

/** A client of a service that answers by the URL. */
function responding(respond: (url: URL) => Response | Promise<Response>, options: Partial<ClientOptions> = {}) {
  return stubbed([({ url }) => respond(new URL(url))], { maxRetries: 0, ...options });
}

/** A client of a service that gives this one answer. */
function answering(body: unknown, onDrift?: (drift: Drift) => void): { sellerClient: SellerClient; sent: string[] } {
  const sent: string[] = [];
  const sellerClient = new SellerClient({
    baseUrl: 'https://api.example.com',
    onDrift,
    fetch: async (request: Request) => {
      const { pathname, search } = new URL(request.url);
      sent.push(`${request.method} ${pathname}${search}`);
      return Response.json(body);
    },
  });
  return { sellerClient, sent };
}

// The specification shows PUT for the status of items and calls it into question; the service takes GET.
goldenRequests<typeof endpoints.items>({
  status: {
    call: (client) => client.items.status({ ids: ['MLA100', 'MLA200'] }),
    request: ['GET /items?attributes=status&ids=MLA100%2CMLA200'],
  },
});
