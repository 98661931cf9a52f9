import { describe, expect, test } from 'vitest';
import {
  buyer,
  marketplace,
  noon,
  numberOf,
  pack,
  request,
  sale,
  seller,
  serveShop,
  statusOf,
} from '../support/fake-shop.ts';

// The action guide and conversations of the fake, at the last value that is accepted and the first one that is not.

serveShop();

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
  ])(
    'of a pack with %j the guide responds %i (%s), and a first message gets %i (%s)',
    async (init, guide, why, status, reason) => {
      const of = sale(init);
      const offered = await request(`GET /messages/action_guide/packs/${numberOf(of)}?tag=post_sale`);
      expect([offered.status, /blocked_by_\w+/.exec(JSON.stringify(offered.body))?.[0]]).toEqual([guide, why]);
      const shown = await request(`GET /messages/packs/${numberOf(of)}/sellers/7?tag=post_sale`);
      expect(/blocked_by_\w+/.exec(JSON.stringify(shown.body))?.[0]).toBe(reason);
      expect(await send('Hello', seller, of)).toBe(status);
    },
  );

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
      const unread = await marketplace
        .clientFor(buyer)
        .messages.conversation({ pack_id: numberOf(pack), user_id: 7 })
        .total();
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

  test.each([
    ['MLA', 200],
    ['MLB', 404],
  ])('a file of MLA is read from %s: %i', async (site, status) => {
    const file = {
      owner: 7,
      site_id: 'MLA',
      filename: 'a.txt',
      type: 'text/plain',
      bytes: new TextEncoder().encode('1234'),
    };
    const { id } = marketplace.attachments.add(file);
    expect(await statusOf(`GET /messages/attachments/${id}?tag=post_sale&site_id=${site}`)).toBe(status);
  });
});
