import { ServerError, documentedError } from 'marketplace-seller-sdk';
import { FakeMarketplace, FakeMarketplaceError, marketplaceMatchers } from 'marketplace-seller-sdk/testing';
import type { Fault } from 'marketplace-seller-sdk/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { endpoints } from '../../src/endpoints.js';
import { createMarketplace } from '../support/marketplace.ts';

expect.extend(marketplaceMatchers);
declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    toHaveReceived(filter: Parameters<typeof marketplaceMatchers.toHaveReceived>[1]): R;
    toHaveReceivedTimes(times: number, filter?: Parameters<typeof marketplaceMatchers.toHaveReceivedTimes>[2]): R;
  }
}

describe('a sale with its messages', () => {
  const [seller_id, buyer_id] = [7, 31];
  const arranged = (): FakeMarketplace => {
    const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
    for (const user_id of [seller_id, buyer_id]) marketplace.addUser({ user_id });
    return marketplace;
  };

  test.each([{}, { pack_id: null, order_ids: [42] }, { pack_id: '12345678901234567890' }])(
    'is added in one step, and its id is enough to find them: %j',
    async (ids) => {
      const marketplace = arranged();
      const pack = marketplace.addPack({
        ...{ seller_id, buyer_id, ...ids },
        messages: [
          { from: 'buyer', text: 'Where is it?', sent_at: '2026-03-01T12:00:00Z' },
          { from: 'seller', text: 'On its way.' },
        ],
      });
      const pack_id = pack.pack_id ?? 42;
      const found = marketplace.messages.of({ pack_id });
      expect(found.map(({ from, text }) => [from, text])).toEqual([
        [buyer_id, 'Where is it?'],
        [seller_id, 'On its way.'],
      ]);
      expect(found.map(({ sentAt }) => marketplace.clock.ms - sentAt)).toEqual([86_400_000, 0]);
      expect(marketplace.messages.of(pack)).toEqual(found);
      expect(marketplace.messages.of({ pack_id: String(pack_id) })).toEqual(found);
      const seen = marketplace.clientFor({ user_id: seller_id }).messages.conversation({ pack_id, user_id: seller_id });
      expect(await seen.toArray()).toHaveLength(2);
    },
  );

  test('is announced as the messages that are added later are', () => {
    const marketplace = arranged();
    const topics: string[] = [];
    marketplace.events.on(({ topic }) => void topics.push(topic));
    marketplace.addPack({ seller_id, buyer_id, messages: [{ from: 'buyer', text: 'Hello' }] });
    expect(topics).toEqual(['orders_v2', 'messages']);
  });

  test.each<[object[], string]>([
    [
      [
        { from: 'buyer', text: 'a' },
        { from: 'agent', text: 'b' },
      ],
      '`messages.1.from` takes',
    ],
    [[{ from: 'buyer' }], '`messages.0.text`'],
    [[{ from: 'buyer', text: 'a', sent_at: 'noon' }], '`messages.0.sent_at`'],
    [[{ from: 'buyer', text: 'x'.repeat(3501) }], 'a message has at most 3500 characters'],
  ])('is not added when one of them is wrong: %j', (messages, problem) => {
    const marketplace = arranged();
    let events = 0;
    marketplace.events.on(() => void (events += 1));
    expect(() => marketplace.addPack({ seller_id, buyer_id, messages } as never)).toThrow(problem);
    expect([marketplace.packs.all, marketplace.messages.all, events]).toEqual([[], [], 0]);
  });

  test('that does not exist has no messages to list', () => {
    expect(() => arranged().messages.of({ pack_id: 5 })).toThrow('there is no pack 5');
    expect(() => arranged().messages.of(undefined as never)).toThrow('what addPack() returned, or { pack_id }');
  });
});

describe('a field that is undefined', () => {
  /** As in a program without `exactOptionalPropertyTypes`, whose functions pass on what they were given. */
  const nothing = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, undefined]));
  const [seller_id, buyer_id] = [7, 31];

  /** What a marketplace has after entries were added and changed; `given` are further fields of each step. */
  function content(given: (...names: string[]) => object): unknown {
    const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
    marketplace.addUser({ user_id: seller_id, ...given('nickname', 'site_id') });
    marketplace.addUser({ user_id: buyer_id });
    const { item_id } = marketplace.addItem({ seller_id, ...given('item_id', 'site_id', 'title', 'status') });
    const pack = marketplace.addPack({ seller_id, buyer_id, ...given('pack_id', 'order_ids', 'site_id', 'shipping') });
    const { id } = marketplace.flex.subscribe({
      user_id: seller_id,
      ...given('mode', 'service_id', 'status', 'zones'),
    });
    return [
      marketplace.accounts.all,
      marketplace.items.change(item_id, given('status', 'title')),
      marketplace.packs.change(pack, given('shipping', 'delivered', 'blockedBy')),
      marketplace.flex.configure(id, given('delivery_ranges', 'zones')),
    ];
  }

  test('has its default value when an entry is added, and stays when it is changed', () => {
    expect(content(nothing)).toStrictEqual(content(() => ({})));
  });
});

describe('marketplace.requests', () => {
  test('a request is recorded with its endpoint, body and response', async () => {
    const { marketplace, sellerClient, question_id, seller } = createMarketplace();
    await sellerClient.questions.answer({ question_id, text: 'Yes.' });
    expect(marketplace.requests.last).toMatchObject({
      method: 'POST',
      path: '/answers',
      query: {},
      headers: expect.objectContaining({ authorization: expect.any(String) as string }) as unknown,
      body: { question_id, text: 'Yes.' },
      endpoint: 'questions.answer',
      user_id: seller.user_id,
      response: { status: 200, body: { id: question_id, answer: { text: 'Yes.' } } },
    });
    await sellerClient.questions.search({ seller_id: seller.user_id, limit: 3 }).first();
    expect([...marketplace.requests]).toHaveLength(2);
    expect(marketplace.requests.last?.query).toMatchObject({ limit: '3' });
    marketplace.requests.clear();
    expect(marketplace.requests.all).toEqual([]);
  });

  test('a filter selects by endpoint, method, path, body and user', async () => {
    const { marketplace, sellerClient, question_id, seller } = createMarketplace();
    await sellerClient.questions.answer({ question_id, text: 'Yes.' });
    await sellerClient.questions.get({ question_id });
    const count = (filter: Parameters<typeof marketplace.requests.filter>[0]): number =>
      marketplace.requests.filter(filter).length;
    expect(count({ endpoint: endpoints.questions.answer })).toBe(1);
    expect(count({ endpoint: 'questions.get', method: 'get' })).toBe(1);
    expect(count({ path: '/questions/*' })).toBe(1);
    expect(count({ path: /^[/]answers$/ })).toBe(1);
    expect(count({ body: { text: 'Yes.' } })).toBe(1);
    expect(count({ body: { text: 'No.' } })).toBe(0);
    expect(count({ body: 'Yes' })).toBe(1);
    expect(count({ user_id: seller.user_id })).toBe(2);
    expect(count({ user_id: 1 })).toBe(0);
    expect(() => count({ endpoint: 'questions.anser' })).toThrow('did you mean questions.answer?');
    expect(() => count({ methd: 'GET' } as object)).toThrow(
      'a request filter has no field `methd`; did you mean `method`?',
    );
  });

  test('a broken connection has no response', async () => {
    const { marketplace, sellerClient, question_id } = createMarketplace({ maxRetries: 0 });
    marketplace.faults.inject({ reset: 'before' });
    await expect(sellerClient.questions.get({ question_id })).rejects.toThrow('ECONNRESET');
    expect(marketplace.requests.last).toMatchObject({ endpoint: 'questions.get', response: null });
  });

  test('matchers count requests and list what was received', async () => {
    const { marketplace, sellerClient, question_id } = createMarketplace();
    await sellerClient.questions.get({ question_id });
    expect(marketplace).toHaveReceived({ endpoint: 'questions.get' });
    expect(marketplace).toHaveReceivedTimes(1);
    expect(marketplace).not.toHaveReceived({ endpoint: 'questions.answer' });
    expect(() => expect(marketplace).toHaveReceivedTimes(2, { path: /get/ })).toThrow(
      `expected the marketplace to receive 2 requests with {"path":"/get/"}, not 0\nreceived:\n  GET /questions/${question_id} 200`,
    );
  });
});

describe('seed() and reset()', () => {
  test('a seed adds users, items and questions', () => {
    const marketplace = new FakeMarketplace();
    marketplace.seed({
      users: [{ user_id: 7, token: 'seven' }],
      items: [{ item_id: 'MLA1', seller_id: 7 }],
      faults: [{ status: 503 }],
    });
    expect(marketplace.accounts.bearerOf('seven')?.user_id).toBe(7);
    expect(marketplace.faults.pending).toBe(1);
  });

  test('fields that a seed omits get default values, and others can be null', async () => {
    const marketplace = new FakeMarketplace();
    marketplace.seed({
      users: [{ nickname: 'SHOP', token: 'shop', application_id: null }, {}],
      items: [{ seller_id: 1001 }],
      questions: [{ item_id: 'MLA600000001', from: 1002, text: '😀'.repeat(2000) }],
      packs: [
        { pack_id: null, order_ids: [31, 32], claim_id: 5, shipping_id: null, seller_id: 1001, buyer_id: 1002 },
        { site_id: 'MLB', blockedBy: null, seller_id: 1001, buyer_id: 1002 },
      ],
    });
    expect(marketplace.accounts.bearerOf('shop')).toMatchObject({ user_id: 1001, application_id: null });
    expect(marketplace.questions.all).toHaveLength(1);
    expect(marketplace.packs.getOrThrow(31)).toMatchObject({ pack_id: null, order_ids: [31, 32] });
    expect(marketplace.packs.all).toMatchObject([{ site_id: 'MLA' }, { site_id: 'MLB', blockedBy: null }]);
    const client = marketplace.clientFor({ user_id: 1001 });
    const page = await client.messages.conversation({ pack_id: 31, user_id: 1001 }).pages().next();
    expect(page.value).toMatchObject({ conversation_status: { claim_id: 5, shipping_id: null } });
  });

  test.each([
    [{ questions: [{ item_id: 'MLA2', from: 7, text: '😀'.repeat(2001) }] }, '`questions.0.text`'],
    [{ packs: [{ seller_id: 7, buyer_id: 8, order_ids: [] }], users: [{ user_id: 8 }] }, '`packs.0`: `order_ids` has'],
    [{ users: [{ user_id: 8 }], items: [{ item_id: 'MLA2', seller_id: 99 }] }, '`items.0`: there is no user 99'],
    [{ users: [{ user_id: 8 }], faults: [{ status: 503 }, { status: 42 }] }, '`faults.1`'],
    [{ users: [{ user_id: 8 }], faults: [{ status: 503 }, { status: 503, probability: 5 }] }, '`faults.1`'],
    [
      {
        items: [{ item_id: 'MLA1', seller_id: 7 }],
        questions: [{ item_id: 'MLA1', from: 7, text: 'Is it new?' }],
        faults: [{ status: 503, skip: -1 }],
      },
      '`faults.0`: `skip` must be',
    ],
    [{ now: '2020-01-01T00:00:00Z', users: [{ user_id: 7 }] }, '`users.0`: user 7 already exists'],
    [{ users: [{ user_id: 8, nme: 'x' }] }, '`users.0.nme` is not a field here'],
  ])('an invalid seed adds nothing: %j', async (seed, message) => {
    const marketplace = new FakeMarketplace();
    marketplace.addUser({ user_id: 7 });
    const received: unknown[] = [];
    marketplace.events.on((event) => received.push(event));
    expect(() => marketplace.seed(seed)).toThrow(message);
    expect(() => marketplace.seed(seed)).toThrow(FakeMarketplaceError);
    expect(marketplace.accounts.all).toHaveLength(1);
    expect(marketplace.faults.pending).toBe(0);
    expect(marketplace.clock.isStopped).toBe(false);
    expect(received).toEqual([]);
  });
});

describe('selecting the calls of a fault', () => {
  const statuses = async (fault: Fault, paths: readonly string[]): Promise<number[]> => {
    const marketplace = new FakeMarketplace();
    const token = marketplace.tokenFor(marketplace.addUser({ user_id: 7 }));
    marketplace.faults.inject(fault);
    const results = [];
    for (const path of paths) {
      const headers = { authorization: `Bearer ${token}` };
      results.push((await marketplace.fetch(`${marketplace.baseUrl}${path}`, { headers })).status);
    }
    return results;
  };
  const three = ['/currencies', '/currencies', '/currencies'];

  test.each<[string, Fault, readonly string[], number[]]>([
    ['skip: 2 affects the third call', { status: 503, skip: 2 }, three, [200, 200, 503]],
    [
      'a path selects its calls, and skip counts those',
      { status: 503, skip: 1, match: { path: '/currencies/*' } },
      ['/currencies', '/currencies/ARS', '/currencies/ARS'],
      [200, 200, 503],
    ],
    ['a user selects its calls', { status: 503, match: { user_id: 7 }, times: 9 }, three, [503, 503, 503]],
    ['another user does not match', { status: 503, match: { user_id: 8 } }, three, [200, 200, 200]],
    ['a method selects its calls', { status: 503, match: { method: 'POST' } }, three, [200, 200, 200]],
  ])('%s', async (_, fault, paths, expected) => {
    expect(await statuses(fault, paths)).toEqual(expected);
  });

  test('a text selects the calls that contain it', async () => {
    const { marketplace, sellerClient, question_id } = createMarketplace({ maxRetries: 0 });
    marketplace.faults.inject({ status: 500, match: { body: '"No.' } });
    await expect(sellerClient.questions.answer({ question_id, text: 'No.' })).rejects.toBeInstanceOf(ServerError);
    await sellerClient.questions.answer({ question_id, text: 'Yes.' });
  });

  test('a body selects its calls', async () => {
    const { marketplace, sellerClient, question_id } = createMarketplace({ maxRetries: 0 });
    marketplace.faults.inject({ status: 500, match: { body: { text: 'No.' } } });
    await sellerClient.questions.answer({ question_id, text: 'Yes.' });
    await expect(sellerClient.questions.answer({ question_id, text: 'No.' })).rejects.toBeInstanceOf(ServerError);
  });
});

describe('a rate limit', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    return () => vi.useRealTimers();
  });

  test('calls above the rate are 429 until the second is over, per application', async () => {
    const marketplace = new FakeMarketplace({ limit: { perSecond: 2, retryAfter: true } });
    const first = marketplace.tokenFor(marketplace.addUser());
    const ofSameApplication = marketplace.tokenFor(marketplace.addUser());
    const ofOther = marketplace.tokenFor(marketplace.addUser(), 501);
    const call = (token: string): Promise<Response> =>
      marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers: { authorization: `Bearer ${token}` } });
    expect([(await call(first)).status, (await call(first)).status]).toEqual([200, 200]);
    const limited = await call(first);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await limited.json()).toMatchObject({ error: 'too_many_requests' });
    expect((await call(ofSameApplication)).status).toBe(429);
    expect((await call(ofOther)).status).toBe(200);
    vi.advanceTimersByTime(1000);
    expect((await call(first)).status).toBe(200);
    marketplace.rateLimiter.set(undefined);
    for (let count = 0; count < 5; count += 1) expect((await call(first)).status).toBe(200);
  });

  test.each([
    ['the same', { perMinute: 2 }],
    ['a higher one', { perMinute: 3 }],
    ['of seconds', { perSecond: 2 }],
    ['of users', { perMinute: 2, per: 'user' }],
    ['none before it', undefined],
  ] as const)('a limit that is set anew counts from then on: %s', async (_, other) => {
    const marketplace = new FakeMarketplace({ limit: { perMinute: 2 } });
    const token = marketplace.tokenFor(marketplace.addUser());
    const call = async (): Promise<number> =>
      (await marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect([await call(), await call(), await call()]).toEqual([200, 200, 429]);
    marketplace.rateLimiter.set(other);
    marketplace.rateLimiter.set({ perMinute: 2, ...other });
    expect([await call(), await call()]).toEqual([200, 200]);
    expect(await call()).toBe(other && 'perMinute' in other && other.perMinute === 3 ? 200 : 429);
  });

  test.each([
    ['application', [200, 429, 200, 200]],
    [undefined, [200, 429, 200, 200]],
    ['user', [200, 200, 429, 200]],
  ] as const)('counts per %s', async (per, expected) => {
    const marketplace = new FakeMarketplace({ limit: { perMinute: 1, per } });
    const [first, second] = [marketplace.addUser(), marketplace.addUser()];
    const tokens = [
      marketplace.tokenFor(first),
      marketplace.tokenFor(second),
      marketplace.tokenFor(first, 600),
      marketplace.tokenFor(marketplace.addUser(), null),
    ];
    const statuses = [];
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` };
      statuses.push((await marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers })).status);
    }
    expect(statuses).toEqual(expected);
  });
});

describe('misuse from plain JavaScript', () => {
  const fake = () => new FakeMarketplace();
  test.each<[string, () => unknown, string]>([
    [
      'an unknown option',
      () => new FakeMarketplace({ nw: 1 } as object),
      'the options has no field `nw`; did you mean `now`?',
    ],
    ['an unknown setting', () => new FakeMarketplace({ settings: { cor: true } as object }), 'did you mean `cors`?'],
    [
      'an unknown value of follow',
      () => new FakeMarketplace({ follow: 'me' as 'live' }),
      "`follow` is 'live' or 'documents'",
    ],
    ['an unknown field of a user', () => fake().addUser({ nickame: 'x' } as object), 'did you mean `nickname`?'],
    [
      'an unknown field of a fault',
      () => fake().faults.inject({ statsu: 503 } as never),
      'a fault has no field `statsu`',
    ],
    ...[199, 600, 404.5].map((status): [string, () => unknown, string] => [
      `the status ${status} of a fault`,
      () => fake().faults.inject({ status }),
      `\`status\` is from 200 to 599, not ${status}`,
    ]),
    ['a delay of a fault', () => fake().faults.inject({ delayMs: -1 }), '`delayMs` must be from 0 to'],
    [
      'an unknown party of a rate limit',
      () => new FakeMarketplace({ limit: { perSecond: 1, per: 'me' as never } }),
      '`per` takes "application" or "user"',
    ],
    ['a fault that does nothing', () => fake().faults.inject({}), 'a fault needs `status`'],
    [
      'an unknown endpoint of a fault',
      () => fake().faults.inject({ status: 503, endpoint: { name: 'questions.aks' } as never }),
      'did you mean questions.ask?',
    ],
    [
      'an error status below 400',
      () => fake().failNext(endpoints.questions.ask, documentedError({ status: 200, message: '' })),
      'from 400 to 599',
    ],
    [
      'a message in an unknown pack',
      () => fake().buyerWrites({ pack: { pack_id: 5 } as never, text: 'Hello' }),
      'there is no pack 5',
    ],
    ['an empty rate limit', () => new FakeMarketplace({ limit: {} }), '`limit` needs `perSecond` or `perMinute`'],
    ['a rate of 0', () => new FakeMarketplace({ limit: { perSecond: 0 } }), '`perSecond`: an integer from 1 to 10000'],
  ])('%s is rejected', (_, misuse, message) => {
    expect(misuse).toThrow(message);
    expect(misuse).toThrow(FakeMarketplaceError);
  });
});

test('the error of an invalid seed names an existing page', () => {
  const seeding = (): void => new FakeMarketplace().seed({ items: [{ seller_id: 404 }] });
  expect(seeding).toThrow(FakeMarketplaceError);
  expect(seeding).toThrow(
    expect.objectContaining({ docsPath: 'marketplace-seller-sdk/docs/errors/README.md#fakemarketplaceerror' }),
  );
});

describe('tokens', () => {
  const exchange = async (marketplace: FakeMarketplace, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: '500', client_secret: 'secret', ...fields });
    const response = await marketplace.fetch(`${marketplace.baseUrl}/oauth/token`, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };

  test('an authorization code gives tokens once, and a refresh token gives new ones once', async () => {
    const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
    const { user_id } = marketplace.addUser();
    const code = marketplace.accounts.issueAuthorizationCode(user_id);
    const first = await exchange(marketplace, { grant_type: 'authorization_code', code });
    expect(first).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 21_600, user_id } });
    expect(await exchange(marketplace, { grant_type: 'authorization_code', code })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    const { access_token = '', refresh_token = '' } = first.body;
    expect(marketplace.accounts.bearerOf(access_token)).toMatchObject({ user_id, application_id: 500 });
    marketplace.clock.advance({ hours: 6 });
    expect(marketplace.accounts.bearerOf(access_token)).toBeUndefined();
    const second = await exchange(marketplace, { grant_type: 'refresh_token', refresh_token });
    expect(second.status).toBe(200);
    expect(marketplace.accounts.bearerOf(second.body.access_token ?? '')).toMatchObject({ user_id });
    expect((await exchange(marketplace, { grant_type: 'refresh_token', refresh_token })).status).toBe(400);
  });

  test.each([
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
    [{ grant_type: 'refresh_token' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: '' }, 'invalid_request'],
    [{}, 'invalid_request'],
    [{ grant_type: '' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', refresh_token: 'x', client_id: '' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'me' }, 'invalid_client'],
    [{ grant_type: 'refresh_token', refresh_token: 'x', client_secret: '' }, 'invalid_client'],
  ])('a wrong exchange is 400: %j', async (fields, error) => {
    expect(await exchange(new FakeMarketplace(), fields)).toMatchObject({ status: 400, body: { error, status: 400 } });
  });

  describe('a request to the token endpoint', () => {
    const send = async (path: string, init: RequestInit = {}) => {
      const marketplace = new FakeMarketplace();
      const refresh_token = marketplace.accounts.issueRefreshToken(marketplace.addUser().user_id);
      const form = new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: '500',
        client_secret: 's',
        refresh_token,
      });
      const url = `${marketplace.baseUrl}${path.replace('FORM', form.toString())}`;
      const response = await marketplace.fetch(url, {
        method: 'POST',
        ...(path.includes('FORM') ? {} : { body: form }),
        ...init,
      });
      const body = (await response.json()) as { error?: string; message?: string };
      expect(JSON.stringify(body)).not.toContain(refresh_token);
      return { status: response.status, ...body };
    };

    test('may end in a slash', async () => {
      expect(await send('/oauth/token/')).toMatchObject({ status: 200 });
      expect(await send('/oauth/token?lang=es')).toMatchObject({ status: 200 });
      expect(await send('/oauth/tokens')).toMatchObject({ status: 404 });
    });

    test.each(['/oauth/token?FORM', '/oauth/token/?FORM', '/oauth/token?client_secret=s'])(
      'with parameters in its query says that they belong in the body: %s',
      async (path) => {
        const { error, message, status } = await send(path);
        expect([status, error]).toEqual([400, 'invalid_request']);
        expect(message).toMatch(/^Send \w+ in the body of the request .*not in the query$/);
      },
    );

    test('with a parameter twice is invalid, and so is one that is no POST', async () => {
      const body = new URLSearchParams('grant_type=refresh_token&grant_type=refresh_token');
      expect(await send('/oauth/token', { body })).toMatchObject({ error: 'invalid_request' });
      expect(await send('/oauth/token?FORM', { method: 'GET' })).toMatchObject({ status: 405 });
    });
  });

  test.each(['/questions/1', '/currencies'])('a token in the query is told to be a header: %s', async (path) => {
    const marketplace = new FakeMarketplace();
    const token = marketplace.tokenFor(marketplace.addUser());
    const response = await marketplace.fetch(`${marketplace.baseUrl}${path}?access_token=${token}`);
    const body = (await response.json()) as { message: string };
    expect([response.status, body.message.includes('as a header')]).toEqual([401, true]);
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test('a code is for its application only', async () => {
    const marketplace = new FakeMarketplace();
    const code = marketplace.accounts.issueAuthorizationCode(marketplace.addUser().user_id, 42);
    expect((await exchange(marketplace, { grant_type: 'authorization_code', code })).status).toBe(400);
    const fields = { grant_type: 'authorization_code', code, client_id: '42' };
    expect((await exchange(marketplace, fields)).status).toBe(200);
  });
});
