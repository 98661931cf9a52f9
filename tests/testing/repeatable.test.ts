import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { SeedInit } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { controlled } from '../support/control-calls.ts';
import type { ControlledServer } from '../support/control-calls.ts';
import { snapshot } from '../../src/testing/dashboard/snapshot.js';
import { sample } from '../../src/testing/seed/schema.js';

const open: ControlledServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.end();
});

describe('two runs of one program', () => {
  const created = (): FakeMarketplace => new FakeMarketplace({ now: '2026-03-02T10:00:00Z' });
  async function run(marketplace = created()): Promise<string> {
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const client = marketplace.clientFor(seller);
    const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
    marketplace.buyerWrites({ pack, text: 'Hello?', files: [{ filename: 'a.txt', content: 'a' }] });
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    marketplace.notifications.subscribe({ callback: () => new Response() });
    marketplace.ask({ from: buyer, item_id, text: 'Is it new?' });
    marketplace.flex.ship({ user_id: marketplace.flex.subscribe(seller).user_id });
    const file = new File(['x'], 'b.pdf');
    const { id } = await client.messages.upload({ site_id: 'MLA', file, filename: 'b.pdf' });
    const to = { user_id: buyer.user_id };
    await client.messages.send({ pack_id: pack.pack_id!, user_id: seller.user_id, to, text: 'Hi', attachments: [id] });
    await client.questions.search({ seller_id: seller.user_id }).toArray();
    await client.currencies.list();
    await marketplace.notifications.flush();
    const requests = marketplace.requests.all.map(({ path, body, response }) => ({ path, body, response }));
    return JSON.stringify([requests, snapshot(marketplace, [])]);
  }

  test('have the same ids and bodies, also in one marketplace with a reset() between, whatever was done before it', async () => {
    const [first, marketplace] = [await run(), created()];
    expect(await run(marketplace)).toBe(first);
    marketplace.reset();
    marketplace.seed({ ...sample(), settings: { capPerOption: 9, cors: true, maxPageSize: 1 } });
    const { attachments, messages, notifications } = marketplace;
    marketplace.rateLimiter.set({ perMinute: 1 });
    [messages.moderation, messages.isUnavailable, attachments.isBroken, notifications.isHeld] = [
      'later',
      true,
      true,
      true,
    ];
    messages.choose('Hello', 'reason');
    notifications.subscribe({ callback: () => new Response(), faults: () => ({ lateMs: 0, twice: true, lost: true }) });
    marketplace.faults.inject({ status: 503, times: 9 });
    marketplace.failNext('currencies.list', { status: 500, message: 'No' });
    marketplace.operations.stub({ method: 'GET', path: '/currencies' });
    const next = { user_id: 900, item_id: 900, question_id: 900, pack_id: 900, order_id: 900, claim_id: 900 };
    marketplace.nextIds({ ...next, shipment_id: 900 });
    marketplace.clock.advance({ days: 1 });
    marketplace.reset();
    expect(await run(marketplace)).toBe(first);
  });

  test('have ids that differ from each other', () => {
    const { messages, attachments, addUser, addPack } = bound(new FakeMarketplace());
    const [seller_id, buyer_id] = [addUser().user_id, addUser().user_id];
    const pack = addPack({ seller_id, buyer_id });
    const upload = { owner: seller_id, site_id: 'MLA', filename: 'a', type: '', bytes: new Uint8Array([1]) };
    const ids = Array.from({ length: 2000 }, () => messages.add(pack, { from: seller_id, text: 'Hi' }).id);
    const files = Array.from({ length: 2000 }, () => attachments.add(upload).id);
    expect(new Set(ids).size).toBe(2000);
    expect(new Set(files).size).toBe(2000);
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    expect(files.every((id) => /^\d+_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    );
  });

  function bound(marketplace: FakeMarketplace) {
    const { messages, attachments } = marketplace;
    return {
      ...{ messages, attachments },
      addUser: () => marketplace.addUser(),
      addPack: (init: Parameters<FakeMarketplace['addPack']>[0]) => marketplace.addPack(init),
    };
  }
});

describe('a rate limit runs on the clock of the marketplace', () => {
  test('calls are allowed again after it was moved, not before', async () => {
    const marketplace = new FakeMarketplace({ now: '2026-03-02T10:00:00Z', limit: { perMinute: 2, retryAfter: true } });
    // Without the client, which waits by the machine's clock.
    const headers = { authorization: `Bearer ${marketplace.tokenFor(marketplace.addUser())}` };
    const call = () => marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers });
    const statusAfter = async (seconds: number): Promise<number> => {
      marketplace.clock.advance({ seconds });
      return (await call()).status;
    };
    expect([await statusAfter(0), await statusAfter(20), await statusAfter(0)]).toEqual([200, 200, 429]);
    expect((await call()).headers.get('retry-after')).toBe('40');
    expect([await statusAfter(39), await statusAfter(1), await statusAfter(0)]).toEqual([429, 200, 429]);
    // A clock that was set back does not block for the time in between.
    marketplace.clock.set('2026-03-01T10:00:00Z');
    expect(await statusAfter(0)).toBe(200);
  });
});

describe('a day that does not exist is rejected', () => {
  const days = ['2026-02-30', '2026-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-06-00'];
  const times = days.flatMap((day) => [day, `${day}T10:00:00Z`, `${day}T10:00:00`, `${day}T10:00:00-03:00`]);

  test.each(times)('%s', async (time) => {
    const marketplace = new FakeMarketplace();
    const { user_id: seller_id } = marketplace.addUser();
    const { item_id } = marketplace.addItem({ seller_id });
    for (const act of [
      () => marketplace.clock.set(time),
      () => new FakeMarketplace({ now: time }),
      () => marketplace.viewPhone({ item_id }, { at: time }),
      () => marketplace.seed({ now: time }),
      () => marketplace.seed({ questions: [{ item_id, from: seller_id, text: 'x', asked_at: time }] }),
    ])
      expect(act).toThrow(FakeMarketplaceError);
    const query = new URLSearchParams({ date_from: time, date_to: '2027-01-01' }).toString();
    const url = `${marketplace.baseUrl}/items/${item_id}/contacts/questions?${query}`;
    expect((await marketplace.fetch(url)).status).toBe(400);
    expect(marketplace.contacts.all).toEqual([]);
  });

  test('and a day that exists is not: 29 February of a leap year', () => {
    const marketplace = new FakeMarketplace({ now: '2028-02-29T23:00:00Z' });
    expect(marketplace.clock.iso).toBe('2028-02-29T23:00:00.000Z');
  });
});

describe('a date_to without a time includes its day', () => {
  test.each([
    ['2026-03-02', 3],
    ['2026-03-02T00:00:00Z', 2],
    ['2026-03-01', 1],
    ['2026-03-03', 4],
  ])('contacts until %s', async (date_to, total) => {
    const marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    const item = marketplace.addItem({ seller_id: seller.user_id });
    for (const at of [
      '2026-03-01T23:59:59.999Z',
      '2026-03-02T00:00:00Z',
      '2026-03-02T23:59:59.999Z',
      '2026-03-03T00:00:00Z',
    ])
      marketplace.viewPhone(item, { at });
    const url = `${marketplace.baseUrl}/items/${item.item_id}/contacts/phone_views?date_from=2026-03-01&date_to=${date_to}`;
    expect(await (await marketplace.fetch(url)).json()).toMatchObject({ total, date_to });
  });

  test.each([
    ['2026-03-02', 2],
    ['2026-03-02T12:00:00Z', 1],
    ['2026-03-01', 0],
  ])('questions until %s', async (date_to, count) => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    for (const time of ['2026-03-02T09:00:00Z', '2026-03-02T12:00:00Z', '2026-03-03T00:00:00Z'])
      marketplace.clock.at(time, () => marketplace.ask({ from: buyer, item_id, text: 'Is it new?' }));
    const input = { seller_id: seller.user_id, filters: { date_to } };
    expect(await marketplace.clientFor(seller).questions.search(input).toArray()).toHaveLength(count);
  });
});

describe('a site that does not exist is rejected', () => {
  test.each<[string, SeedInit]>([
    ['users.0', { users: [{ site_id: 'XXX' }] }],
    ['items.0', { users: [{ user_id: 1 }], items: [{ seller_id: 1, site_id: 'mla' }] }],
    ['packs.0', { users: [{ user_id: 1 }, { user_id: 2 }], packs: [{ seller_id: 1, buyer_id: 2, site_id: '' }] }],
  ])('in %s of a seed', async (path, seed) => {
    const marketplace = new FakeMarketplace();
    expect(() => marketplace.seed(seed)).toThrow(`\`${path}\`: \`site_id\` is a site such as MLA`);
    expect(marketplace.accounts.all).toEqual([]);
    const server = await controlled();
    open.push(server);
    expect((await server.control('POST', 'seed', seed)).status).toBe(400);
  });

  test('when an item or a pack moves to it', () => {
    const marketplace = new FakeMarketplace();
    const [seller_id, buyer_id] = [marketplace.addUser().user_id, marketplace.addUser().user_id];
    const { item_id } = marketplace.addItem({ seller_id });
    const pack = marketplace.addPack({ seller_id, buyer_id });
    expect(() => marketplace.items.change(item_id, { site_id: 'XXX' })).toThrow('`site_id`');
    expect(() => marketplace.packs.change(pack, { site_id: 'XXX' })).toThrow('`site_id`');
    expect([marketplace.items.getOrThrow(item_id).site_id, marketplace.packs.all[0]?.site_id]).toEqual(['MLA', 'MLA']);
  });
});
