import { SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { isSame, verifyTape } from '../../src/testing/tape/replay.js';
import type { Verified } from '../../src/testing/tape/replay.js';
import { sample } from '../../src/testing/seed/sample.js';
import { tapingOf } from '../support/taping.ts';

const now = '2030-03-04T12:00:00Z';
const seller_id = 1001;
const pack_id = 2_000_000_000_000_001;

function fake(): FakeMarketplace {
  const marketplace = new FakeMarketplace({ now });
  marketplace.seed(sample(Date.parse(now)));
  marketplace.addItem({ seller_id, item_id: 'MLA600000009', title: 'Lámpara de pie' });
  marketplace.addPack({ pack_id: 2_000_000_000_000_009, seller_id, buyer_id: 1002, shipping: 'cross_docking' });
  return marketplace;
}

const different = (results: readonly Verified[]): unknown[] =>
  results.filter((each) => !isSame(each)).map(({ endpoint, differences, lacks }) => ({ endpoint, differences, lacks }));

/** Uses every operation, with its errors, as a seller, a buyer, a stranger and nobody. */
async function wholeSession(baseUrl: string, fetch: typeof globalThis.fetch): Promise<void> {
  const client = (accessToken: string | undefined): SellerClient =>
    new SellerClient({
      baseUrl,
      ...(accessToken !== undefined && { accessToken }),
      fetch,
      maxRetries: 0,
      responseValidation: 'report',
    });
  const [seller, buyer, nobody] = [client('SELLER-TOKEN'), client('BUYER-TOKEN'), client(undefined)];
  const quietly = async (calls: readonly (() => PromiseLike<unknown>)[]): Promise<void> => {
    for (const call of calls) await Promise.resolve(call()).catch(() => undefined);
  };
  const period = { date_from: '2030-02-01', date_to: '2030-03-05' };
  const site_id = 'MLA';
  const flexPlace = { site_id, user_id: seller_id, service_id: 10_001 };
  const asked = await buyer.questions.ask({ item_id: 'MLA600000002', text: '¿Hay stock? 😀 ana@example.com' });
  const question_id = Number(asked?.id);
  await quietly([
    () => seller.questions.search({ seller_id, filters: { status: 'UNANSWERED' } }).toArray(),
    () =>
      seller.questions.search({ item: 'MLA600000001', sort_fields: ['date_created'], sort_types: ['DESC'] }).toArray(),
    () => nobody.questions.get({ question_id }),
    () => seller.questions.answer({ question_id, text: 'Sí, hay.' }),
    () => seller.questions.answer({ question_id, text: 'Otra vez.' }),
    () => seller.questions.get({ question_id: 1 }),
    () => seller.questions.responseTime({ user_id: seller_id }),
    () => seller.questions.blacklist.add({ seller_id, user_id: 1003 }),
    () => seller.questions.blacklist.list({ seller_id }).toArray(),
    () => seller.questions.blacklist.remove({ seller_id, user_id: 1003 }),
    () => seller.questions.hide({ question_id }),
    () => seller.questions.delete({ question_id: 5_000_000_001 }),
    () => buyer.questions.delete({ question_id: 5_000_000_002 }),
    () => seller.messages.conversation({ pack_id, user_id: seller_id }).toArray(),
    () => buyer.messages.conversation({ pack_id, user_id: seller_id }).toArray(),
    () => seller.messages.send({ pack_id, user_id: seller_id, to: { user_id: 1002 }, text: 'Llega mañana.' }),
    () => seller.messages.send({ pack_id, user_id: seller_id, to: { user_id: 1002 }, text: 'Call +54 11 5555-4444' }),
    () => seller.messages.unread(),
    async () => {
      const file = new Blob(['An invoice'], { type: 'text/plain' });
      const { id } = await seller.messages.upload({ site_id, file, filename: 'Factura Ana.txt' });
      await seller.messages.download({ site_id, attachment_id: id }).then((download) => download.arrayBuffer());
      const sent = { pack_id, user_id: seller_id, to: { user_id: 1002 }, text: 'La factura', attachments: [id] };
      const message = await seller.messages.send(sent);
      await buyer.messages.get({ message_id: String(message?.id) });
    },
    () => seller.messages.conversation({ pack_id: 2_000_000_000_000_002, user_id: seller_id }).toArray(),
    () =>
      seller.messages.send({ pack_id: 2_000_000_000_000_002, user_id: seller_id, to: { user_id: 1003 }, text: 'Hola' }),
    () => seller.actionGuide.options({ pack_id: 2_000_000_000_000_009 }),
    () => seller.actionGuide.caps({ pack_id: 2_000_000_000_000_009 }),
    () => seller.actionGuide.send({ pack_id: 2_000_000_000_000_009, option_id: 'OTHER', text: 'Hola' }),
    () => seller.actionGuide.send({ pack_id: 2_000_000_000_000_009, option_id: 'OTHER', text: 'Hola' }),
    () =>
      seller.actionGuide.send({
        pack_id: 2_000_000_000_000_009,
        option_id: 'REQUEST_VARIANTS',
        template_id: 'TEMPLATE___REQUEST_VARIANTS___1',
      }),
    () => buyer.actionGuide.caps({ pack_id }),
    () => seller.flex.subscriptions({ site_id, user_id: seller_id }),
    () => seller.flex.configuration(flexPlace),
    () =>
      seller.flex.setDelivery({
        ...flexPlace,
        delivery_ranges: { week: [{ from: 9, to: 13, capacity: 20, cutoff: 8 }] },
      }),
    () => seller.flex.addZones({ ...flexPlace, zones: [{ id: 'MLA-1' }, { id: 'MLA-2' }] }),
    () => seller.flex.configuration(flexPlace),
    () => seller.flex.configuration({ ...flexPlace, service_id: 77 }),
    () => seller.flex.driver({ site_id, shipment_id: 40_000_000_001 }),
    () => seller.flex.driver({ site_id, shipment_id: 4 }),
    () => seller.flex.items.isEnabled({ site_id, item_id: 'MLA600000002' }),
    () => seller.flex.items.enable({ site_id, item_id: 'MLA600000002' }),
    () => seller.flex.items.enable({ site_id, item_id: 'MLA600000002' }),
    () => seller.flex.items.disable({ site_id, item_id: 'MLA600000002' }),
    () => seller.contacts.questions.ofItem({ item_id: 'MLA600000001', ...period }),
    () => seller.contacts.questions.ofUser({ user_id: seller_id, ...period }),
    () => seller.contacts.questions.windowOfItem({ item_id: 'MLA600000001', last: 3, unit: 'day' }),
    () => seller.contacts.questions.windowOfUser({ user_id: seller_id, last: 3, unit: 'hour' }),
    () => seller.contacts.phoneViews.ofItem({ item_id: 'MLA600000001', ...period }),
    () => seller.contacts.phoneViews.ofUser({ user_id: seller_id, ...period }),
    () => seller.contacts.phoneViews.windowOfItem({ item_id: 'MLA600000001', last: 3, unit: 'day' }),
    () => seller.contacts.phoneViews.windowOfItems({ ids: ['MLA600000002', 'MLA600000001'], last: 2, unit: 'day' }),
    () => seller.contacts.phoneViews.windowOfUser({ user_id: seller_id, last: 3, unit: 'day', ending: '2030-03-04' }),
    () => seller.items.status({ ids: ['MLA600000003', 'MLA600000001', 'MLA1'] }),
    () => seller.sites.search({ site_id, q: 'lámpara' }).toArray(),
    () => seller.sites.search({ site_id, q: 'nothing like it' }).toArray(),
    () => nobody.currencies.list(),
    () => nobody.currencies.get({ id: 'BRL' }),
    () => nobody.currencies.get({ id: 'XXX' }),
    () => seller.describe({ path: '/questions' }),
    () => client('WRONG-TOKEN').questions.get({ question_id }),
    () => seller.call(endpoints.questions.get, { question_id }, { attributes: ['id', 'status'] }),
    () => fetch(`${baseUrl}/currencies?callback=show`),
    () => fetch(`${baseUrl}/nowhere/of/42`),
    () => fetch(`${baseUrl}/questions/abc`),
  ]);
}

describe('a tape of a fake, replayed on a fake with the same content, has no difference', () => {
  test.each([false, true])('over all operations, whether ids are kept or not (%j)', async (keepsIds) => {
    const recorder = await tapingOf(fake(), keepsIds);
    await wholeSession('https://proxy.test', recorder.fetch);
    expect(recorder.unwritten).toEqual([]);
    const tape = recorder.tape();
    const named = new Set(tape.map(({ endpoint }) => endpoint));
    const twin = fake();
    const results = await verifyTape(tape, twin);
    expect(different(results)).toEqual([]);
    expect(results.length).toBeGreaterThan(60);
    expect(named.size).toBeGreaterThan(38);
  });
});

test('nor has a tape of odd requests', async () => {
  const recorder = await tapingOf(fake());
  const requests: readonly [method: string, path: string][] = [
    ['GET', '/questions/search?seller_id='],
    ['GET', '/questions/9999999999999999999'],
    ['HEAD', '/questions/5000000001'],
    ['GET', '/users/1001/contacts/questions?date_from=1999-01-01&date_to=2030-03-05'],
    ['GET', '/items/bulk?ids=MLA600000001,MLA1'],
    ['GET', '/currencies/ars'],
    ['GET', '/authorization?client_id=500&response_type=code&redirect_uri=https://app.test/back'],
    ['POST', '/questions'],
  ];
  const headers = { authorization: 'Bearer SELLER-TOKEN', 'content-type': 'application/json' };
  for (const [method, path] of requests) {
    // An id before a comma in JSON is one id.
    const body = method === 'POST' ? '{"item_id":"MLA600000001","user_id":1001,"text":"New?"}' : undefined;
    await recorder.fetch(`https://proxy.test${path}`, { method, headers, ...(body !== undefined && { body }) });
  }
  expect(recorder.unwritten).toEqual([]);
  expect(different(await verifyTape(recorder.tape(), fake()))).toEqual([]);
});

test('a lock that another call held is held again', async () => {
  const marketplace = new FakeMarketplace({ now, settings: { optionLockMs: 300 } });
  marketplace.seed(sample(Date.parse(now)));
  const recorder = await tapingOf(marketplace);
  const options = { baseUrl: 'https://proxy.test', accessToken: 'SELLER-TOKEN', fetch: recorder.fetch, maxRetries: 0 };
  const seller = new SellerClient(options);
  const send = (): Promise<unknown> => seller.actionGuide.send({ pack_id, option_id: 'OTHER', text: 'Hola' });
  const results = await Promise.allSettled([send(), send()]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(different(await verifyTape(recorder.tape(), fake()))).toEqual([]);
});

describe('tokens on a tape', () => {
  const form = (fields: Record<string, string>): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: '500', client_secret: 'hush', ...fields }).toString(),
  });

  test('codes and refresh tokens are obtained anew, and expired, ended and unknown tokens are rejected as on the tape', async () => {
    const marketplace = fake();
    const recorder = await tapingOf(marketplace);
    const [url, path] = [
      'https://proxy.test/oauth/token',
      'https://proxy.test/messages/unread?role=seller&tag=post_sale',
    ];
    const exchange = async (fields: Record<string, string>): Promise<Record<string, string>> =>
      (await (await recorder.fetch(url, form(fields))).json()) as Record<string, string>;
    const read = (token: string): Promise<Response> => recorder.fetch(path, { headers: { authorization: token } });
    const code = marketplace.accounts.issueAuthorizationCode(1002);
    const first = await exchange({ grant_type: 'authorization_code', code });
    expect((await read(`Bearer ${first.access_token}`)).status).toBe(200);
    await exchange({ grant_type: 'authorization_code', code });
    const second = await exchange({ grant_type: 'refresh_token', refresh_token: first.refresh_token! });
    await exchange({ grant_type: 'refresh_token', refresh_token: first.refresh_token! });
    const earlier = marketplace.accounts.issueRefreshToken(1001);
    await exchange({ grant_type: 'refresh_token', refresh_token: earlier });
    await exchange({ grant_type: 'password' });
    await exchange({ grant_type: 'authorization_code', code: 'TG-wrong' });
    marketplace.clock.advance({ days: 1 });
    expect((await read(`Bearer ${second.access_token}`)).status).toBe(401);
    const third = await exchange({ grant_type: 'refresh_token', refresh_token: second.refresh_token! });
    marketplace.accounts.endGrant({ user_id: 1002 });
    await exchange({ grant_type: 'refresh_token', refresh_token: third.refresh_token! });
    await read(`Bearer ${third.access_token}`);
    await read('Bearer unknown');
    await read('Basic unknown');
    await recorder.fetch(path);
    await recorder.fetch('https://proxy.test/messages/packs/2000000000000001/sellers/1001?tag=post_sale', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${marketplace.tokenFor({ user_id: 1001 }, null)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ from: { user_id: 1001 }, to: { user_id: 1002 }, text: 'Hola' }),
    });
    for (const secret of ['hush', code, earlier, first.access_token!, second.refresh_token!, third.access_token!])
      expect(recorder.text()).not.toContain(secret);
    const results = await verifyTape(recorder.tape(), fake());
    expect(different(results)).toEqual([]);
    expect(new Set(results.map(({ status }) => status.expected))).toEqual(new Set([200, 400, 401]));
  });
});
