import { request } from 'node:http';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Dashboard } from '../../src/testing/dashboard/dashboard.js';
import { controlled } from '../support/control-calls.ts';
import type { ControlledServer } from '../support/control-calls.ts';
import { running } from '../support/serving.ts';

const open: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of open.splice(0)) await server.end();
});

async function served(): Promise<ControlledServer> {
  const server = await controlled();
  open.push(server);
  return server;
}

/** Sends a request with any `Host`, which `fetch` does not allow. */
function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('a control call', () => {
  const token = 'a-token-of-the-environment';

  test('takes at most 16 MB, and the next one works', async () => {
    const { fetch } = new Dashboard(new FakeMarketplace(), { controlToken: token });
    const post = (length: number): Promise<Response> => {
      const headers = { 'x-fake-token': token };
      const body = '{"users":[{}]}'.padEnd(length);
      return fetch(new Request('http://127.0.0.1/__fake/seed', { method: 'POST', headers, body }));
    };
    const limit = 16 * 1024 * 1024;
    expect((await post(limit)).status).toBe(200);
    const tooLong = await post(limit + 1);
    expect([tooLong.status, await tooLong.json()]).toEqual([
      413,
      { message: 'The body is larger than 16 MB, which a control call takes.' },
    ]);
    expect((await post(100)).status).toBe(200);
  });

  test('works under any host name with the token, which the environment fixes', async () => {
    vi.stubEnv('FAKE_CONTROL_TOKEN', token);
    const serving = running('fake', '--port', '0', '--quiet');
    open.push(serving);
    const url = await serving.url();
    const status = (headers: Record<string, string>, path = '/__fake/clock') => statusOf(url + path, headers);
    for (const host of ['marketplace:4010', 'fake.internal', 'localhost']) {
      expect(await status({ host, 'x-fake-token': token })).toBe(200);
      expect(await status({ host, 'x-fake-token': 'another-token-entirely' })).toBe(403);
      expect(await status({ host })).toBe(403);
      expect(await status({ host, 'x-fake-token': token, origin: 'http://evil.example.com' })).toBe(403);
    }
    // The page has the token, so it stays where no other site can read it.
    expect(await status({ host: 'evil.example.com' }, '/')).toBe(403);
  });

  test('a token of the environment that is too short ends the command', async () => {
    vi.stubEnv('FAKE_CONTROL_TOKEN', 'short');
    const serving = running('fake', '--port', '0');
    expect(await serving.code).toBe(2);
    expect(serving.errors.join('')).toContain('FAKE_CONTROL_TOKEN');
  });
});

test('no operationId has a dot', async () => {
  const { control } = await served();
  for (const path of ['openapi.json', 'marketplace-openapi.json']) {
    const { body } = await control('GET', path);
    const paths = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>);
    const ids = paths.flatMap((each) => Object.values(each).map(({ operationId }) => operationId));
    expect(ids.filter((id) => !/^\w+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

describe('the next ids', () => {
  test('are those that were set, in process', () => {
    const marketplace = new FakeMarketplace();
    marketplace.nextIds({
      user_id: 7,
      item_id: 5,
      question_id: 42,
      pack_id: 3,
      order_id: 4,
      claim_id: 8,
      shipment_id: 9,
    });
    const [seller_id, buyer_id] = [marketplace.addUser().user_id, marketplace.addUser().user_id];
    const { item_id } = marketplace.addItem({ seller_id });
    const ask = () => marketplace.ask({ from: { user_id: buyer_id }, item_id, text: 'x' }).id;
    marketplace.flex.subscribe({ user_id: seller_id });
    expect([seller_id, buyer_id, item_id, ask(), ask()]).toEqual([7, 8, 'MLA5', 42, 43]);
    const pack = marketplace.addPack({ seller_id, buyer_id, inMediation: true });
    expect(pack).toMatchObject({ pack_id: 3, order_ids: [4], claim_id: 8 });
    expect(marketplace.flex.ship({ user_id: seller_id })).toBe(9);
    marketplace.nextIds({ question_id: 42 });
    expect(ask()).toBe(44);
    marketplace.reset();
    expect(marketplace.addUser().user_id).toBe(1001);
  });

  test.each([{ question_id: 0 }, { question_id: 1.5 }, { pack_id: -1 }, { user: 1 }])(
    'are rejected, and none is set: %j',
    async (wrong) => {
      const { control } = await served();
      const { status, body } = await control('POST', 'next-ids', { user_id: 5000, ...wrong });
      expect([status, body.message]).toEqual([400, expect.stringContaining(Object.keys(wrong)[0]!)]);
      const users = (await control('POST', 'seed', { users: [{}] })).body.users as { user_id: number }[];
      expect(users.map(({ user_id }) => user_id)).not.toContain(5000);
      expect(() => new FakeMarketplace().nextIds(wrong as never)).toThrow(FakeMarketplaceError);
    },
  );
});

describe('the moderation of a chosen text', () => {
  test('decides in place of the rules, by the newest choice', async () => {
    const { control } = await served();
    const pack = 2_000_000_000_000_001;
    const write = (text: string) => control('POST', 'messages', { pack, from: 'buyer', text });
    await control('POST', 'moderation', { text: 'parcel', reason: 'PERSONAL_DATA' });
    await control('POST', 'moderation', { text: 'idiot', reason: null });
    await write('Where is my parcel?');
    await write('You idiot');
    await control('POST', 'moderation', { text: 'parcel', reason: null });
    await write('My parcel came');
    const conversations = (await control('GET', 'state')).body.conversations as {
      pack: number;
      messages: { text: string; reason: string | null }[];
    }[];
    const reasons = conversations
      .find((each) => each.pack === pack)!
      .messages.slice(-3)
      .map(({ reason }) => reason);
    expect(reasons).toEqual(['PERSONAL_DATA', null, null]);
  });

  test.each([
    ['text', { text: ' ', reason: null }],
    ['reason', { text: 'a', reason: '' }],
    ['text', { reason: 'PERSONAL_DATA' }],
  ])('is rejected with a wrong %s: %j', async (field, body) => {
    const { control } = await served();
    const response = await control('POST', 'moderation', body);
    expect([response.status, response.body.message]).toEqual([400, expect.stringContaining(`\`${field}\``)]);
  });
});

describe('contacts', () => {
  test('are recorded, and counted by the metrics', async () => {
    const { url, control } = await served();
    const contact = { kind: 'question', item_id: 'MLA600000002', at: '2026-03-02T10:00:00Z', times: 3 };
    expect((await control('POST', 'contacts', contact)).status).toBe(200);
    const period = 'date_from=2026-03-02&date_to=2026-03-02';
    const response = await fetch(`${url}/items/MLA600000002/contacts/questions?${period}`);
    expect(await response.json()).toMatchObject({ total: 3 });
  });

  test.each([
    ['item_id', { item_id: 'MLA1' }],
    ['kind', { kind: 'visit' }],
    ['times', { times: 0 }],
    ['at', { at: '2026-02-30' }],
  ])('are rejected with a wrong %s', async (field, change) => {
    const { control } = await served();
    const { status, body } = await control('POST', 'contacts', {
      kind: 'question',
      item_id: 'MLA600000002',
      ...change,
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining(field)]);
  });
});
