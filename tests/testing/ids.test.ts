import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../src/core/operation/endpoint.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { call, marketplace, serveMarketplace, tokens } from '../support/plain-http.ts';

serveMarketplace();

/** What languages with floating-point ids, or with lenient parsers of their own, make of the id 1. */
const wrong = [
  '1.0',
  '1.',
  '1e0',
  '1.0E+0',
  '0x1',
  '0b1',
  '+1',
  '%2B1',
  '-1',
  '1_0',
  '1,0',
  '%201',
  '1%20',
  '1n',
  'NaN',
  'null',
  '%EF%BC%91',
];
const integerFields = ['pack_id', 'user_id', 'seller_id', 'question_id', 'service_id', 'shipment_id'];
const cases = everyEndpoint.flatMap(({ endpoint, input }) =>
  fieldsOf(endpoint.path)
    .filter((name) => integerFields.includes(name))
    .map((field) => ({ endpoint: endpoint.name, field, method: endpoint.method, path: endpoint.path, input })),
);

describe('an id in a path', () => {
  test.each(cases)('$endpoint takes only digits as $field', async ({ field, method, path, input }) => {
    const valid: Record<string, unknown> = { ...input, pack_id: 900, user_id: 1, seller_id: 1 };
    for (const id of wrong) {
      const filled = path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) => (name === field ? id : String(valid[name])));
      const body = method === 'GET' || method === 'DELETE' ? undefined : input;
      const { status } = await call(`${method} ${filled}?tag=post_sale`, { token: tokens.seller, body });
      expect([id, [400, 404].includes(status)]).toEqual([id, true]);
    }
  });

  test('no message is stored for a pack id or a seller id that a float wrote', async () => {
    marketplace.addPack({ pack_id: 2_000_000_000_000_000, seller_id: 1, buyer_id: 2, exceptedCase: true });
    const body = { from: { user_id: 1 }, to: { user_id: 2 }, text: 'Hello' };
    const send = async (pack: string, seller = '1'): Promise<number> =>
      (await call(`POST /messages/packs/${pack}/sellers/${seller}?tag=post_sale`, { token: tokens.seller, body }))
        .status;
    for (const id of [
      '2.0E+15',
      '2e15',
      '2000000000000000.0',
      '0x71afd498d0000',
      '+2000000000000000',
      '%202000000000000000',
    ])
      expect([id, await send(id)]).toEqual([id, 400]);
    for (const id of ['1.0', '1e0', '+1', '0x1']) expect([id, await send('2000000000000000', id)]).toEqual([id, 400]);
    expect(await send('2000000000000000')).toBe(200);
    expect(marketplace.messages.of(marketplace.packs.getOrThrow(2_000_000_000_000_000))).toHaveLength(1);
  });

  test('an id in a query is read by the same rule', async () => {
    for (const id of ['1.0', '1e0', '%2B1', '0x1']) {
      expect((await call(`GET /questions/search?seller_id=${id}`, { token: tokens.seller })).status).toBe(400);
      expect((await call(`GET /sites/MLA/search?q=a&seller_id=${id}`)).status).toBe(400);
    }
  });
});

describe('what the specification does not allow', () => {
  test('a question search takes item or item_id, not both', async () => {
    const { status, body } = await call('GET /questions/search?item=MLA1&item_id=MLA1', { token: tokens.seller });
    expect([status, body]).toMatchObject([400, { message: 'item and item_id are the same parameter; send one' }]);
  });

  test.each(['monday', 'weeks', 'Saturday', '0'])('a kind of day that does not exist is rejected: %s', async (kind) => {
    const path = 'PUT /shipping/flex/sites/MLA/users/1/services/77/configuration/delivery/custom/v3';
    const range = { from: 9, to: 18, capacity: 5, cutoff: 12 };
    const body = { delivery_ranges: { week: [range], [kind]: [range] } };
    const before = marketplace.flex.all;
    const response = await call(path, { token: tokens.seller, body });
    expect([response.status, response.body]).toMatchObject([
      400,
      { message: `invalid JSON body: delivery_ranges has no field ${kind}; it takes week, saturday, sunday` },
    ]);
    expect(marketplace.flex.all).toEqual(before);
  });

  test('a seller cannot block themselves', async () => {
    const { status } = await call('POST /users/1/questions_blacklist', { token: tokens.seller, body: { user_id: 1 } });
    expect(status).toBe(400);
    expect(marketplace.questions.blockedBy(1)).toEqual([]);
  });

  test.each(['ZZZ', 'MLX', 'mla', 'MLA1'])(
    'a file cannot be uploaded to a site that does not exist: %s',
    async (site) => {
      const form = new FormData();
      form.append('file', new Blob(['x']), 'a.txt');
      const headers = { authorization: `Bearer ${tokens.seller}` };
      const url = `${marketplace.baseUrl}/messages/attachments?tag=post_sale&site_id=${site}`;
      const response = await marketplace.fetch(url, { method: 'POST', body: form, headers });
      expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
        400,
        `site_id must be a site such as MLA, not ${site}`,
      ]);
    },
  );
});

describe('a change of the status of an item', () => {
  test('is a notification about each question whose status it changes', () => {
    const seller = marketplace.addUser();
    const buyer = marketplace.addUser();
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    const other = marketplace.addItem({ seller_id: seller.user_id });
    const ask = (item: string): number => marketplace.ask({ from: buyer, item_id: item, text: 'Is it new?' }).id;
    const [open, answered, deleted] = [ask(item_id), ask(item_id), ask(item_id), ask(other.item_id)];
    marketplace.questions.answer(answered, 'Yes.');
    marketplace.questions.delete(deleted);
    const seen: string[] = [];
    const stop = marketplace.events.on(({ topic, resource }) => topic === 'questions' && seen.push(resource));
    marketplace.items.change(item_id, { status: 'closed' });
    marketplace.items.change(item_id, { title: 'Another title' });
    expect(seen).toEqual([`/questions/${open}`]);
    marketplace.items.change(item_id, { status: 'under_review' });
    expect(seen.slice(1)).toEqual([`/questions/${open}`, `/questions/${answered}`]);
    marketplace.items.change(item_id, { status: 'active' });
    expect(seen.slice(3)).toEqual([`/questions/${open}`, `/questions/${answered}`]);
    stop();
  });
});

describe('a link', () => {
  test.each([
    ['See https://example.com/invoice/7', undefined],
    ['See https://bit.ly/x', 'LINK_SHORT_URL'],
    ['See https://facebook.com/shop', 'SOCIAL_NETWORK_LINK'],
    ['Write to @my_shop', 'SOCIAL_NETWORK_LINK'],
    ['Pay at https://paypal.com/me', 'MARKETPLACE_LINKS_EXTERNAL_PAYMENT'],
  ])('is rejected as the guide says: %s', (text, reason) => {
    expect(marketplace.settings.moderate(text)).toBe(reason);
  });
});
