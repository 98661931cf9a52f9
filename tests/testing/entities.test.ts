import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { PackInit } from 'marketplace-seller-sdk/testing';
import { beforeEach, describe, expect, test } from 'vitest';

const [seller_id, buyer_id] = [7, 31];
let marketplace: FakeMarketplace;

beforeEach(() => {
  marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  marketplace.addUser({ user_id: seller_id });
  marketplace.addUser({ user_id: buyer_id });
});

/** The message of what a test does wrong with the marketplace. */
function mistakeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof FakeMarketplaceError) return error.message.replace('FakeMarketplace: ', '');
    throw error;
  }
  throw new Error('it was accepted');
}

describe('users', () => {
  test.each([0, -1, 1.5, NaN, 2 ** 53])('have an integer of at least 1 as their id, not %d', (user_id) => {
    expect(mistakeOf(() => marketplace.accounts.add({ user_id }))).toBe(
      `\`user_id\` must be an integer of at least 1, not ${user_id}`,
    );
  });

  test('exist once, and get the next free id', () => {
    const { accounts } = marketplace;
    accounts.add({ user_id: 1002 });
    expect([accounts.add(), accounts.add()].map(({ user_id }) => user_id)).toEqual([1001, 1003]);
    expect(mistakeOf(() => accounts.add({ user_id: 1 + 1001 }))).toBe('user 1002 already exists');
    expect(accounts.add({ user_id: 1 })).toEqual({ user_id: 1, nickname: 'USER1', site_id: 'MLA' });
  });
});

describe('access tokens', () => {
  test('are valid until they expire or are revoked', () => {
    const { accounts, clock } = marketplace;
    const [first, second, third] = [1, 2, 3].map(() => accounts.issueToken(seller_id)) as [string, string, string];
    const short = accounts.issueToken(seller_id, 42, 'short', 60);
    const valid = (): string[] => accounts.bearers.map(({ token }) => token);
    const before = valid();
    expect(before.slice(-4)).toEqual([first, second, third, short]);
    accounts.expireToken(first);
    accounts.revokeToken(second);
    expect(valid()).toEqual(before.filter((token) => ![first, second].includes(token)));
    expect([first, second, third].map((token) => accounts.isExpired(token))).toEqual([true, false, false]);
    expect([first, second, third].map((token) => accounts.bearerOf(token)?.user_id)).toEqual([
      undefined,
      undefined,
      seller_id,
    ]);
    clock.advance({ seconds: 59 });
    expect(accounts.bearerOf(short)).toMatchObject({ application_id: 42, user_id: seller_id });
    clock.advance({ seconds: 1 });
    expect([accounts.bearerOf(short), accounts.isExpired(short)]).toEqual([undefined, true]);
    clock.advance({ hours: 24 * 365 });
    expect(accounts.bearerOf(third)).toMatchObject({ application_id: 500, expiresAt: null });
  });

  test('name their application and user, and none is like another', () => {
    const { accounts } = marketplace;
    const [token, other, none, code, refresh] = [
      accounts.issueToken(seller_id),
      accounts.issueToken(seller_id),
      accounts.issueToken(seller_id, null),
      accounts.issueAuthorizationCode(seller_id, 42),
      accounts.issueRefreshToken(seller_id),
    ];
    expect(token).toMatch(/^APP_USR-500-\d{6}-7$/);
    expect(none).toMatch(/^APP_USR-none-\d{6}-7$/);
    expect(code).toMatch(/^TG-42-\d{6}-7$/);
    expect(refresh).toMatch(/^TG-R-500-\d{6}-7$/);
    expect(new Set([token, other, none, code, refresh]).size).toBe(5);
    expect(other > token).toBe(true);
  });

  test('belong to a user, once, and only what was issued can be taken away', () => {
    const { accounts } = marketplace;
    accounts.issueToken(seller_id, 500, 'mine');
    expect(mistakeOf(() => accounts.issueToken(buyer_id, 500, 'mine'))).toBe('the token of user 31 is already in use');
    for (const issue of ['issueToken', 'issueAuthorizationCode', 'issueRefreshToken'] as const)
      expect(mistakeOf(() => accounts[issue](99))).toMatch(/^there is no user 99; add one with addUser/);
    accounts.revokeToken('mine');
    for (const take of ['revokeToken', 'expireToken'] as const)
      expect(mistakeOf(() => accounts[take]('mine'))).toBe('this token was never issued or is already revoked');
  });
});

describe('items', () => {
  test('are active, of the site of their seller, and get the next free id', () => {
    const { items } = marketplace;
    const { item_id } = items.add({ seller_id });
    expect(item_id).toMatch(/^MLA\d{9}$/);
    expect(items.getOrThrow(item_id)).toEqual({
      ...{ item_id, seller_id, site_id: 'MLA' },
      title: `Item ${item_id}`,
      status: 'active',
    });
    const taken = `MLA${Number(item_id.slice(3)) + 1}`;
    items.add({ seller_id, item_id: taken });
    expect(items.add({ seller_id }).item_id > taken).toBe(true);
    expect(items.add({ seller_id, site_id: 'MLB' }).item_id).toMatch(/^MLB/);
    expect(mistakeOf(() => items.add({ seller_id, item_id }))).toBe(`item ${item_id} already exists`);
  });

  test('change their status, title and site, to a status that exists', () => {
    const { items, events } = marketplace;
    const { item_id } = items.add({ seller_id });
    marketplace.ask({ from: { user_id: buyer_id }, item_id, text: 'Is it new?' });
    const changes: string[] = [];
    events.on(({ topic, resource, user_id }) => changes.push(`${topic} ${resource} ${user_id}`));
    expect(items.change(item_id, { title: 'Lamp', site_id: 'MLB' })).toMatchObject({ title: 'Lamp', site_id: 'MLB' });
    items.change(item_id, { title: 'Lamp', status: 'active' });
    expect(changes).toEqual([`items /items/${item_id} ${seller_id}`]);
    const wrong = { status: 'gone' as 'closed' };
    const statuses = '`status` of an item is active, paused, closed, under_review, not gone';
    expect(mistakeOf(() => items.change(item_id, wrong))).toBe(statuses);
    expect(mistakeOf(() => items.add({ seller_id, ...wrong }))).toBe(statuses);
    expect(mistakeOf(() => items.change(item_id, { stat: 'closed' } as object))).toBe(
      'an item has no field `stat`; did you mean `status`?',
    );
    expect(mistakeOf(() => items.change(item_id, { xyzzyx: 1 } as object))).toBe(
      'an item has no field `xyzzyx`; the fields are status, title, site_id',
    );
  });
});

describe('packs', () => {
  const add = (init: Partial<PackInit> = {}) => marketplace.packs.add({ seller_id, buyer_id, ...init });

  test('have ids of their own, custom shipping and nothing that stands in the way of a message', () => {
    const [first, second] = [add(), add()];
    expect(first).toMatchObject({
      ...{ site_id: 'MLA', shipping: 'custom', delivered: false, exceptedCase: false },
      ...{ inMediation: false, claim_id: null, agent_id: null, blockedBy: null, changedAt: marketplace.clock.ms },
    });
    for (const name of ['pack_id', 'shipping_id'] as const) expect(second[name]).toBe(Number(first[name]) + 1);
    expect(second.order_ids).toEqual([first.order_ids[0]! + 1]);
    expect(add({ pack_id: 900, shipping_id: null })).toMatchObject({ pack_id: 900, shipping_id: null });
    const order = add({ pack_id: null });
    expect(marketplace.packs.get(order.order_ids[0]!)).toBe(order);
    const taken = Number(second.pack_id) + 1;
    add({ pack_id: taken });
    expect(add().pack_id).toBe(taken + 1);
  });

  test('a mediation has a claim, which stays', () => {
    const { packs } = marketplace;
    const [first, second, later] = [add({ inMediation: true }), add({ inMediation: true }), add()];
    expect(second.claim_id).toBe(first.claim_id! + 1);
    expect(packs.change(later, { inMediation: true }).claim_id).toBe(second.claim_id! + 1);
    expect(packs.change(first, { inMediation: true }).claim_id).toBe(first.claim_id);
    expect(packs.change(first, { inMediation: false }).claim_id).toBe(first.claim_id);
    expect(packs.change(first, { inMediation: true }).claim_id).toBe(first.claim_id);
    marketplace.clock.advance({ hours: 1 });
    expect(packs.change(first, { delivered: true }).changedAt).toBe(marketplace.clock.ms);
  });

  const numbers = '`pack_id` and `order_ids` are integers of at least 1, not ';
  const agent = '`agent_id` is an integer of at least 1, not ';
  test.each<[Partial<PackInit>, string]>([
    [{ buyer_id: seller_id }, 'a seller cannot buy from themselves'],
    [{ seller_id: 99 }, 'there is no user 99; add one with addUser({ user_id: 99 })'],
    [{ buyer_id: 99 }, 'there is no user 99; add one with addUser({ user_id: 99 })'],
    [{ pack_id: 0 }, `${numbers}0`],
    [{ pack_id: 1.5 }, `${numbers}1.5`],
    [{ order_ids: [1, -2] }, `${numbers}-2`],
    [{ order_ids: [] }, '`order_ids` has at least one entry'],
    [{ agent_id: 0 }, `${agent}0`],
    [{ agent_id: 1.5 }, `${agent}1.5`],
    [{ delivery: true } as object, 'a pack has no field `delivery`; did you mean `delivered`?'],
  ])('are not made of %j', (init, mistake) => {
    expect(mistakeOf(() => add(init))).toBe(mistake);
  });

  test('take the smallest ids, no agent, and are there once', () => {
    const { packs } = marketplace;
    expect(add({ pack_id: 1, order_ids: [1], agent_id: 1 }).agent_id).toBe(1);
    expect(add({ agent_id: null }).agent_id).toBeNull();
    expect(mistakeOf(() => add({ pack_id: 1 }))).toBe('pack 1 already exists');
    expect(mistakeOf(() => packs.change(packs.getOrThrow(1), { delivery: true } as object))).toMatch(
      'a pack has no field `delivery`',
    );
  });

  test('a conversation shows the agent in the place of the buyer', async () => {
    const { user_id: agent_id } = marketplace.addUser();
    const pack = add({ agent_id });
    marketplace.buyerWrites({ pack, text: 'Hello' });
    const { messages } = marketplace.clientFor({ user_id: seller_id });
    const shown = await messages.conversation({ pack_id: pack.pack_id!, user_id: seller_id }).first();
    expect([shown?.from?.user_id, shown?.to?.user_id]).toEqual([agent_id, seller_id]);
  });
});

describe('files', () => {
  const add = (filename = 'a.txt', content = 'a') =>
    marketplace.attachments.add({
      ...{ owner: seller_id, site_id: 'MLA', filename, type: 'text/plain' },
      bytes: new TextEncoder().encode(content),
    });

  test.each([
    ['a.b.PDF', /^7_[0-9a-f-]{36}\.PDF$/],
    ['.x/readme', /^7_[0-9a-f-]{36}$/],
    ['no extension', /^7_[0-9a-f-]{36}$/],
  ])('have an id that ends like their name: %s', (filename, id) => {
    expect(add(filename).id).toMatch(id);
  });

  test('expire after their lifetime, unless a message uses them', () => {
    const { attachments, clock, settings } = marketplace;
    const [unused, used] = [add(), add()];
    expect([unused.inUse, attachments.use(used.id).inUse]).toEqual([false, true]);
    clock.advance({ ms: settings.attachmentLifetimeMs - 1 });
    expect(attachments.get(unused.id)).toBe(unused);
    expect(attachments.all).toHaveLength(2);
    clock.advance({ ms: 1 });
    expect([attachments.get(unused.id), attachments.get(used.id)?.inUse]).toEqual([undefined, true]);
    expect(attachments.all.map(({ id }) => id)).toEqual([used.id]);
    for (const touch of ['getOrThrow', 'use'] as const)
      expect(mistakeOf(() => attachments[touch](unused.id))).toBe(`there is no file ${unused.id}`);
    add();
    clock.set('2026-03-02T12:00:00Z');
    // What has expired is gone, also for a clock that is set back.
    expect(attachments.get(unused.id)).toBeUndefined();
  });

  test('have 512 MB of room together', () => {
    const { attachments, clock, settings } = marketplace;
    const ofSize = (byteLength: number) => ({ byteLength }) as Uint8Array<ArrayBuffer>;
    const whole = 512 * 1024 * 1024;
    expect([whole, whole + 1].map((size) => attachments.hasRoomFor(ofSize(size)))).toEqual([true, false]);
    add('a.txt', 'abc');
    add('b.txt', 'de');
    expect([whole - 5, whole - 4].map((size) => attachments.hasRoomFor(ofSize(size)))).toEqual([true, false]);
    clock.advance({ ms: settings.attachmentLifetimeMs });
    expect(attachments.hasRoomFor(ofSize(whole))).toBe(true);
  });

  test('need an owner', () => {
    const file = { site_id: 'MLA', filename: 'a', type: 'text/plain', bytes: new Uint8Array(1) };
    expect(mistakeOf(() => marketplace.attachments.add({ owner: 99, ...file }))).toMatch('there is no user 99');
  });
});

describe('contacts', () => {
  beforeEach(() => void marketplace.addItem({ item_id: 'MLA1', seller_id }));

  test('are recorded with their time and number, by default one now', () => {
    const { contacts, clock } = marketplace;
    expect(contacts.all).toEqual([]);
    contacts.record('phone_view', { item_id: 'MLA1' });
    contacts.record('question', { item_id: 'MLA1' }, { at: '2026-03-01T00:00:00Z', times: 3 });
    expect(contacts.all).toEqual([
      { kind: 'phone_view', item_id: 'MLA1', seller_id, at: clock.ms, times: 1 },
      { kind: 'question', item_id: 'MLA1', seller_id, at: Date.parse('2026-03-01T00:00:00Z'), times: 3 },
    ]);
  });

  test.each<[object, string]>([
    [{ times: 0 }, '`times` must be an integer of at least 1'],
    [{ times: 1.5 }, '`times` must be an integer of at least 1'],
    [{ at: 'noon' }, '`at` must be a date from the years 1 to 9999, not noon'],
    [{ at: 1e15 }, '`at` must be a date from the years 1 to 9999, not 1000000000000000'],
  ])('are not made of %j', (init, mistake) => {
    expect(mistakeOf(() => marketplace.contacts.record('question', { item_id: 'MLA1' }, init))).toBe(mistake);
    expect(marketplace.contacts.all).toEqual([]);
  });
});

describe('Flex', () => {
  test('a site without Flex has no zones; another has one that is mandatory, and holidays of two years', () => {
    const { flex } = marketplace;
    expect([flex.covers('XXX'), flex.zonesOf('XXX')]).toEqual([false, []]);
    const zones = flex.zonesOf('MLA');
    expect(zones.filter(({ is_mandatory }) => is_mandatory)).toEqual([zones[0]]);
    expect(flex.subscribe({ user_id: seller_id }).zones).toEqual([zones[0]!.id]);
    marketplace.clock.set('2031-12-31');
    const years = flex.holidaysOf('MLA').map(({ date }) => date.slice(0, 4));
    expect(years).toEqual(['2031', '2031', '2031', '2032', '2032', '2032']);
  });

  test('Turbo is there only while Flex is active', () => {
    const { flex } = marketplace;
    const mistake = 'Turbo needs an active Flex subscription; user 7 has none';
    expect(mistakeOf(() => flex.subscribe({ user_id: seller_id, mode: 'TURBO' }))).toBe(mistake);
    const own = flex.subscribe({ user_id: seller_id });
    const turbo = flex.subscribe({ user_id: seller_id, mode: 'TURBO' });
    expect([turbo.id, turbo.service_id]).toEqual([own.id + 1, own.service_id + 1]);
    flex.setStatus(turbo.id, 'pending');
    flex.setStatus(own.id, 'out');
    expect(flex.getOrThrow(turbo.id).status).toBe('pending');
    expect(mistakeOf(() => flex.setStatus(turbo.id, 'in'))).toBe(mistake);
    flex.setStatus(own.id, 'in');
    flex.setStatus(turbo.id, 'in');
    flex.setStatus(own.id, 'in');
    expect(flex.getOrThrow(turbo.id).status).toBe('in');
    flex.setStatus(own.id, 'pending');
    expect(flex.getOrThrow(turbo.id).status).toBe('out');
  });

  test('a service has one subscription, and is found on its site', () => {
    const { flex } = marketplace;
    const own = flex.subscribe({ user_id: seller_id });
    const given = flex.subscribe({ user_id: buyer_id, service_id: own.service_id + 2 });
    const next = flex.subscribe({ user_id: marketplace.addUser().user_id });
    expect(next.service_id).toBe(given.service_id + 1);
    expect(flex.find('MLA', seller_id, own.service_id)).toBe(own);
    expect(flex.find('MLB', seller_id, own.service_id)).toBeUndefined();
    expect(flex.find('MLA', seller_id, given.service_id)).toBeUndefined();
  });

  test('an item that is down does not offer Flex until it is up again', () => {
    const { flex } = marketplace;
    const item = marketplace.addItem({ seller_id });
    flex.takeDown(item);
    expect(flex.isDown(item)).toBe(true);
    flex.bringUp(item);
    expect(flex.isDown(item)).toBe(false);
    for (const change of [
      () => flex.setEnabled({ item_id: 'MLA404' }, true),
      () => flex.takeDown({ item_id: 'MLA404' }),
    ])
      expect(mistakeOf(change)).toMatch('there is no item MLA404');
    expect(flex.isEnabled({ item_id: 'MLA404' })).toBe(false);
  });

  test('a shipment is of an active subscription, and has a driver on its site', () => {
    const { flex } = marketplace;
    const ship = (mode?: 'TURBO'): number => flex.ship({ user_id: seller_id }, { mode });
    expect(mistakeOf(ship)).toBe('user 7 has no active subscription to FLEX and receives no orders');
    const own = flex.subscribe({ user_id: seller_id });
    expect(mistakeOf(() => ship('TURBO'))).toMatch('no active subscription to TURBO');
    const [first, second] = [ship(), ship()];
    expect(second).toBe(first + 1);
    flex.assignDriver(first, 77);
    expect([flex.driverOf('MLA', first), flex.driverOf('MLB', first), flex.driverOf('MLA', second)]).toEqual([
      77,
      undefined,
      undefined,
    ]);
    expect(flex.shipments).toMatchObject([{ shipment_id: first, driver_id: 77 }, { shipment_id: second }]);
    flex.setStatus(own.id, 'pending');
    expect(mistakeOf(ship)).toMatch('no active subscription to FLEX');
    expect(mistakeOf(() => flex.assignDriver(404, 1))).toMatch('there is no shipment 404');
  });
});

describe('moderation', () => {
  const reasonOf = (text: string): string | null => {
    const pack = marketplace.addPack({ seller_id, buyer_id });
    return marketplace.messages.add(pack, { from: buyer_id, text }).moderation.reason;
  };

  test.each([
    ['+54 11 5555-4444', 'PERSONAL_DATA'],
    ['(011) 5555 4444', 'PERSONAL_DATA'],
    ['5555-4444', 'PERSONAL_DATA'],
    ['+54911555544441', 'PERSONAL_DATA'],
    ['555 4444', null],
    ['55554444', null],
    ['5555.4444', null],
    ['+1234 5678 9012 345', 'PERSONAL_DATA'],
    ['+1234 5678 9012 3456', null],
    ['2000000012345678', null],
    ['2026-03-01', null],
    ['12026-03-01', 'PERSONAL_DATA'],
    ['2026-03-011', 'PERSONAL_DATA'],
    ['2026-03-01 and 5555-4444', 'PERSONAL_DATA'],
  ])('a telephone number has 8 to 15 digits and is written like one: %s', (number, reason) => {
    expect(reasonOf(`Call ${number}, please`)).toBe(reason);
  });
});

describe('events', () => {
  const event = { topic: 'items', resource: '/items/MLA1', user_id: seller_id };

  test('reach each listener until it stops', () => {
    const { events } = marketplace;
    const seen: string[] = [];
    const [stop] = ['a', 'b'].map((name) => events.on(({ topic }) => void seen.push(`${name} ${topic}`)));
    events.emit(event);
    stop!();
    events.emit(event);
    expect(seen).toEqual(['a items', 'b items', 'b items']);
  });

  test('of a seed are sent when all of it is there, and none of a seed that fails', () => {
    marketplace.addItem({ item_id: 'MLA1', seller_id });
    const seen: number[] = [];
    marketplace.events.on(() => seen.push(marketplace.questions.all.length));
    const question = { item_id: 'MLA1', from: buyer_id, text: 'Is it new?' };
    expect(() => marketplace.seed({ questions: [question, { ...question, item_id: 'MLA404' }] })).toThrow();
    expect(seen).toEqual([]);
    marketplace.ask({ ...question, from: { user_id: buyer_id } });
    marketplace.seed({ questions: [question, question] });
    expect(seen).toEqual([1, 3, 3]);
    marketplace.ask({ ...question, from: { user_id: buyer_id } });
    expect(seen).toEqual([1, 3, 3, 4]);
  });
});
