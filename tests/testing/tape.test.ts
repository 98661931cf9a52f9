import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/testing/server.js';
import { createRecorder } from '../../src/testing/tape/recorder.js';
import { reportOf } from '../../src/testing/tape/report.js';
import { callersOf, startIds } from '../../src/testing/tape/start-ids.js';
import type { TapeExchange } from '../../src/testing/tape/tape.js';
import { isSame, verifyTape } from '../../src/testing/tape/verify.js';
import type { Verified } from '../../src/testing/tape/verify.js';

/** Records requests to a service that responds in this way. */
async function recorded(
  respond: (request: Request) => Response | Promise<Response>,
  ...requests: Request[]
): Promise<{ tape: TapeExchange[]; received: Response[] }> {
  const tape: TapeExchange[] = [];
  const { url, close } = await listen(async (request) => respond(request), {});
  onTestFinished(close);
  const record = createRecorder(`${url}/`, (exchange) => void tape.push(exchange));
  const received: Response[] = [];
  for (const request of requests) received.push(await record(request));
  return { tape, received };
}

const asked = (path: string, init: RequestInit = {}): Request => new Request(`http://proxy.test${path}`, init);
const posted = (body: unknown, headers: Record<string, string> = {}): Request =>
  asked('/questions', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers });

describe('a tape has nothing of a person', () => {
  test.each<[object, object]>([
    [{ text: 'Hola,\tAna 😀' }, { text: 'xxxxx\txxx x' }],
    [{ text: { plain: 'Hi' } }, { text: { plain: 'xx' } }],
    [{ text: '' }, { text: '' }],
    [
      { first_name: 'Ana', nickname: 'ANA_1' },
      { first_name: 'xxx', nickname: 'xxxxx' },
    ],
    [{ name: ['Ana', 'Luz'] }, { name: ['xxx', 'xxx'] }],
    [
      { access_token: 'abc', refresh_token: 'def' },
      { access_token: '***', refresh_token: '***' },
    ],
    [
      { client_secret: 'abc', code: 'TG-1', code_verifier: 'def' },
      { client_secret: '***', code: '***', code_verifier: '***' },
    ],
    [{ error_code: 'no' }, { error_code: 'no' }],
    [{ note: 'to ana@example.com now' }, { note: 'to ***@*** now' }],
    [{ note: 'call +54 11 5555-4444' }, { note: 'call +00 00 0000-0000' }],
    [{ note: '(011) 5555.4444 or 55554444' }, { note: '(000) 0000.0000 or 55554444' }],
    [{ note: 'APP_USR-500-1-7 and TG-5f-1 of TEST-1' }, { note: '*** and *** of ***' }],
    [
      { id: '2000000012345678', item: 'MLA600000001' },
      { id: '2000000012345678', item: 'MLA600000001' },
    ],
    [{ at: '2026-03-01T10:00:00.000-04:00' }, { at: '2026-03-01T10:00:00.000-04:00' }],
    [{ note: 'since 2026-03-01 10:00' }, { note: 'since 2026-03-01 10:00' }],
    [
      { total: 5555444433, ok: true, none: null },
      { total: 5555444433, ok: true, none: null },
    ],
  ])('%j is written as %j', async (body, written) => {
    const { tape } = await recorded(() => Response.json(body), posted(body));
    expect(tape).toMatchObject([{ request: written, response: written }]);
  });

  test.each([
    ['/questions/search?q=old+lamp&item=MLA1', '/questions/search?q=xxx+xxxx&item=MLA1'],
    ['/questions/search?access_token=APP_USR-1', '/questions/search?access_token=***'],
    ['/users/ana@example.com', '/users/***@***'],
    ['/users/ana@example.com?a=1', '/users/***@***?a=1'],
    ['/questions/5000000001', '/questions/5000000001'],
  ])('the path %s is written as %s', async (path, written) => {
    const { tape } = await recorded(() => Response.json({}), asked(path));
    expect(decodeURIComponent(tape[0]!.path)).toBe(written);
  });

  test('a file, and a body of another type, is left out', async () => {
    const form = new FormData();
    form.set('file', new File(['private'], 'a.txt'));
    const pdf = new Response('private', { headers: { 'content-type': 'application/pdf' } });
    const { tape, received } = await recorded(
      () => pdf,
      asked('/messages/attachments', { method: 'POST', body: form }),
    );
    expect(tape).toMatchObject([{ endpoint: 'messages.upload', request: null, response: null }]);
    expect(await received[0]!.text()).toBe('private');
  });
});

describe('a recorder', () => {
  test('forwards method, headers and body, and returns the response', async () => {
    const respond = async (request: Request): Promise<Response> => {
      const { method, headers, url } = request;
      const { pathname, search } = new URL(url);
      const seen = { method, path: pathname + search, by: headers.get('x-by'), body: await request.text() };
      return Response.json(seen, { status: 418, headers: { 'x-own': 'yes' } });
    };
    const put = asked('/anything?a=1', { method: 'PUT', body: '{"a":1}', headers: { 'x-by': 'me' } });
    const { tape, received } = await recorded(respond, put, asked('/anything'));
    expect(received[0]!.status).toBe(418);
    expect(received[0]!.headers.get('x-own')).toBe('yes');
    expect(await received[0]!.json()).toEqual({ method: 'PUT', path: '/anything?a=1', by: 'me', body: '{"a":1}' });
    expect(tape).toMatchObject([
      { method: 'PUT', path: '/anything?a=1', endpoint: null, caller: null, request: { a: 1 }, status: 418 },
      { method: 'GET', path: '/anything', request: null },
    ]);
  });

  test('names callers in the order in which they came', async () => {
    const by = (token?: string): Request => posted({}, token === undefined ? {} : { authorization: token });
    const { tape } = await recorded(() => Response.json({}), by('b'), by('a'), by(), by('b'));
    expect(tape.map(({ caller }) => caller)).toEqual(['user 1', 'user 2', null, 'user 1']);
  });

  test.each([204, 304])('passes on a %i without a body', async (status) => {
    const { tape, received } = await recorded(() => new Response(null, { status }), asked('/currencies'));
    expect([received[0]!.status, received[0]!.body]).toEqual([status, null]);
    expect(tape).toMatchObject([{ status, response: null }]);
  });

  test('writes a body that is no JSON as a text', async () => {
    const { tape } = await recorded(
      () => new Response('Busy', { headers: { 'content-type': 'text/plain' } }),
      posted('a=1'),
    );
    expect(tape).toMatchObject([{ request: 'a=1', response: 'Busy' }]);
  });

  test('answers 502 for a service that cannot be reached, and writes nothing', async () => {
    const tape: TapeExchange[] = [];
    const response = await createRecorder('http://127.0.0.1:1', (each) => void tape.push(each))(asked('/currencies'));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      error: 'bad_gateway',
      message: expect.stringContaining('cannot be reached') as string,
    });
    expect(tape).toEqual([]);
  });
});

const exchange = (more: Partial<TapeExchange>): TapeExchange => ({
  method: 'GET',
  path: '/currencies',
  endpoint: 'currencies.list',
  caller: null,
  request: null,
  status: 200,
  response: null,
  ...more,
});

/** Replays exchanges on a service with these responses; `asked` is what it got. */
async function replayed(
  tape: TapeExchange[],
  responses: Response[],
  ids = new Map<string, string>(),
): Promise<{ results: Verified[]; asked: Request[] }> {
  const received: Request[] = [];
  const fetch = (request: Request): Promise<Response> => {
    received.push(request);
    return Promise.resolve(responses[received.length - 1] ?? Response.json({}));
  };
  const results = await verifyTape(tape, { fetch, tokenOf: (caller) => `token of ${caller}`, ids });
  return { results, asked: received };
}

describe('a response of the fake is compared with the one on the tape', () => {
  const same = { missing: [], extra: [], retyped: [] };
  test.each<[unknown, unknown, object]>([
    [{ a: 1 }, { a: 2 }, same],
    [{ a: 1, b: 2 }, { a: 1 }, { missing: ['b'] }],
    [{ a: 1 }, { a: 1, b: { c: 1 } }, { extra: ['b', 'b.c'] }],
    [{ a: 1 }, { a: '1' }, { retyped: ['a: string, not number'] }],
    [{ a: [1, 'x'] }, { a: [true] }, { retyped: ['a[]: boolean, not number or string'] }],
    [{ a: [{ b: 1 }, { c: 1 }] }, { a: [{ b: 1, c: 1 }] }, same],
    [{ a: { b: 1 } }, { a: null }, same],
    [{ a: null }, { a: { b: 1 } }, same],
    [{ a: [{ b: { c: 1 } }] }, { a: [] }, same],
    [{ a: [] }, { a: [{ b: 1 }] }, same],
    [[], [{ b: 1 }], same],
    [{ a: {} }, { a: [] }, { retyped: ['a: list, not object'] }],
    ['a', { a: 1 }, { extra: ['a'], retyped: [': object, not string'] }],
  ])('%j and %j', async (expected, actual, differences) => {
    const { results } = await replayed([exchange({ response: expected })], [Response.json(actual)]);
    expect(results[0]).toMatchObject({ ...same, ...differences });
    expect(results.every(isSame)).toBe(differences === same);
  });

  test('with another status only the status and the code count', async () => {
    const failed = Response.json({ error: 'forbidden', status: 403 }, { status: 403 });
    const { results } = await replayed([exchange({ response: [{ id: 'ARS' }] })], [failed]);
    expect(results).toMatchObject([
      { ...same, status: { expected: 200, actual: 403 }, code: { expected: null, actual: 'forbidden' } },
    ]);
    expect(reportOf(results)).toBe(
      'differs  currencies.list  0/1\n  status 403, not 200\n  code forbidden, not none\n0 of 1 exchanges are the same.',
    );
  });

  test('a code is in `error` or in `code`, and only of an error', async () => {
    const codes = async (status: number, body: unknown): Promise<Verified['code'] | undefined> => {
      const { results } = await replayed([exchange({ status, response: body })], [Response.json(body, { status })]);
      return results[0]?.code;
    };
    expect(await codes(400, { error: 'a', code: 'b' })).toEqual({ expected: 'a', actual: 'a' });
    expect(await codes(400, { error: {}, code: 'b' })).toEqual({ expected: 'b', actual: 'b' });
    for (const [status, body] of [
      [200, { error: 'a' }],
      [400, { error: 1, code: 2 }],
      [400, 'a'],
      [400, null],
    ] as const)
      expect(await codes(status, body)).toEqual({ expected: null, actual: null });
  });

  test('a report has a line per endpoint, in order, with each difference once', async () => {
    const unknown = { endpoint: null, method: 'POST', path: '/nowhere?a=1', request: 'a', response: { b: 1 } };
    const { results } = await replayed(
      [exchange({ response: {} }), exchange(unknown), exchange(unknown), exchange({ response: {} })],
      [Response.json({}), Response.json({ b: 'x' }), Response.json({ b: 'x' }), Response.json({ c: 1 })],
    );
    expect(reportOf(results)).toBe(
      [
        'differs  POST /nowhere  0/2',
        '  retyped b: string, not number',
        'differs  currencies.list  1/2',
        '  extra c',
        '1 of 4 exchanges are the same.',
      ].join('\n'),
    );
  });
});

describe('a replayed request', () => {
  test('has the method, the token of its caller and its body', async () => {
    const { asked: sent } = await replayed(
      [
        exchange({ method: 'POST', path: '/answers', caller: 'user 1', request: { text: 'Hi' } }),
        exchange({ method: 'POST', request: 'plain' }),
        exchange({ method: 'GET', request: { a: 1 } }),
      ],
      [],
    );
    expect(sent.map(({ method, url }) => [method, new URL(url).pathname])).toEqual([
      ['POST', '/answers'],
      ['POST', '/currencies'],
      ['GET', '/currencies'],
    ]);
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer token of user 1', null, null]);
    expect(await Promise.all(sent.map((each) => each.text()))).toEqual(['{"text":"Hi"}', 'plain', '']);
    expect(sent.map(({ headers }) => headers.get('content-type'))).toEqual(Array(3).fill('application/json'));
  });

  test('has the ids of the fake, which are learnt from its responses', async () => {
    const { asked: sent } = await replayed(
      [
        exchange({
          path: '/users/700/items',
          response: { id: 5001, total: 50, rows: [{ item_id: 'MLA111' }], note: '9999' },
        }),
        exchange({
          path: '/questions/5001?item=MLA111&total=50&user=700,5001',
          method: 'POST',
          request: { question_id: 5001, deep: [{ item: 'MLA111' }], note: '9999', total: 50, ok: true },
        }),
        exchange({ response: { id: 6001 } }),
        exchange({ path: '/questions/5001' }),
      ],
      [
        Response.json({ id: 9001, total: 60, rows: [{ item_id: 'MLA222' }], note: '8888' }),
        Response.json({}),
        Response.json({ id: 12 }),
        Response.json({}),
      ],
      new Map([['700', '800']]),
    );
    const paths = sent.map(({ url }) => url.replace('https://marketplace.test', ''));
    expect(paths).toEqual([
      '/users/800/items',
      '/questions/9001?item=MLA222&total=50&user=800,9001',
      '/currencies',
      '/questions/9001',
    ]);
    expect(await sent[1]!.json()).toEqual({
      question_id: 9001,
      deep: [{ item: 'MLA222' }],
      note: '9999',
      total: 50,
      ok: true,
    });
  });
});

describe('what a tape asks for at first stands for what the fake has', () => {
  /** Seller 10 with two items, a sale and a subscription; buyer 11 has asked two questions, the first one answered. */
  function market(): { marketplace: FakeMarketplace; questions: number[]; service_id: number; shipment: number } {
    const marketplace = new FakeMarketplace();
    marketplace.addUser({ user_id: 11 });
    marketplace.addUser({ user_id: 10 });
    for (const item_id of ['MLA901', 'MLA902']) marketplace.addItem({ item_id, seller_id: 10 });
    const questions = ['A?', 'B?'].map(
      (text) => marketplace.ask({ from: { user_id: 11 }, item_id: 'MLA901', text }).id,
    );
    marketplace.questions.answer(questions[0]!, 'Yes.');
    marketplace.addPack({ pack_id: 900, seller_id: 10, buyer_id: 11 });
    const { service_id } = marketplace.flex.subscribe({ user_id: 10 });
    return { marketplace, questions, service_id, shipment: marketplace.flex.ship({ user_id: 10 }) };
  }

  test('in order: sellers first, and open questions first', () => {
    const { marketplace, questions, service_id, shipment } = market();
    const tape = [
      exchange({ path: '/users/71/items' }),
      exchange({ path: '/questions/search?seller_id=72' }),
      exchange({ path: '/items/MLB1?x=1' }),
      exchange({ path: '/questions/search?item=MLB2' }),
      exchange({ path: '/questions/501' }),
      exchange({ method: 'POST', path: '/answers', request: { question_id: 502 } }),
      exchange({ path: '/messages/packs/601/sellers/71' }),
      exchange({ path: '/flex/services/801/configuration' }),
      exchange({ path: '/flex/shipments/7001' }),
    ];
    expect(Object.fromEntries(startIds(tape, marketplace))).toEqual({
      71: '10',
      72: '11',
      MLB1: 'MLA901',
      MLB2: 'MLA902',
      501: String(questions[1]),
      502: String(questions[0]),
      601: '900',
      801: String(service_id),
      7001: String(shipment),
    });
  });

  test('except ids that the fake has, that a response has named before, or that are too many', () => {
    const { marketplace } = market();
    const tape = [
      exchange({ path: '/items/MLA902', response: { id: 'MLB7' } }),
      exchange({ path: '/items/MLB7' }),
      exchange({ path: '/items/MLB8' }),
      exchange({ path: '/items/MLB9' }),
    ];
    expect(Object.fromEntries(startIds(tape, marketplace))).toEqual({ MLB8: 'MLA901' });
  });

  test('a caller is the user whose resources it reads, otherwise one that is left', () => {
    const own = (caller: string, seller_id: number, status = 200): TapeExchange =>
      exchange({ caller, path: `/questions/search?seller_id=${seller_id}`, status });
    const ids = new Map([['70', '10']]);
    const callers = (...tape: TapeExchange[]): unknown => Object.fromEntries(callersOf(tape, ids, [11, 10]));
    expect(callers(own('user 1', 70), exchange({ caller: 'user 2' }), exchange({}))).toEqual({
      'user 1': 10,
      'user 2': 11,
    });
    expect(callers(exchange({ caller: 'user 1' }), own('user 2', 11))).toEqual({ 'user 1': 10, 'user 2': 11 });
    // What it may not read is not its own.
    expect(callers(own('user 1', 70, 403), own('user 2', 70))).toEqual({ 'user 1': 11, 'user 2': 10 });
    expect(callers(own('user 1', 70), own('user 2', 70), own('user 3', 70))).toEqual({
      'user 1': 10,
      'user 2': 11,
      'user 3': 11,
    });
  });
});
