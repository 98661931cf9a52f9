import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Listening } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { controls } from '../../src/testing/dashboard/controls.js';
import { running } from '../support/serving.ts';
import type { Serving } from '../support/serving.ts';

const token = 'a-control-token-of-the-test';
const open: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.end();
});

async function served(...args: string[]): Promise<string> {
  const serving: Serving = running('fake', '--port', '0', '--quiet', '--control-token', token, ...args);
  open.push(serving);
  return serving.url();
}

interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request with any `Host` and `Origin`, which `fetch` does not allow. */
function send(url: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.once('error', reject);
      response.on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

async function control(url: string, method: string, path: string, body?: unknown): Promise<ReceivedResponse> {
  return send(
    `${url}/__fake/${path}`,
    { 'x-fake-token': token },
    method,
    body === undefined ? '' : JSON.stringify(body),
  );
}

async function stateOf(url: string): Promise<{
  questions: { id: number; text: string; status: string; answer: { text: string } | null }[];
  conversations: { pack: number; blockedBy: string | null; messages: { from: string; text: string }[] }[];
  items: { item_id: string; status: string; flex: boolean }[];
  faults: { status?: number; left: number | null; endpoint: string | null }[];
  users: { user_id: number; token: string | null }[];
}> {
  return JSON.parse((await control(url, 'GET', 'state')).text) as never;
}

describe('the control endpoints for a whole integration', () => {
  test('the OpenAPI document describes every control endpoint', async () => {
    const document = JSON.parse((await control(await served(), 'GET', 'openapi.json')).text) as {
      openapi: string;
      paths: Record<string, Record<string, object>>;
    };
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(document.openapi).toBe('3.1.0');
    expect(described).toEqual(expect.arrayContaining([...Object.keys(controls), 'POST /__fake/reset']));
    expect(document.paths['/__fake/answers']?.post).toMatchObject({
      requestBody: {
        content: {
          'application/json': {
            schema: { properties: { question_id: { type: 'integer' } }, required: ['question_id', 'text'] },
          },
        },
      },
    });
  });

  test('the clock is set, advanced and run', async () => {
    const url = await served();
    const clock = async (body: object): Promise<unknown> =>
      JSON.parse((await control(url, 'POST', 'clock', body)).text);
    expect(await clock({ set: '2026-03-02T12:00:00Z' })).toEqual({ now: '2026-03-02T12:00:00.000Z', running: false });
    expect(await clock({ advanceMs: 1000 })).toEqual({ now: '2026-03-02T12:00:01.000Z', running: false });
    const { now, running } = (await clock({ set: '2030-01-01T00:00:00Z', running: true })) as Record<string, unknown>;
    expect([String(now).slice(0, 16), running]).toEqual(['2030-01-01T00:00', true]);
    expect(await control(url, 'POST', 'clock', { set: 'noon' })).toMatchObject({ status: 400 });
  });

  test('a token is issued, expires and can be refreshed', async () => {
    const url = await served();
    const call = async (token: string): Promise<number> =>
      (await send(`${url}/currencies`, { authorization: `Bearer ${token}` })).status;
    const { token: issued } = JSON.parse((await control(url, 'POST', 'tokens', { user_id: 1001 })).text) as {
      token: string;
    };
    expect(await call(issued)).toBe(200);
    await control(url, 'POST', 'expired-tokens', { token: issued });
    expect(await call(issued)).toBe(401);
    const granted = await control(url, 'POST', 'authorization-codes', { user_id: 1001 });
    const { code } = JSON.parse(granted.text) as { code: string };
    const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: '500', client_secret: 'x', code });
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
    expect(await call(((await response.json()) as { access_token: string }).access_token)).toBe(200);
  });

  test('notifications are subscribed, posted and listed', async () => {
    const url = await served();
    await control(url, 'POST', 'notifications', { callback: 'http://127.0.0.1:1/' });
    await control(url, 'POST', 'questions', { from: 1002, item_id: 'MLA600000002', text: 'Is it new?' });
    expect(JSON.parse((await control(url, 'POST', 'flush')).text)).toEqual({ attempts: 8 });
    expect(JSON.parse((await control(url, 'GET', 'notifications')).text)).toMatchObject({
      attempts: expect.arrayContaining([expect.objectContaining({ outcome: 'unreachable' })]) as unknown,
    });
    await control(url, 'DELETE', 'notifications');
    expect((await control(url, 'GET', 'notifications')).text).toBe(
      '{"isHeld":false,"attempts":[],"scheduled":[],"subscriptions":[]}',
    );
  });

  test('storage breaks, settings and the rate limit change', async () => {
    const url = await served();
    await control(url, 'POST', 'storage', { messagesUnavailable: true });
    const headers = { authorization: 'Bearer SELLER-TOKEN' };
    expect((await send(`${url}/messages/1?tag=post_sale`, headers)).status).toBe(404);
    expect((await control(url, 'POST', 'settings', { capPerOption: 3 })).status).toBe(200);
    expect(await control(url, 'POST', 'settings', { capPerOptoin: 3 })).toMatchObject({
      status: 400,
      text: expect.stringContaining('did you mean `capPerOption`?') as unknown,
    });
    expect((await control(url, 'POST', 'settings', { capPerOption: 'many' })).status).toBe(400);
    await control(url, 'POST', 'limit', { perMinute: 1 });
    expect([(await send(`${url}/currencies`)).status, (await send(`${url}/currencies`)).status]).toEqual([200, 429]);
    await control(url, 'POST', 'limit', {});
    expect((await send(`${url}/currencies`)).status).toBe(200);
  });

  test('Flex subscriptions, shipments and drivers change', async () => {
    const url = await served();
    const { shipment_id } = JSON.parse((await control(url, 'POST', 'shipments', { user_id: 1001 })).text) as {
      shipment_id: number;
    };
    await control(url, 'POST', 'drivers', { shipment_id, driver_id: 9 });
    const headers = { authorization: 'Bearer SELLER-TOKEN' };
    const driver = await send(`${url}/flex/sites/MLA/shipments/${shipment_id}/assignment/v1`, headers);
    expect(driver.text).toBe('{"driver_id":9}');
    await control(url, 'POST', 'flex-items', { item_id: 'MLA600000001', down: true });
    const item = `${url}/sites/MLA/shipping/selfservice/items/MLA600000001`;
    expect((await send(item, headers)).status).toBe(403);
    const subscriptions = `${url}/shipping/flex/sites/MLA/users/1001/subscriptions/v1`;
    const [{ id }] = JSON.parse((await send(subscriptions, headers)).text) as [{ id: number }];
    await control(url, 'POST', 'flex-subscriptions', { id, status: 'out' });
    expect(JSON.parse((await send(subscriptions, headers)).text)).toMatchObject([{ id, status: { id: 'out' } }]);
  });

  test('a request is listed with its headers', async () => {
    const url = await served();
    await send(`${url}/currencies`, { 'x-mine': 'yes' });
    const { requests } = JSON.parse((await control(url, 'GET', 'requests')).text) as { requests: object[] };
    expect(requests).toMatchObject([
      { requestHeaders: { 'x-mine': 'yes' }, responseHeaders: { 'content-type': 'application/json' } },
    ]);
  });
});

describe('access to the dashboard', () => {
  const known = { 'x-fake-token': token };

  test('the dashboard has a strict content security policy and is not cached', async () => {
    const { status, headers, text } = await send(await served());
    expect(status).toBe(200);
    expect(text).toContain(token);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('the files of the dashboard are in the package', async () => {
    const url = await served();
    const files = [...(await send(url)).text.matchAll(/"(\/__fake\/[^"]+)"/g)].map(([, path]) => path ?? '');
    for (const path of files) expect((await send(url + path)).text.length).toBeGreaterThan(500);
    expect(files).toEqual(['/__fake/style.css', '/__fake/main.js']);
  });

  test.each(['/', '/__fake/main.js'])('a foreign host name is rejected: %s', async (path) => {
    const url = await served();
    const { status, text } = await send(url + path, { ...known, host: 'rebound.example' });
    expect(status).toBe(403);
    expect(text).not.toContain(token);
    expect(text).not.toContain('rebound');
  });

  test.each(['localhost:4010', 'app.localhost', '127.0.0.1', '192.168.1.7:4010', '[::1]:4010', 'fake.test:4010'])(
    'an address, localhost or a configured name is accepted: %s',
    async (host) => {
      const url = await served('--allow-host', 'fake.test');
      expect((await send(`${url}/`, { host })).status).toBe(200);
    },
  );

  test.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('another origin is rejected, even with the token: %j', async (headers) => {
    const url = await served();
    for (const path of ['state', 'events', 'main.js', 'faults']) {
      const response = await send(`${url}/__fake/${path}`, { ...known, ...headers });
      expect(response.status).toBe(403);
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('its own origin is accepted with the token', async () => {
    const url = await served();
    const own = await send(`${url}/__fake/state`, { ...known, origin: url, 'sec-fetch-site': 'same-origin' });
    const typed = await send(`${url}/__fake/state`, { ...known, 'sec-fetch-site': 'none' });
    expect([own.status, typed.status]).toEqual([200, 200]);
  });

  test.each([
    ['GET', 'state'],
    ['GET', 'events'],
    ['GET', 'requests'],
    ['POST', 'faults'],
    ['POST', 'reset'],
  ])('%s %s needs the token', async (method, path) => {
    const url = await served();
    expect((await send(`${url}/__fake/${path}`, {}, method)).status).toBe(403);
    const guessed = await send(`${url}/__fake/${path}`, { 'x-fake-token': 'guessed' }, method);
    expect(guessed).toMatchObject({ status: 403, text: '{"message":"The x-fake-token header is missing or wrong."}' });
  });

  test('a requested path is never echoed in a page', async () => {
    const url = await served();
    const { status, text, headers } = await control(url, 'GET', '<script>alert(1)</script>');
    expect(status).toBe(404);
    expect(text).not.toContain('script>');
    expect(headers['content-type']).toContain('application/json');
  });

  test('the marketplace itself accepts every host name, for use in containers', async () => {
    const url = await served();
    expect((await send(`${url}/currencies`, { host: 'marketplace:4010' })).status).toBe(200);
  });
});

describe('the controls of the dashboard', () => {
  test('the controls of the guide exist and accept its examples', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/testing.md'), 'utf8');
    const shown = [...guide.matchAll(/^(\w+) \/__fake\/([\w-]+)(?: +(\{.*\}))?$/gm)];
    const inGuide = shown.map(([, method = '', path = '', body]) => ({ method, path, body }));
    const url = await served();
    expect(inGuide.length).toBeGreaterThan(7);
    for (const { method, path, body } of inGuide)
      expect([path, await control(url, method, path, JSON.parse(body ?? '{}'))]).toMatchObject([path, { status: 200 }]);
  });

  test('let a buyer ask and the seller answer', async () => {
    const url = await served();
    const created = await control(url, 'POST', 'questions', {
      from: 1002,
      item_id: 'MLA600000002',
      text: 'Is it new?',
    });
    const { id } = JSON.parse(created.text) as { id: number };
    expect((await control(url, 'POST', 'answers', { question_id: id, text: 'It is.' })).status).toBe(200);
    const [newest] = (await stateOf(url)).questions;
    expect(newest).toMatchObject({ id, text: 'Is it new?', status: 'ANSWERED', answer: { text: 'It is.' } });
    const again = await control(url, 'POST', 'answers', { question_id: id, text: 'Yes.' });
    expect(again).toMatchObject({
      status: 400,
      text: `{"message":"\`question_id\`: question ${id} already has an answer"}`,
    });
  });

  test('both sides write, and a blocked conversation rejects messages of the program under test', async () => {
    const url = await served();
    const pack = 2_000_000_000_000_001;
    await control(url, 'POST', 'messages', { pack, from: 'buyer', text: 'Is it here?' });
    await control(url, 'POST', 'messages', { pack, from: 'seller', text: 'Nearly.' });
    await control(url, 'POST', 'conversations', { pack, blockedBy: 'blocked_by_time' });
    const conversation = (await stateOf(url)).conversations.find((each) => each.pack === pack);
    expect(conversation?.messages.slice(-2).map(({ from, text }) => `${from}: ${text}`)).toEqual([
      'buyer: Is it here?',
      'seller: Nearly.',
    ]);
    expect(await sendAsSeller(url, pack)).toBe(403);
    await control(url, 'POST', 'conversations', { pack, blockedBy: null });
    expect(await sendAsSeller(url, pack)).toBe(200);
  });

  test('the claim and the shipment of a conversation change', async () => {
    const url = await served();
    const pack = 2_000_000_000_000_001;
    const status = async (): Promise<unknown> => {
      const headers = { authorization: 'Bearer SELLER-TOKEN' };
      const response = await fetch(`${url}/messages/packs/${pack}/sellers/1001?tag=post_sale`, { headers });
      return ((await response.json()) as { conversation_status: unknown }).conversation_status;
    };
    await control(url, 'POST', 'conversations', { pack, claim_id: 77, shipping_id: 88 });
    expect(await status()).toMatchObject({ claim_id: 77, shipping_id: 88 });
    await control(url, 'POST', 'conversations', { pack, claim_id: null, shipping_id: null });
    expect(await status()).toMatchObject({ claim_id: null, shipping_id: null });
  });

  test('items change their status and are enabled and disabled for Flex', async () => {
    const url = await served();
    await control(url, 'POST', 'items', { item_id: 'MLA600000003', status: 'active' });
    await control(url, 'POST', 'flex-items', { item_id: 'MLA600000003', enabled: true });
    await control(url, 'POST', 'flex-items', { item_id: 'MLA600000001', enabled: false });
    const { items } = await stateOf(url);
    expect(items.map(({ status, flex }) => [status, flex])).toEqual([
      ['active', true],
      ['active', false],
      ['active', false],
    ]);
  });

  test('a fault is shown while it is pending and does not affect the dashboard', async () => {
    const url = await served();
    await control(url, 'POST', 'faults', { status: 503, endpoint: 'currencies.list' });
    await control(url, 'POST', 'faults', { delayMs: 1, probability: 0.5 });
    expect((await stateOf(url)).faults).toEqual([
      { delayMs: 1, probability: 0.5, endpoint: null, left: null },
      { status: 503, endpoint: 'currencies.list', left: 1 },
    ]);
    expect((await send(`${url}/currencies`)).status).toBe(503);
    await control(url, 'DELETE', 'faults');
    expect((await stateOf(url)).faults).toEqual([]);
  });

  test('a sale without pack id is added, with its order, claim and shipment', async () => {
    const url = await served();
    const sale = { seller_id: 1001, buyer_id: 1002, pack_id: null, order_ids: [77], claim_id: 5, shipping_id: null };
    expect(JSON.parse((await control(url, 'POST', 'packs', sale)).text)).toEqual({ pack: 77 });
    const seller = new SellerClient({ baseUrl: url, accessToken: 'SELLER-TOKEN' });
    const page = await seller.messages.conversation({ pack_id: 77, user_id: 1001 }).pages().next();
    expect(page.value).toMatchObject({ conversation_status: { claim_id: 5, shipping_id: null } });
  });

  test('texts are counted in characters, as the service counts them', async () => {
    const url = await served();
    const ask = (text: string) => control(url, 'POST', 'questions', { from: 1002, item_id: 'MLA600000001', text });
    const asked = await ask('😀'.repeat(2000));
    expect(asked.status).toBe(200);
    const { id } = JSON.parse(asked.text) as { id: number };
    const answer = { question_id: id, text: '😀'.repeat(2000) };
    expect((await control(url, 'POST', 'answers', answer)).status).toBe(200);
    expect((await ask('😀'.repeat(2001))).text).toContain('at most 2000 characters');
  });

  test('more data can be seeded in any language, and its tokens come back', async () => {
    const url = await served();
    const seeded = await control(url, 'POST', 'seed', { users: [{ user_id: 5, token: 'five' }] });
    expect(JSON.parse(seeded.text)).toMatchObject({
      users: expect.arrayContaining([{ user_id: 5, nickname: 'USER5', site_id: 'MLA', token: 'five' }]) as unknown,
    });
  });

  test('a seed with an invalid fault injects none of its faults', async () => {
    const url = await served();
    const faults = [{ status: 503 }, { status: 503, probability: 5 }];
    expect((await control(url, 'POST', 'seed', { faults })).status).toBe(400);
    expect((await send(`${url}/currencies`)).status).toBe(200);
    expect((await stateOf(url)).faults).toEqual([]);
  });

  test('a reset restores the initial state', async () => {
    const url = await served('--faults', 'status=418');
    const before = await stateOf(url);
    await control(url, 'POST', 'questions', { from: 1002, item_id: 'MLA600000002', text: 'Is it new?' });
    await send(`${url}/currencies`);
    expect((await control(url, 'POST', 'reset')).status).toBe(200);
    const after = await stateOf(url);
    expect(after.questions.map(({ text }) => text)).toEqual(before.questions.map(({ text }) => text));
    expect(after.faults).toEqual(before.faults);
    expect((await control(url, 'GET', 'requests')).text).toBe('{"count":0,"requests":[]}');
  });

  test.each([
    ['questions', { from: 1, item_id: 'MLA600000001', text: 'Hm?' }, 'there is no user 1'],
    ['questions', { from: 1002, item_id: 'MLA600000001', text: ' ' }, '`text` is empty'],
    ['messages', { pack: 1, from: 'buyer', text: 'Hm?' }, 'there is no pack 1'],
    ['messages', { pack: 1, from: 'stranger', text: 'Hm?' }, '`from` takes'],
    ['reads', { pack: 1, user_id: 1001 }, '`pack`: there is no pack 1'],
    ['reads', { pack: 2_000_000_000_000_001, user_id: 1 }, '`user_id`: there is no user 1'],
    ['authorization-codes', { user_id: 1 }, '`user_id`: there is no user 1'],
    ['expired-tokens', { token: 'x' }, '`token`: '],
    ['flex-subscriptions', { id: 99, status: 'out' }, '`id`: '],
    ['shipments', { user_id: 1002 }, '`user_id`: '],
    ['settings', { moderate: 1 }, '`moderate` is a function; set it in the process'],
    ['faults', { status: 42 }, 'the fault cannot be sent'],
    ['seed', { users: 3 }, '`users` takes'],
  ])('an invalid control is rejected with a sentence: %s %j', async (path, body, sentence) => {
    const url = await served();
    const { status, text } = await control(url, 'POST', path, body);
    expect(status).toBe(400);
    expect((JSON.parse(text) as { message: string }).message).toContain(sentence);
  });

  test('another method of a control names its own', async () => {
    const url = await served();
    for (const path of ['health', 'state'])
      expect(await control(url, 'PUT', path)).toMatchObject({
        status: 405,
        text: '{"message":"The method of this control endpoint is GET."}',
      });
    expect((await send(`${url}/__fake/health`)).status).toBe(200);
  });

  const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
  test.each([
    ['100 lists', `{"a":${lists(99)}}`, false],
    ['101 lists', `{"a":${lists(100)}}`, true],
    ['100 objects', objects(100), false],
    ['101 objects', objects(101), true],
    ['many side by side', `{"a":[${'{},[],'.repeat(200)}1]}`, false],
    ['brackets in a text', JSON.stringify({ a: `"\\${'['.repeat(200)}` }), false],
    ['lists behind a text', `{"b":"\\"[","a":${lists(100)}}`, true],
  ])('JSON is read if it is at most 100 levels deep: %s', async (_, body, isTooDeep) => {
    const { status, text } = await send(`${await served()}/__fake/faults`, { 'x-fake-token': token }, 'POST', body);
    expect([status, text.includes('nested more than 100 levels deep')]).toEqual([400, isTooDeep]);
  });

  test('a body that is no JSON is rejected', async () => {
    const url = await served();
    expect(await send(`${url}/__fake/faults`, { 'x-fake-token': token }, 'POST', '{')).toMatchObject({ status: 400 });
  });
});

describe('the request log', () => {
  test('a request is logged with its endpoint, its user and both bodies', async () => {
    const url = await served();
    const body = JSON.stringify({ item_id: 'MLA600000001', text: 'Is it <b>heavy</b>?' });
    const headers = {
      authorization: 'Bearer BUYER-TOKEN',
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    await send(`${url}/questions?attributes=id`, headers, 'POST', body);
    await send(`${url}/nowhere`);
    const { requests } = JSON.parse((await control(url, 'GET', 'requests')).text) as { requests: object[] };
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/questions?attributes=id',
        endpoint: 'questions.ask',
        nickname: 'LUCIA',
        status: 201,
        state: 'done',
        requestBody: body,
      },
      { method: 'GET', path: '/nowhere', endpoint: null, nickname: null, status: 404, state: 'done' },
    ]);
    expect(requests[0]).toHaveProperty('responseBody', expect.stringMatching(/^\{"id":\d+/) as unknown);
  });

  test('a response that never ends and one that breaks are logged', async () => {
    const url = await served('--faults', 'truncate', '--faults', 'reset=before', '--faults', 'stall');
    await expect(send(`${url}/currencies`)).rejects.toThrow();
    await expect(send(`${url}/currencies`)).rejects.toThrow();
    const controller = new AbortController();
    const stalled = await fetch(`${url}/currencies`, { signal: controller.signal });
    controller.abort();
    await expect(stalled.text()).rejects.toThrow();
    await expect
      .poll(async () => JSON.parse((await control(url, 'GET', 'requests')).text) as unknown)
      .toMatchObject({
        requests: [
          { state: 'broken', status: 200 },
          { state: 'broken', status: null },
          { state: 'broken', status: 200 },
        ],
      });
  });

  test('an upload is logged without its bytes, also one without a token', async () => {
    const url = await served();
    const form = new FormData();
    form.set('file', new Blob(['%PDF']), 'invoice.pdf');
    await fetch(`${url}/messages/attachments?tag=post_sale&site_id=MLA`, { method: 'POST', body: form });
    const { requests } = JSON.parse((await control(url, 'GET', 'requests')).text) as { requests: object[] };
    expect(requests).toMatchObject([{ endpoint: 'messages.upload', status: 401, requestBody: null }]);
  });

  test('the log keeps the newest requests until it is cleared', async () => {
    const url = await served();
    for (let call = 0; call < 205; call += 1) await (await fetch(`${url}/currencies/ARS`)).text();
    const { requests } = JSON.parse((await control(url, 'GET', 'requests')).text) as { requests: { id: number }[] };
    expect([requests.length, requests[0]?.id, requests.at(-1)?.id]).toEqual([205, 1, 205]);
    await control(url, 'DELETE', 'requests');
    expect((await control(url, 'GET', 'requests')).text).toBe('{"count":0,"requests":[]}');
  });

  test('the event stream sends the state first, then only what has changed', async () => {
    const url = await served('--faults', 'delayMs=300');
    const events = await eventsOf(url);
    expect(await events.next('state')).toMatchObject({ counts: { questions: 6 }, requests: [] });
    await control(url, 'POST', 'questions', { from: 1002, item_id: 'MLA600000002', text: 'Is it new?' });
    const { now: _, ...asked } = (await events.next('change')) as Record<string, unknown>;
    expect(asked).toMatchObject({ questions: [{ text: 'Is it new?' }, [0, 6]], counts: { questions: 7 } });
    expect(Object.keys(asked)).toEqual(['questions', 'counts']);
    await (await fetch(`${url}/currencies/ARS`)).text();
    const open = { path: '/currencies/ARS', state: 'open', status: null };
    expect(await events.next('change')).toMatchObject({ requests: [open] });
    expect(await events.next('change')).toMatchObject({ requests: [{ ...open, state: 'done', status: 200 }] });
    await control(url, 'POST', 'reset');
    expect(await events.next('change')).toMatchObject({ counts: { questions: 6 }, requests: [] });
    events.stop();
  });
});

describe('listen() in a test', () => {
  const listening: Listening[] = [];
  afterEach(async () => {
    for (const each of listening.splice(0)) await each.close();
  });

  test('listen({ page: true }) serves the dashboard', async () => {
    const marketplace = new FakeMarketplace();
    const server = await marketplace.listen({ page: true });
    listening.push(server);
    const { status, text } = await send(server.url);
    expect(status).toBe(200);
    const made = /name="fake-token" content="(\w{32})"/.exec(text)?.[1] ?? '';
    const reset = await send(`${server.url}/__fake/reset`, { 'x-fake-token': made }, 'POST');
    expect(reset).toMatchObject({ status: 409, text: expect.stringContaining('belongs to the program') as unknown });
  });

  test('listen({ controls: true }) serves the control endpoints alone, with a token of the program', async () => {
    const marketplace = new FakeMarketplace();
    const server = await marketplace.listen({ controls: true, controlToken: token });
    listening.push(server);
    expect(server.controlToken).toBe(token);
    const seeded = await control(server.url, 'POST', 'seed', { users: [{ user_id: 7 }] });
    expect([seeded.status, marketplace.accounts.get(7)?.user_id]).toEqual([200, 7]);
    expect((await send(`${server.url}/__fake/health`)).status).toBe(200);
    expect((await send(`${server.url}/__fake/state`)).status).toBe(403);
    for (const path of ['/', '/__fake/main.js', '/__fake/style.css'])
      expect((await send(server.url + path, { 'x-fake-token': server.controlToken ?? '' })).status).toBe(404);
  });

  test('the token of the controls is random by default, and too short a one is rejected', async () => {
    const [one, other] = [
      await new FakeMarketplace().listen({ controls: true }),
      await new FakeMarketplace().listen({ page: true }),
    ];
    listening.push(one, other);
    expect([one.controlToken, other.controlToken]).toEqual([
      expect.stringMatching(/^\w{32}$/),
      expect.stringMatching(/^\w{32}$/),
    ]);
    await expect(new FakeMarketplace().listen({ controls: true, controlToken: 'short' })).rejects.toThrow('16 or more');
  });

  test('without the option, / is an unknown resource', async () => {
    const server = await new FakeMarketplace().listen();
    listening.push(server);
    expect((await send(server.url)).status).toBe(404);
  });
});

async function sendAsSeller(url: string, pack: number): Promise<number> {
  const response = await fetch(`${url}/messages/packs/${pack}/sellers/1001?tag=post_sale`, {
    method: 'POST',
    headers: { authorization: 'Bearer SELLER-TOKEN', 'content-type': 'application/json' },
    body: JSON.stringify({ from: { user_id: 1001 }, to: { user_id: 1002 }, text: 'Here it is.' }),
  });
  return response.status;
}

/** Reads server-sent events. */
async function eventsOf(url: string): Promise<{ next(name: string): Promise<unknown>; stop(): void }> {
  const end = new AbortController();
  const response = await fetch(`${url}/__fake/events?token=${token}`, { signal: end.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  return {
    /** Returns the next event of a name and skips others. */
    async next(name) {
      for (;;) {
        const found = /^event: (\w+)\ndata: (.*)\n\n/.exec(waiting);
        if (found) {
          waiting = waiting.slice(found[0].length);
          if (found[1] === name) return JSON.parse(found[2]!) as unknown;
          continue;
        }
        const { done, value } = await reader.read();
        if (done) throw new Error(`No event ${name} came`);
        waiting += value;
      }
    },
    stop: () => end.abort(),
  };
}
