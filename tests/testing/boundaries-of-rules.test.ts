import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Account, Pack } from 'marketplace-seller-sdk/testing';
import { beforeEach, describe, expect, test } from 'vitest';

// The rules of the fake at the last value that is accepted and the first one that is not, and the second time of a thing.

const noon = '2026-03-02T12:00:00.000Z';
const noonMs = Date.parse(noon);
let marketplace: FakeMarketplace;
let seller: Account;
let buyer: Account;
let pack: Pack;

beforeEach(() => {
  marketplace = new FakeMarketplace({ now: noon });
  seller = marketplace.addUser({ user_id: 7 });
  buyer = marketplace.addUser({ user_id: 9 });
  marketplace.addItem({ item_id: 'MLA1', seller_id: 7 });
  pack = sale();
});

const sale = (init: Partial<Parameters<FakeMarketplace['addPack']>[0]> = {}): Pack =>
  marketplace.addPack({ seller_id: 7, buyer_id: 9, ...init });

/** A request as any program may send it: the client checks more. */
async function request(line: string, body?: object, as: Account = seller) {
  const [method = '', path = ''] = line.split(' ');
  const headers = { authorization: `Bearer ${marketplace.tokenFor(as)}`, 'content-type': 'application/json' };
  const url = `${marketplace.baseUrl}${path}`;
  const response = await marketplace.fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as never };
}
const statusOf = async (...args: Parameters<typeof request>): Promise<number> => (await request(...args)).status;
const numberOf = ({ pack_id, order_ids }: Pack): number | string => pack_id ?? order_ids[0]!;

describe('the action guide', () => {
  const send = (body: object, of = pack) =>
    statusOf(`POST /messages/action_guide/packs/${numberOf(of)}/option?tag=post_sale`, body);

  test.each([
    [1, 200],
    [350, 200],
    [351, 400],
  ])('a text of %i characters: %i', async (length, status) => {
    expect(await send({ option_id: 'OTHER', text: 'x'.repeat(length) })).toBe(status);
  });

  test.each([
    [0, 0, 200],
    [0, 24, 200],
    [24, 24, 200],
    [-1, 13, 400],
    [9, 25, 400],
    [9, 12.5, 400],
  ])('a delivery promise from %d to %d: %i', async (from, to, status) => {
    const template_id = 'TEMPLATE___DELIVERY_PROMISE___1';
    const vars = [
      { id: `${template_id}___VAR___INIT`, value: from },
      { id: `${template_id}___VAR___LIMIT`, value: to },
    ];
    expect(await send({ option_id: 'DELIVERY_PROMISE', template_id, vars }, sale({ shipping: 'flex' }))).toBe(status);
  });

  test.each([
    [0, 400],
    [1, 200],
    [2, 200],
    [3, 400],
  ])('the template %i of two: %i', async (number, status) => {
    const body = { option_id: 'REQUEST_VARIANTS', template_id: `TEMPLATE___REQUEST_VARIANTS___${number}` };
    expect(await send(body, sale({ shipping: 'drop_off' }))).toBe(status);
  });

  test.each([
    ['flex', ['DELIVERY_PROMISE']],
    ['cross_docking', ['REQUEST_VARIANTS']],
    ['drop_off', ['REQUEST_VARIANTS']],
    ['fulfilment', []],
    ['custom', []],
  ] as const)('a pack by %s has the options %j beside those of all', async (shipping, own) => {
    const caps = await marketplace.clientFor(seller).actionGuide.caps({ pack_id: numberOf(sale({ shipping })) });
    const ofAll = ['REQUEST_BILLING_INFO', 'SEND_INVOICE_LINK', 'OTHER'];
    expect(caps.map(({ option_id }) => option_id).toSorted()).toEqual([...ofAll, ...own].toSorted());
  });

  test('a reply resets the cap, unless moderation rejects it', async () => {
    const cap = async (): Promise<unknown> =>
      (await marketplace.clientFor(seller).actionGuide.caps({ pack_id: numberOf(pack) })).find(
        ({ option_id }) => option_id === 'OTHER',
      )?.cap_available;
    expect(await send({ option_id: 'OTHER', text: 'Hello' })).toBe(200);
    expect(await cap()).toBe(0);
    marketplace.messages.choose('Write to me', 'PERSONAL_DATA');
    marketplace.buyerWrites({ pack, text: 'Write to me' });
    expect(await cap()).toBe(0);
    marketplace.buyerWrites({ pack, text: 'Thank you' });
    expect(await cap()).toBe(1);
  });
});

describe('contacts', () => {
  const record = (ms: number, times = 1): void =>
    marketplace.viewPhone({ item_id: 'MLA1' }, { at: noonMs + ms, times });
  const path = '/items/MLA1/contacts/phone_views';
  const hour = 3_600_000;
  const window = async (query: string): Promise<{ date_from: string; results: { date: string; total: number }[] }> =>
    (await request(`GET ${path}/time_window?unit=hour&${query}`)).body;

  test('an interval begins with its first moment, and the window ends with its last', async () => {
    marketplace.clock.advance({ hours: 1 });
    for (const [ms, times] of [[-hour - 1, 1], [-hour, 10], [-1, 100], [0, 1_000], [hour, 10_000], [hour + 1, 100_000]] as const) record(ms, times); // prettier-ignore
    const { results, date_from } = await window('last=3');
    expect(results.map(({ total }) => total)).toEqual([110, 1_000, 10_000]);
    expect(results.map(({ date }) => date)).toEqual(['2026-03-02T11:00:00Z', '2026-03-02T12:00:00Z', '2026-03-02T13:00:00Z']); // prettier-ignore
    expect(date_from).toBe('2026-03-02T11:00:00Z');
    expect((await window('last=3&order=desc')).results).toEqual(results.toReversed());
    expect((await window('')).results.map(({ total }) => total)).toEqual([10_000]);
  });

  test.each([
    [0, 400],
    [1, 200],
    [3, 200],
    [4, 400],
  ])('of at most 3 intervals, %i: %i', async (last, status) => {
    marketplace.settings.maxWindowIntervals = 3;
    expect(await statusOf(`GET ${path}/time_window?unit=hour&last=${last}`)).toBe(status);
  });

  test.each<[string, string, number | undefined]>([
    [noon, noon, 10],
    [noon, '2026-03-02T12:00:00.001Z', 110],
    ['2026-03-02T12:00:00.001Z', noon, undefined],
    ['2026-03-02', '2026-03-02', 1_110],
    ['2026-03-03', '2026-03-03', 10_000],
    ['2026-03-02', '2026-03-03', 11_110],
  ])('from %s to %s: %j', async (from, to, total) => {
    for (const [ms, times] of [[0, 10], [1, 100], [12 * hour - 1, 1_000], [12 * hour, 10_000]] as const) record(ms, times); // prettier-ignore
    const found = await request(`GET ${path}?date_from=${from}&date_to=${to}`);
    expect(found.status).toBe(total === undefined ? 400 : 200);
    if (total !== undefined) expect(found.body).toMatchObject({ total });
  });

  test.each([
    ['MLA1', 200, 1],
    ['MLA1,MLA1', 200, 1],
    ['MLA1,MLA2', 200, 2],
    ['MLA1,MLA2,MLA3', 400, undefined],
    ['', 400, undefined],
  ])('of at most 2 items, %j: %i', async (ids, status, length) => {
    marketplace.settings.maxIds = 2;
    for (const item_id of ['MLA2', 'MLA3']) marketplace.addItem({ item_id, seller_id: 7 });
    const found = await request(`GET /items/contacts/phone_views/time_window?unit=day&ids=${ids}`);
    expect(found.status).toBe(status);
    if (length !== undefined) expect((found.body as unknown[]).length).toBe(length);
  });

  test('a window of an item counts those of other items that are asked for with it', async () => {
    marketplace.addItem({ item_id: 'MLA2', seller_id: 7 });
    record(-1);
    marketplace.viewPhone({ item_id: 'MLA2' }, { at: noonMs - 1, times: 5 });
    const total = async (query: string): Promise<unknown> =>
      ((await request(`GET ${path}/time_window?unit=day&${query}`)).body as { total: number }).total;
    expect([await total(''), await total('ids=MLA2'), await total('ids=MLA1,MLA2')]).toEqual([1, 6, 6]);
  });
});

describe('Flex', () => {
  const subscribe = (init: object = {}) => marketplace.flex.subscribe({ user_id: 7, service_id: 3, ...init });
  const place = '/shipping/flex/sites/MLA/users/7/services/3/configuration';
  const range = { from: 9, to: 13, capacity: 20, cutoff: 8 };
  const set = (given: object) =>
    statusOf(`PUT ${place}/delivery/custom/v3`, { delivery_ranges: { week: [{ ...range, ...given }] } });
  const configuration = () =>
    marketplace.clientFor(seller).flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 3 });

  test.each([
    [{ from: -1 }, 400],
    [{ from: 0 }, 200],
    [{ from: 24, to: 24 }, 200],
    [{ to: 24 }, 200],
    [{ to: 25 }, 400],
    [{ cutoff: 0 }, 200],
    [{ cutoff: 24 }, 200],
    [{ cutoff: 25 }, 400],
    [{ capacity: 0 }, 400],
    [{ capacity: 1 }, 200],
    [{ capacity: 500 }, 200],
    [{ capacity: 501 }, 400],
  ])('a range with %j: %i', async (given, status) => {
    subscribe();
    expect(await set(given)).toBe(status);
  });

  test('each hour that can be set is available', async () => {
    subscribe();
    const { availables } = await configuration();
    const hours = Array.from({ length: 25 }, (_, hour) => hour);
    expect([availables?.ranges, availables?.cutoff]).toEqual([hours, hours]);
    expect(availables?.capacity_range).toEqual({ from: 1, to: 500 });
  });

  test.each([
    [{}, []],
    [{ week: [] }, []],
    [{ week: [range] }, ['week']],
    [{ week: [range], saturday: [], sunday: [range] }, ['week', 'sunday']],
  ])('with the ranges %j a seller works on %j', async (delivery_ranges, days) => {
    subscribe({ delivery_ranges });
    expect((await configuration()).working_days).toEqual(days);
  });

  test.each([
    ['in', 200, 0],
    ['pending', 200, 2],
    ['out', 404, 0],
  ] as const)(
    'a subscription that is %s: a change gets %i, and %i weeks of training remain',
    async (status, expected, weeks) => {
      marketplace.settings.liveFields = true;
      subscribe({ status });
      expect(await set({})).toBe(expected);
      expect((await configuration()).subscription?.training_times).toMatchObject({
        original: { value: 2 },
        remaining: { value: weeks },
      });
    },
  );

  test('a subscription to Turbo has no ranges and no zones to set, whatever its status', async () => {
    subscribe({ service_id: 2 });
    const turbo = subscribe({ mode: 'TURBO' });
    const change = async (): Promise<number[]> => [
      await set({}),
      await statusOf(`PUT ${place}/coverage/zone/v3`, { zones: [{ id: 'MLA-1' }] }),
    ];
    expect(await change()).toEqual([400, 400]);
    marketplace.flex.setStatus(turbo.id, 'pending');
    expect(await change()).toEqual([400, 400]);
  });

  test.each(['pending', 'out'] as const)('Turbo is out when Flex is %s, and not when it is in again', (status) => {
    const flex = subscribe({ service_id: 2 });
    subscribe({ mode: 'TURBO' });
    marketplace.flex.setStatus(flex.id, status);
    const statuses = (): string[] => marketplace.flex.subscriptionsOf(7).map((each) => each.status);
    expect(statuses()).toEqual([status, 'out']);
    marketplace.flex.setStatus(flex.id, 'in');
    expect(statuses()).toEqual(['in', 'out']);
  });

  test.each<[string[], number]>([
    [[], 403],
    [['out'], 403],
    [['in'], 204],
    [['pending'], 204],
  ])('an item of a seller with the subscriptions %j is enabled with %i', async (statuses, expected) => {
    for (const status of statuses) subscribe({ status });
    expect(await statusOf('POST /sites/MLA/shipping/selfservice/items/MLA1')).toBe(expected);
  });
});

test.each([
  [1, 200],
  [20, 200],
  [21, 400],
])('of items, %i are read at once: %i', async (count, status) => {
  const ids = Array.from({ length: count }, (_, index) => `MLA${index + 1}`).join(',');
  expect(await statusOf(`GET /items?ids=${ids}&attributes=status`)).toBe(status);
});

describe('messages', () => {
  const send = (text: string, as = seller, of = pack) => {
    const body = { from: { user_id: as.user_id }, to: { user_id: as === seller ? 9 : 7 }, text };
    return statusOf(`POST /messages/packs/${numberOf(of)}/sellers/7?tag=post_sale`, body, as);
  };
  const read = async (query = '', of = pack) =>
    (await request(`GET /messages/packs/${numberOf(of)}/sellers/7?tag=post_sale${query}`)).body as {
      messages: { text: string; message_date: Record<string, string | null>; message_attachments: unknown }[];
      conversation_status: { status_date: string };
      paging: object;
    };

  test.each([
    ['the seller', 350, 200],
    ['the seller', 351, 400],
    ['the buyer', 3_500, 200],
    ['the buyer', 3_501, 400],
  ])('%s writes %i characters: %i', async (by, length, status) => {
    marketplace.buyerWrites({ pack, text: 'Hello' });
    expect(await send('x'.repeat(length), by === 'the seller' ? seller : buyer)).toBe(status);
  });

  test.each([
    [{ inMediation: true }, 200],
    [{ inMediation: true, site_id: 'MLB' }, 403],
    [{ shipping: 'fulfilment', delivered: false }, 403],
    [{ shipping: 'fulfilment', delivered: true }, 200],
    [{ blockedBy: 'blocked_by_time' }, 403],
  ] as const)('in a pack with %j the seller gets %i, and the buyer may write', async (init, status) => {
    const of = sale(init);
    expect(await send('Hello', buyer, of)).toBe(200);
    expect(await send('Hello', seller, of)).toBe(status);
  });

  test.each<[object, number, string | undefined, number, string | undefined]>([
    [{}, 200, undefined, 403, 'blocked_by_conversation_initiated_by_seller'],
    [{ exceptedCase: true }, 400, 'blocked_by_excepted_case', 200, undefined],
    [{ blockedBy: 'blocked_by_time' }, 403, 'blocked_by_time', 403, 'blocked_by_time'],
    [{ exceptedCase: true, blockedBy: 'blocked_by_time' }, 400, 'blocked_by_excepted_case', 403, 'blocked_by_time'],
  ])('of a pack with %j the guide responds %i (%s), and a first message gets %i (%s)', async (init, guide, why, status, reason) => {
    const of = sale(init);
    const offered = await request(`GET /messages/action_guide/packs/${numberOf(of)}?tag=post_sale`);
    expect([offered.status, /blocked_by_\w+/.exec(JSON.stringify(offered.body))?.[0]]).toEqual([guide, why]);
    const shown = await request(`GET /messages/packs/${numberOf(of)}/sellers/7?tag=post_sale`);
    expect(/blocked_by_\w+/.exec(JSON.stringify(shown.body))?.[0]).toBe(reason);
    expect(await send('Hello', seller, of)).toBe(status);
  }); // prettier-ignore

  test.each([
    ['&limit=0', 400],
    ['&limit=-1', 400],
    ['&limit=1', 200],
    ['&limit=1&offset=0', 200],
    ['&offset=-1', 400],
  ])('a page with %s: %i', async (query, status) => {
    const line = `GET /messages/packs/${numberOf(pack)}/sellers/7?tag=post_sale${query}`;
    expect(await statusOf(line)).toBe(status);
  });

  test.each([
    [1, 1],
    [3, 3],
    [4, 3],
  ])('a page of %i, where 3 are the most, has %i', async (limit, length) => {
    marketplace.settings.maxPageSize = 3;
    for (let n = 1; n <= 7; n += 1) marketplace.buyerWrites({ pack, text: `${n}` });
    const { messages, paging } = await read(`&limit=${limit}`);
    expect(messages.length).toBe(length);
    expect(paging).toEqual({ total: 7, offset: 0, limit: length });
  });

  test.each([
    [0, 200],
    [25, 200],
    [26, 400],
  ])('a message with %i files: %i', async (count, status) => {
    marketplace.buyerWrites({ pack, text: 'Hello' });
    const bytes = new Uint8Array(1);
    const attachments = Array.from({ length: count }, (_, n) => {
      return marketplace.attachments.add({ owner: 7, site_id: 'MLA', filename: `${n}.pdf`, type: '', bytes }).id;
    });
    const body = { from: { user_id: 7 }, to: { user_id: 9 }, text: 'Here they are', attachments };
    expect(await statusOf(`POST /messages/packs/${numberOf(pack)}/sellers/7?tag=post_sale`, body)).toBe(status);
  });

  test.each([
    [0, 400],
    [1, 201],
    [25 * 1024 * 1024, 201],
    [25 * 1024 * 1024 + 1, 400],
  ])('a file of %i bytes: %i', async (length, status) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(length)]), 'a.pdf');
    const url = `${marketplace.baseUrl}/messages/attachments?tag=post_sale&site_id=MLA`;
    const headers = { authorization: `Bearer ${marketplace.tokenFor(seller)}` };
    expect((await marketplace.fetch(url, { method: 'POST', headers, body: form })).status).toBe(status);
  });

  test('an invalid seed leaves a conversation as it was', async () => {
    for (const text of ['One', 'Two']) marketplace.buyerWrites({ pack, text });
    expect(() => marketplace.seed({ items: [{ seller_id: 99 }] })).toThrow('99');
    expect(await read()).toMatchObject({ paging: { total: 2 }, messages: [{ text: 'Two' }, { text: 'One' }] });
    expect(marketplace.messages.of(pack).length).toBe(2);
  });

  test('pages of three of seven messages, the newest first, and none behind the last', async () => {
    for (let n = 1; n <= 7; n += 1) marketplace.buyerWrites({ pack, text: `${n}` });
    const textsAt = async (offset: number): Promise<string[]> =>
      (await read(`&limit=3&offset=${offset}`)).messages.map(({ text }) => text);
    const pages = [await textsAt(0), await textsAt(3), await textsAt(6), await textsAt(7)];
    expect(pages).toEqual([['7', '6', '5'], ['4', '3', '2'], ['1'], []]);
  });

  test('a message is read when it is first shown, unless the reader says otherwise', async () => {
    marketplace.buyerWrites({ pack, text: 'Hello' });
    const readAt = async (query: string): Promise<unknown> => {
      await read(query);
      return (await read('&mark_as_read=false')).messages[0]!.message_date.read;
    };
    expect(await readAt('&mark_as_read=false')).toBeNull();
    marketplace.clock.advance({ hours: 1 });
    expect(await readAt('')).toBe('2026-03-02T13:00:00.000Z');
    marketplace.clock.advance({ hours: 1 });
    expect(await readAt('')).toBe('2026-03-02T13:00:00.000Z');
  });

  test.each([
    ['clean', 'available', noon],
    ['rejected', 'moderated', null],
    ['pending', 'available', null],
  ] as const)(
    'a message that is %s has the status %s, and is available since %j',
    async (judgement, status, available) => {
      if (judgement === 'pending') marketplace.messages.moderation = 'later';
      if (judgement === 'rejected') marketplace.messages.choose('Hello', 'PERSONAL_DATA');
      marketplace.messages.add(pack, { from: 7, text: 'Hello' });
      const { messages } = await read();
      expect(messages).toMatchObject([
        {
          status,
          message_date: { available, notified: available, received: noon, created: noon },
          message_attachments: null,
        },
      ]);
      const unread = await marketplace.clientFor(buyer).messages.conversation({ pack_id: numberOf(pack), user_id: 7 }).total(); // prettier-ignore
      expect(unread).toBe(judgement === 'clean' ? 1 : 0);
    },
  );

  test('the newest choice of moderation counts, also one that was made before', () => {
    const reasonOf = (): unknown => marketplace.messages.add(pack, { from: 7, text: 'Call me' }).moderation.reason;
    marketplace.messages.choose('Call', 'PERSONAL_DATA');
    marketplace.messages.choose('me', null);
    expect(reasonOf()).toBeNull();
    marketplace.messages.choose('Call', 'PERSONAL_DATA');
    expect(reasonOf()).toBe('PERSONAL_DATA');
  });

  test('of the messages to a seller, those that moderation rejected are not unread, and 500 conversations are listed', async () => {
    const unread = async (): Promise<unknown[]> =>
      ((await request('GET /messages/unread?role=seller&tag=post_sale')).body as { results: unknown[] }).results;
    marketplace.messages.choose('Call me', 'PERSONAL_DATA');
    marketplace.buyerWrites({ pack, text: 'Call me' });
    expect(await unread()).toEqual([]);
    for (let n = 0; n < 501; n += 1) marketplace.buyerWrites({ pack: sale(), text: 'Hello' });
    expect((await unread()).length).toBe(500);
  });

  test('the status of a conversation dates from its last change, or from the first message of the buyer', async () => {
    const since = async (): Promise<string> => (await read()).conversation_status.status_date;
    const at = (hour: number): string => `2026-03-02T${hour}:00:00.000Z`;
    expect(await since()).toBe(noon);
    for (const hour of [13, 14]) {
      marketplace.clock.set(at(hour));
      marketplace.buyerWrites({ pack, text: 'Hello' });
      expect(await since()).toBe(at(13));
    }
    marketplace.packs.change(pack, { delivered: true });
    expect(await since()).toBe(at(14));
  });

  test('a second mediation of a pack has the claim of the first', () => {
    const first = marketplace.packs.change(pack, { inMediation: true }).claim_id;
    marketplace.packs.change(pack, { inMediation: false });
    expect(marketplace.packs.change(pack, { inMediation: true }).claim_id).toBe(first);
  });

  test('a file has a site, is gone after its time to the millisecond, and not if a message uses it', async () => {
    const [unused, used] = ['a.txt', 'b.txt'].map((filename) => {
      const bytes = new TextEncoder().encode('1234');
      return marketplace.attachments.add({ owner: 7, site_id: 'MLA', filename, type: 'text/plain', bytes }).id;
    });
    marketplace.attachments.use(used!);
    const statuses = (site = 'MLA'): Promise<number[]> =>
      Promise.all(
        [unused, used].map((id) => statusOf(`GET /messages/attachments/${id}?tag=post_sale&site_id=${site}`)),
      );
    expect(await statuses()).toEqual([200, 200]);
    expect(await statuses('MLB')).toEqual([404, 404]);
    marketplace.clock.advance({ ms: marketplace.settings.attachmentLifetimeMs - 1 });
    expect(await statuses()).toEqual([200, 200]);
    marketplace.clock.advance({ ms: 1 });
    expect(await statuses()).toEqual([404, 200]);
    const rest = { byteLength: 512 * 1024 * 1024 - 4 } as Uint8Array<ArrayBuffer>;
    marketplace.attachments.add({ owner: 7, site_id: 'MLA', filename: 'c.txt', type: '', bytes: new Uint8Array(0) });
    expect(marketplace.attachments.hasRoomFor(rest)).toBe(true);
    expect(marketplace.attachments.hasRoomFor({ byteLength: rest.byteLength + 1 } as typeof rest)).toBe(false);
  });
});

describe('questions', () => {
  const ask = (text: string) => marketplace.ask({ from: buyer, item_id: 'MLA1', text });
  const search = async (query: string): Promise<string[]> =>
    (
      (await request(`GET /questions/search?item=MLA1${query}`)).body as { questions: { text: string }[] }
    ).questions.map(({ text }) => text);

  test.each([
    [2_000, 201],
    [2_001, 400],
  ])('of %i characters: %i', async (length, status) => {
    expect(await statusOf('POST /questions', { item_id: 'MLA1', text: 'x'.repeat(length) }, buyer)).toBe(status);
  });

  test.each([
    ['', ['c', 'b', 'a']],
    ['&sort_fields=date_created', ['a', 'b', 'c']],
    ['&sort_fields=date_created&sort_types=ASC', ['a', 'b', 'c']],
    ['&sort_fields=date_created&sort_types=DESC', ['c', 'b', 'a']],
    ['&sort_fields=seller_id&sort_types=DESC', ['c', 'b', 'a']],
  ])('of one moment are found in the order of their ids, by %j', async (query, expected) => {
    for (const text of ['a', 'b', 'c']) ask(text);
    expect(await search(query)).toEqual(expected);
  });

  test.each([
    ['date_created,item_id', '', 200],
    ['date_created,item_id', 'ASC', 400],
    ['date_created,item_id', 'ASC,DESC', 200],
    ['date_created,item_id', 'ASC,DESC,ASC', 400],
    ['', 'ASC', 400],
  ])('sorted by %j in the directions %j: %i', async (fields, types, status) => {
    expect(await statusOf(`GET /questions/search?item=MLA1&sort_fields=${fields}&sort_types=${types}`)).toBe(status);
  });

  test.each([
    ['', ['open']],
    ['&status=UNANSWERED', ['open']],
    ['&status=unanswered', ['open']],
    ['&status=DELETED', ['']],
    ['&status=unanswered,deleted', ['', 'open']],
  ])('that are deleted are found only by their status: %j', async (query, expected) => {
    ask('open');
    marketplace.questions.delete(ask('deleted').id);
    expect(await search(query)).toEqual(expected);
  });

  test.each([
    ['active', 'ANSWERED', 'UNANSWERED'],
    ['paused', 'ANSWERED', 'UNANSWERED'],
    ['closed', 'ANSWERED', 'CLOSED_UNANSWERED'],
    ['under_review', 'UNDER_REVIEW', 'UNDER_REVIEW'],
  ] as const)('of an item that is %s are %s or %s', (status, answered, open) => {
    const [first, second] = [ask('a'), ask('b')];
    marketplace.questions.answer(first.id, 'Yes.');
    marketplace.items.change('MLA1', { status });
    const statuses = [first, second].map(({ id }) =>
      marketplace.questions.statusOf(marketplace.questions.getOrThrow(id)),
    );
    expect(statuses).toEqual([answered, open]);
  });

  test('are deleted once, and then shown to those with a token', async () => {
    const { id } = ask('a');
    expect([await statusOf(`DELETE /questions/${id}`), await statusOf(`DELETE /questions/${id}`)]).toEqual([200, 404]);
    expect((await request(`GET /questions/${id}`)).body).toMatchObject({ status: 'DELETED', text: '' });
    expect((await marketplace.fetch(`${marketplace.baseUrl}/questions/${id}`)).status).toBe(404);
  });

  test.each([
    [60, null],
    [61, 3],
    [119, 3],
    [120, 4],
    [27 * 60 + 59, 29],
    [28 * 60, 30],
    [40 * 60, 30],
  ])('answered after %i minutes forecast %j percent more sales', async (minutes, percent) => {
    const { id } = marketplace.clock.at('2026-02-23T13:00:00Z', () => ask('a'));
    marketplace.clock.at(new Date(Date.parse('2026-02-23T13:00:00Z') + minutes * 60_000), () => marketplace.questions.answer(id, 'Yes.')); // prettier-ignore
    const record = await marketplace.clientFor(seller).questions.responseTime({ user_id: 7 });
    expect(record.weekdays_working_hours).toEqual({ response_time: minutes, sales_percent_increase: percent });
  });

  test('the response time is computed once a day of the site, and anew on the next', async () => {
    const total = async (): Promise<unknown> =>
      (await marketplace.clientFor(seller).questions.responseTime({ user_id: 7 })).total?.response_time;
    const answeredAfter = (minutes: number): void => {
      const { id } = marketplace.ask({ from: marketplace.addUser(), item_id: 'MLA1', text: 'New?' });
      marketplace.clock.advance({ minutes });
      marketplace.questions.answer(id, 'Yes.');
    };
    answeredAfter(10);
    expect(await total()).toBe(10);
    answeredAfter(30);
    // Argentina is three hours behind UTC.
    marketplace.clock.set('2026-03-03T02:59:59.999Z');
    expect(await total()).toBe(10);
    marketplace.clock.set('2026-03-03T03:00:00.000Z');
    expect(await total()).toBe(20);
  });
});

describe('tokens', () => {
  test('expire at their moment, in seconds', () => {
    const token = marketplace.accounts.issueToken(7, 500, undefined, 2);
    marketplace.clock.advance({ ms: 1_999 });
    expect([marketplace.accounts.bearerOf(token)?.user_id, marketplace.accounts.isExpired(token)]).toEqual([7, false]);
    marketplace.clock.advance({ ms: 1 });
    expect([marketplace.accounts.bearerOf(token)?.user_id, marketplace.accounts.isExpired(token)]).toEqual([
      undefined,
      true,
    ]);
  });

  test.each(['authorization_code', 'refresh_token'] as const)('a %s works once, for its application', (kind) => {
    const { accounts } = marketplace;
    const value =
      kind === 'refresh_token' ? accounts.issueRefreshToken(7, 501) : accounts.issueAuthorizationCode(7, 501);
    const other = kind === 'refresh_token' ? 'authorization_code' : 'refresh_token';
    expect(accounts.redeem(kind, value, 500)).toBeUndefined();
    expect(accounts.redeem(other, value, 501)).toBeUndefined();
    expect(accounts.redeem(kind, value, 501)).toMatchObject({ user_id: 7, application_id: 501 });
    expect(accounts.redeem(kind, value, 501)).toBeUndefined();
  });

  test.each<[number | undefined, boolean[]]>([
    [undefined, [false, false, true]],
    [500, [false, true, true]],
    [501, [true, false, true]],
  ])('the end of the grant of application %j leaves those of others', (application_id, isLeft) => {
    const { accounts } = marketplace;
    const tokens = [accounts.issueToken(7, 500), accounts.issueToken(7, 501), accounts.issueToken(9, 500)];
    accounts.endGrant({ user_id: 7 }, application_id);
    expect(tokens.map((token) => accounts.bearerOf(token) !== undefined)).toEqual(isLeft);
  });

  test('have the lifetime that is set', async () => {
    marketplace.settings.accessTokenLifetimeSeconds = 60;
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: '500',
      client_secret: 'secret',
      refresh_token: marketplace.accounts.issueRefreshToken(7),
    });
    const response = await marketplace.fetch(`${marketplace.baseUrl}/oauth/token`, { method: 'POST', body: form });
    const { expires_in, access_token } = (await response.json()) as { expires_in: number; access_token: string };
    expect(expires_in).toBe(60);
    marketplace.clock.advance({ seconds: 60 });
    expect(marketplace.accounts.isExpired(access_token)).toBe(true);
  });
});

describe('a rate', () => {
  const currencies = async (as = seller): Promise<number> => statusOf('GET /currencies', undefined, as);

  test('of 2 a second and 3 a minute holds for both, to the millisecond', async () => {
    marketplace.rateLimiter.set({ perSecond: 2, perMinute: 3, retryAfter: true });
    const after = async (ms: number): Promise<number> => {
      marketplace.clock.advance({ ms });
      return currencies();
    };
    expect([await after(0), await after(0), await after(0)]).toEqual([200, 200, 429]);
    expect([await after(999), await after(1), await after(58_999), await after(1)]).toEqual([429, 200, 429, 200]);
  });

  test.each([
    [0, '1'],
    [1, '1'],
    [999, '1'],
  ])('states whole seconds to wait after %i ms: %s', async (ms, seconds) => {
    marketplace.rateLimiter.set({ perSecond: 1, retryAfter: true });
    const token = marketplace.tokenFor(seller);
    const get = () =>
      marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers: { authorization: `Bearer ${token}` } });
    await get();
    marketplace.clock.advance({ ms });
    expect((await get()).headers.get('retry-after')).toBe(seconds);
  });

  test.each([
    ['application', [200, 429, 429]],
    ['user', [200, 429, 200]],
  ] as const)('per %s counts those calls together', async (per, statuses) => {
    marketplace.rateLimiter.set({ perMinute: 1, per });
    expect([await currencies(), await currencies(), await currencies(buyer)]).toEqual(statuses);
  });

  test('counts tokens without an application by their user', async () => {
    marketplace.rateLimiter.set({ perMinute: 1 });
    const get = async (as: Account): Promise<number> => {
      const headers = { authorization: `Bearer ${marketplace.tokenFor(as, null)}` };
      return (await marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers })).status;
    };
    expect([await get(seller), await get(seller), await get(buyer)]).toEqual([200, 429, 200]);
  });
});

test.each([
  [{ times: 1 }, [503, 200, 200, 200]],
  [{ times: 2 }, [503, 503, 200, 200]],
  [{ skip: 1 }, [200, 503, 200, 200]],
  [{ skip: 2 }, [200, 200, 503, 200]],
  [{ skip: 1, times: 2 }, [200, 503, 503, 200]],
])('a fault with %j: %j', async (given, expected) => {
  marketplace.faults.inject({ status: 503, ...given });
  const statuses: number[] = [];
  for (let call = 0; call < 4; call += 1) statuses.push(await statusOf('GET /currencies'));
  expect(statuses).toEqual(expected);
});
