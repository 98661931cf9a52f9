import { InvalidInputError, SellerClient, TimeoutError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { ApiError, ClientOptions, Drift, ItemStatus } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { goldenRequests } from '../support/golden-requests.ts';
import { errorOf, stubbed, receiving } from '../support/stubs.ts';

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

test.each<[unknown, object]>([
  [{ status: 'active' }, { status: 'active' }],
  [
    { code: 200, body: { id: 'A', status: 'closed', sub_status: [] } },
    { status: 'closed', sub_status: [], code: 200 },
  ],
  [
    { code: 404, body: { message: 'no', error: 'not_found', status: 404 } },
    { error: 'not_found', code: 404, message: 'no' },
  ],
  [
    { id: 'A', status_code: 403, error: { message: 'no' } },
    { code: 403, message: 'no' },
  ],
  ['paused', { status: 'paused' }],
  [{ code: 500, body: null }, { code: 500 }],
  [
    { code: 404, body: 'not here' },
    { code: 404, message: 'not here' },
  ],
  [
    { status: 404, message: 'gone' },
    { code: 404, message: 'gone' },
  ],
])('the only entry %j is that of the only item', async (entry, expected) => {
  const { sellerClient, sent } = answering([entry]);
  const [found, ...others] = await sellerClient.items.status({ ids: ['A'] });
  expect(found).toMatchObject({ id: 'A', ...expected });
  expect(others).toEqual([]);
  if (!('status' in expected)) expect(found).not.toHaveProperty('status');
  expect(sent[0]).toBe('GET /items?attributes=id%2Cstatus&ids=A');
});

test('a number that is no status of HTTP is not taken for one', async () => {
  for (const [status, code] of [
    [99, undefined],
    [100, 100],
    [599, 599],
    [600, undefined],
    [404.5, undefined],
  ]) {
    const { sellerClient } = answering([{ status, message: 'no' }]);
    expect((await sellerClient.items.status({ ids: ['A'] }))[0]?.code).toBe(code);
  }
});

test.each([
  [404, { code: 404, body: { code: 'item_not_found', message: 'no', status: 400 } }, { message: 'no' }],
  [403, { status_code: 403, body: { code: 1001, status: 'paused' } }, { status: 'paused' }],
  [200, { code: '200', body: { code: 'x', status: 'active' } }, { status: 'active' }],
  [404, { code: 'item_not_found', status: 404, message: 'no' }, { message: 'no' }],
  [500, { code: 500, body: { status: 200, message: 'no' } }, { message: 'no' }],
  [404, { status_code: 404 }, {}],
  [404, { status_code: 404, body: { message: 'no' } }, { message: 'no' }],
  [404, { code: '404', body: 'no' }, {}],
  [500, { status_code: 500, body: null }, {}],
])('the code is %i, that of HTTP, whatever code the body has: %j', async (code, entry, rest) => {
  const { sellerClient } = answering([entry]);
  const [found] = await sellerClient.items.status({ ids: ['A'] });
  expect(found).toMatchObject({ id: 'A', code, ...rest });
  if (!('status' in rest)) expect(found).not.toHaveProperty('status');
});

test('a successor that names no item either is not what is asked from then on', async () => {
  let isEmpty = true;
  const { sellerClient, sent } = responding(({ pathname }) =>
    Response.json(pathname === '/items' && !isEmpty ? [{ id: 'A', status: 'active' }] : []),
  );
  await sellerClient.items.status({ ids: ['A'] });
  isEmpty = false;
  expect(await sellerClient.items.status({ ids: ['A'] })).toEqual([{ id: 'A', status: 'active' }]);
  expect(sent.map(({ url }) => new URL(url).pathname).at(-1)).toBe('/items');
});

describe.each([301, 307, 400, 403, 404, 405, 410, 426])('after the service has ended the path, with %i', (status) => {
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

  test('its successor is asked, and from then on at once', async () => {
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
    const bulk = ['/items/bulk body.id,body.status 3', '/items/bulk undefined 1'];
    expect(paths()).toEqual(['/items id,status 3', ...bulk]);
    expect(await client.items.status({ ids: asked })).toMatchObject(expected);
    expect(paths().slice(3)).toEqual(bulk);
  });

  test('20 items are asked for at a time, none twice', async () => {
    const { ids, paths, client } = ended(45);
    const found = await client.items.status({ ids: [...ids, ...ids.slice(0, 5)] });
    expect(found.map(({ id }) => id)).toEqual([...ids, ...ids.slice(0, 5)]);
    const bulk = '/items/bulk body.id,body.status';
    expect(paths()).toEqual(['/items id,status 20', `${bulk} 20`, `${bulk} 20`, `${bulk} 5`]);
  });

  test.each([400, 403, 404, 410])('and its successor with %i, the first error is thrown, each time', async (later) => {
    const { sellerClient, sent } = responding(({ pathname }) =>
      Response.json({ message: pathname }, { status: pathname === '/items' ? status : later }),
    );
    for (const times of [1, 2]) {
      const error = await errorOf<ApiError>(sellerClient.items.status({ ids: ['A'] }));
      expect(error).toMatchObject({ status, body: { message: '/items' } });
      expect(sent).toHaveLength(2 * times);
    }
  });

  test.each([401, 429, 500])('%i of its successor is thrown, and the older path is asked again', async (later) => {
    const { sellerClient, sent } = responding(({ pathname }) =>
      Response.json({ message: 'no' }, { status: pathname === '/items' ? status : later }),
    );
    for (const times of [1, 2]) {
      expect(await errorOf(sellerClient.items.status({ ids: ['A'] }))).toMatchObject({ status: later });
      expect(sent).toHaveLength(2 * times);
    }
  });
});

test.each([401, 408, 409, 429, 500, 501, 503])('%i does not say that the path has ended', async (status) => {
  const { sellerClient, sent } = responding(() => Response.json({ message: 'no' }, { status }));
  expect(await errorOf(sellerClient.items.status({ ids: ['A'] }))).toMatchObject({ status });
  expect(sent).toHaveLength(1);
});

test('an HTML page with 403 leads to the successor as well', async () => {
  const { sellerClient } = responding(({ pathname }) =>
    pathname === '/items'
      ? new Response('<html>Forbidden</html>', { status: 403, headers: { 'content-type': 'text/html' } })
      : Response.json([{ status_code: 200, body: { id: 'A', status: 'active' } }]),
  );
  expect(await sellerClient.items.status({ ids: ['A'] })).toMatchObject([{ id: 'A', status: 'active', code: 200 }]);
});

describe('an empty list in place of the items', () => {
  test('leads to the successor, and from then on at once', async () => {
    const { sellerClient, sent } = responding(({ pathname }) =>
      Response.json(pathname === '/items' ? [] : [{ status_code: 200, body: { id: 'A', status: 'active' } }]),
    );
    for (const times of [1, 2]) {
      expect(await sellerClient.items.status({ ids: ['A'] })).toMatchObject([{ id: 'A', status: 'active' }]);
      expect(sent).toHaveLength(1 + times);
    }
  });

  test.each([404, 403])(
    'is all that is known if the successor answers %i: the item is told as drift',
    async (status) => {
      const drifts: Drift[] = [];
      const { sellerClient } = responding(
        ({ pathname }) => (pathname === '/items' ? Response.json([]) : Response.json({}, { status })),
        { onDrift: (drift) => drifts.push(drift) },
      );
      expect(await sellerClient.items.status({ ids: ['A', 'B'] })).toEqual([{ id: 'A' }, { id: 'B' }]);
      expect(drifts.map(({ endpoint, path }) => [endpoint.name, ...path])).toEqual([
        ['items.status', 0],
        ['items.status', 1],
      ]);
    },
  );
});

describe.each(['/items', '/items/bulk'])('the answers of %s', (path) => {
  const ended = path === '/items/bulk';

  /** A client of a marketplace that answers in any order, with 12 items of each status and 3 that nobody knows. */
  function marketplaceInAnyOrder(settings: Partial<FakeMarketplace['settings']>) {
    const marketplace = new FakeMarketplace();
    Object.assign(marketplace.settings, { itemOrder: 'any', ...settings });
    const user = marketplace.addUser();
    if (ended) marketplace.faults.inject({ endpoint: 'items.status', status: 410, times: Infinity });
    const statuses = ['active', 'paused', 'closed'] as const;
    const known = Array.from({ length: 36 }, (_, index) => {
      const status = statuses[index % 3]!;
      const { item_id: id } = marketplace.addItem({ seller_id: user.user_id, status });
      return { id, status };
    });
    const drifts: Drift[] = [];
    const client = marketplace.clientFor(user, { onDrift: (drift) => drifts.push(drift) });
    return { client, known, drifts };
  }

  test.each([{}, { bulkEntries: 'selected' as const }, { itemStatusShape: 'bare' as const }])(
    'are those of the items that they name, in any order, with the settings %j',
    async (settings) => {
      const { client, known, drifts } = marketplaceInAnyOrder(settings);
      const unknown = ['MLA1', 'MLA2', 'MLA3'];
      const ids = known.flatMap(({ id }, index) => (index % 12 === 5 ? [id, unknown[(index - 5) / 12]!] : [id]));
      const expected = ids.map((id) => known.find((each) => each.id === id) ?? { id, code: 404 });
      for (let round = 0; round < 3; round += 1) {
        const found = await client.items.status({ ids });
        if (settings.itemStatusShape === 'bare' && !ended) {
          // Items that nobody knows are not in such a list.
          expect(found).toEqual(expected.map(({ id, ...rest }) => ({ id, ...('status' in rest && rest) })));
          expect(drifts.splice(0)).toHaveLength(3);
        } else {
          expect(found).toMatchObject(expected);
          for (const [index, each] of found.entries())
            if ('code' in expected[index]!) expect(each).not.toHaveProperty('status');
        }
      }
      expect(drifts).toEqual([]);
    },
  );

  const entry = (id: string, status: string): object =>
    ended ? { status_code: 200, body: { id, status } } : { id, status };
  /** A client of a service whose answers with and without `attributes` differ. */
  function inTwoSteps(selected: unknown, whole: unknown) {
    const asked: string[] = [];
    const drifts: unknown[] = [];
    const { sellerClient } = responding(
      ({ pathname, searchParams }) => {
        if (pathname !== path) return Response.json({}, { status: 410 });
        asked.push(`${searchParams.get('ids')} ${searchParams.get('attributes')}`);
        return Response.json(searchParams.has('attributes') ? selected : whole);
      },
      { onDrift: (drift) => drifts.push(drift.path) },
    );
    const attributes = ended ? 'body.id,body.status' : 'id,status';
    return { client: sellerClient, asked, drifts, attributes };
  }

  test('name each item in the order C, A, B', async () => {
    const { client, asked, attributes } = inTwoSteps(
      [entry('C', 'closed'), entry('A', 'active'), entry('B', 'paused')],
      'not asked for',
    );
    const found = await client.items.status({ ids: ['A', 'B', 'C'] });
    expect(found.map(({ id, status }) => [id, status])).toEqual([
      ['A', 'active'],
      ['B', 'paused'],
      ['C', 'closed'],
    ]);
    expect(asked).toEqual([`A,B,C ${attributes}`]);
  });

  test('in letters of another case are those of the same item', async () => {
    const { client } = inTwoSteps([entry('MLA2', 'paused'), entry('MLA1', 'active')], []);
    expect(await client.items.status({ ids: ['mla1', 'MLA2', 'MLA1'] })).toMatchObject([
      { status: 'active' },
      { status: 'paused' },
      { status: 'active' },
    ]);
  });

  const paused = entry('B', 'paused');
  const onlyB = { A: {}, B: { status: 'paused' }, C: {} };
  const outOfPlace = [[0], [2]];
  const code = (status_code: number): object => ({ status_code });
  /** What is found of the items A, B and C. */
  type Found = Readonly<Record<'A' | 'B' | 'C', { code?: number; message?: string; status?: string }>>;
  test.each<[string, unknown[], unknown[], Found, unknown[]]>([
    [
      'which the second answer names',
      [paused, {}, {}],
      [
        { id: 'C', status_code: 403, error: { message: 'no' } },
        { id: 'A', status_code: 404, error: { message: 'gone' } },
      ],
      { ...onlyB, A: { code: 404, message: 'gone' }, C: { code: 403, message: 'no' } },
      [],
    ],
    [
      'whose entries all say one code',
      [code(404), paused, code(404)],
      [code(404), code(404)],
      { ...onlyB, A: { code: 404 }, C: { code: 404 } },
      [],
    ],
    [
      'of which the second answer names one',
      [paused, {}, {}],
      [code(403), entry('C', 'closed')],
      { ...onlyB, A: { code: 403 }, C: { status: 'closed' } },
      [],
    ],
    ['whose entries say two codes', [code(404), paused, code(403)], [code(403), code(404)], onlyB, outOfPlace],
    ['whose entries all say 200', [code(200), paused, code(200)], [code(200), code(200)], onlyB, outOfPlace],
    ['of which there are more than entries', [code(404), paused], [code(404)], onlyB, outOfPlace],
    [
      'whose entries have a status',
      [{ status: 'active' }, paused, { status: 'closed' }],
      [{ status: 'active' }, { status: 'closed' }],
      onlyB,
      outOfPlace,
    ],
    [
      'which the second answer does not name',
      [paused],
      [entry('X', 'active'), entry('Y', 'closed')],
      onlyB,
      outOfPlace,
    ],
  ])('leave items without a name, %s', async (_, selected, whole, expected, drifts) => {
    const { client, asked, drifts: told, attributes } = inTwoSteps(selected, whole);
    const found = await client.items.status({ ids: ['A', 'B', 'C'] });
    expect(found).toMatchObject(Object.entries(expected).map(([id, each]) => ({ id, ...each })));
    for (const [index, each] of Object.values(expected).entries())
      for (const name of ['status', 'code'] as const)
        if (!(name in each) && !('status' in each)) expect(found[index]).not.toHaveProperty(name);
    expect(asked).toEqual([`A,B,C ${attributes}`, 'A,C null']);
    expect(told).toEqual(drifts);
  });

  test.each([1, 2])('that are 403 for every one of %i are asked for once more', async (length) => {
    const ids = ['A', 'B'].slice(0, length);
    const { client, asked, attributes } = inTwoSteps(
      ids.map(() => ({ status_code: 403 })),
      ids.map((id) => ({ id, status_code: 200, body: { id, status: 'active' } })),
    );
    expect(await client.items.status({ ids })).toMatchObject(ids.map((id) => ({ id, status: 'active', code: 200 })));
    expect(asked).toEqual([`${ids.join()} ${attributes}`, `${ids.join()} null`]);
    const { client: rejected } = inTwoSteps(
      ids.map(() => ({ status_code: 403 })),
      ids.map(() => ({ status_code: 403 })),
    );
    expect(await rejected.items.status({ ids })).toMatchObject(ids.map((id) => ({ id, code: 403 })));
  });

  test('with an empty entry for the only item are asked for once more', async () => {
    const { client } = inTwoSteps([{}], [{ id: 'A', status_code: 404, error: { message: 'gone' } }]);
    expect(await client.items.status({ ids: ['A'] })).toMatchObject([{ id: 'A', code: 404, message: 'gone' }]);
  });

  test('about an item that was not asked for belong to another request', async () => {
    const { client } = inTwoSteps([entry('X', 'active')], []);
    expect(await errorOf(client.items.status({ ids: ['A'] }))).toBeInstanceOf(UnexpectedResponseError);
  });
});

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
      const asked = searchParams.get('ids')!.split(',');
      return Response.json(asked.map((id) => ({ id, status: 'active' })));
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
  'the entry %j is neither form: it is reported, and is that of no other item',
  async (entry) => {
    const drifts: unknown[] = [];
    const { sellerClient } = answering([entry, { id: 'B', status: 'active' }], (drift) => drifts.push(drift.path));
    expect(await sellerClient.items.status({ ids: ['A', 'B'] })).toEqual([{ id: 'A' }, { id: 'B', status: 'active' }]);
    expect(drifts).toEqual([[0, 'status'], [0, 'status'], [0]]);
    const { sellerClient: alone } = answering([entry]);
    expect(await alone.items.status({ ids: ['A'] })).toMatchObject([{ id: 'A', status: entry }]);
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
    fetch: receiving(async (request) => {
      const { pathname, search } = new URL(request.url);
      sent.push(`${request.method} ${pathname}${search}`);
      return Response.json(body);
    }),
  });
  return { sellerClient, sent };
}

// The specification shows PUT for the status of items and calls it into question; the service takes GET.
goldenRequests<typeof endpoints.items>({
  status: {
    call: (client) => client.items.status({ ids: ['MLA100', 'MLA200'] }),
    request: ['GET /items?attributes=id%2Cstatus&ids=MLA100%2CMLA200'],
  },
});
