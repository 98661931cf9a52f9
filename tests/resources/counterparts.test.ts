import { InvalidInputError, NotFoundError, PackAccessError, SellerClient } from 'marketplace-seller-sdk';
import type { Message } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { errorOf, receiving } from '../support/stubs.ts';

const [seller, buyer, agent] = [7, 31, 3037675074];
const whose = { pack_id: '2000000012345678', user_id: seller };
const text = 'It leaves today.';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: { to?: { user_id: number }; from?: unknown; text?: string; option_id?: string } | undefined;
}

/** A service with these messages, and an action guide with the option OTHER; `sent` is what it was asked. */
function serviceWith(messages: readonly unknown[] | Response, guide: unknown = { options: [other] }) {
  const sent: Sent[] = [];
  const fetch = receiving(async (request) => {
    const { pathname: path, searchParams: query } = new URL(request.url);
    const content = await request.text();
    const body = content ? (JSON.parse(content) as Sent['body']) : undefined;
    sent.push({ method: request.method, path, query, body });
    if (request.method === 'POST') return Response.json({ id: 'new', status: 'available', text });
    if (path.includes('action_guide')) return guide instanceof Response ? guide.clone() : Response.json(guide);
    if (messages instanceof Response) return messages.clone();
    const offset = Number(query.get('offset') ?? 0);
    const page = messages.slice(offset, offset + 10);
    return Response.json({ messages: page, paging: { total: messages.length, limit: 10, offset } });
  });
  const client = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token-1', fetch, maxRetries: 0 });
  return { client, sent, written: () => sent.filter(({ method }) => method === 'POST') };
}

const other = { id: 'OTHER', enabled: true, type: 'free_text', actionable: true, char_limit: 350, cap_available: 1 };
const dated = (hour: number) => ({ message_date: { created: `2026-03-02T${String(hour).padStart(2, '0')}:00:00Z` } });
const from = (user_id: number, hour: number, rest: object = {}) => ({
  id: `m-${user_id}-${hour}`,
  from: { user_id },
  to: { user_id: seller },
  ...dated(hour),
  ...rest,
});
const to = (user_id: number, hour: number) => ({
  id: `s-${user_id}-${hour}`,
  from: { user_id: seller },
  to: { user_id },
  ...dated(hour),
});
const excepted = Response.json(
  { error: 'bad_request', message: 'no', cause: 'blocked_by_excepted_case' },
  { status: 400 },
);

const conversations: [string, number, readonly object[]][] = [
  ['the buyer', buyer, [from(buyer, 9)]],
  ['an agent in the place of the buyer', agent, [from(agent, 9)]],
  ['an agent to whom the seller has written', agent, [from(buyer, 9), to(agent, 10)]],
  ['an agent who came later', agent, [from(buyer, 9), to(buyer, 10), from(agent, 11)]],
  ['the same, newest first', agent, [from(agent, 11), to(buyer, 10), from(buyer, 9)]],
  ['a buyer who came back', buyer, [from(agent, 9), from(buyer, 10)]],
  ['the only one, without a date', agent, [{ id: 'a', from: { user_id: agent } }]],
  ['a dated message before one without a date', buyer, [{ id: 'a', from: { user_id: agent } }, from(buyer, 9)]],
  ['one of several receivers', agent, [from(buyer, 9), { ...to(0, 10), to: [{ user_id: agent }, { user_id: buyer }] }]],
  [
    'someone on the third page',
    agent,
    [...Array.from({ length: 25 }, (_, at) => ({ ...from(buyer, 9), id: `b${at}` })), from(agent, 10)],
  ],
];

describe.each(conversations)('a conversation that shows %s', (_, counterpart, messages) => {
  test('channel() tells its counterpart', async () => {
    const { client, sent } = serviceWith(messages);
    expect((await client.messages.channel(whose)).counterpart).toEqual({ user_id: counterpart });
    expect(sent.every(({ method, query }) => method === 'GET' && query.get('mark_as_read') === 'false')).toBe(true);
  });

  test('contact() and reply() read it first, leave it unread and write to its counterpart', async () => {
    const byContact = serviceWith(messages);
    await byContact.client.messages.contact({ ...whose, text });
    const byReply = serviceWith(messages);
    const resources = {
      message_resources: [
        { id: whose.pack_id, name: 'packs' },
        { id: '7', name: 'sellers' },
      ],
    };
    await byReply.client.messages.reply({ ...from(buyer, 9), ...resources }, text);
    for (const { sent, written } of [byContact, byReply]) {
      expect(sent[0]).toMatchObject({ method: 'GET', path: `/messages/packs/${whose.pack_id}/sellers/7` });
      expect(sent[0]!.query.get('mark_as_read')).toBe('false');
      expect(written()).toHaveLength(1);
      expect(written()[0]!.body).toEqual({ from: { user_id: seller }, to: { user_id: counterpart }, text });
    }
  });

  test('a `to` that contradicts it is rejected, and one that does not is sent', async () => {
    const { client, written } = serviceWith(messages);
    const error = await errorOf<InvalidInputError>(client.messages.contact({ ...whose, to: { user_id: 99 }, text }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.issues).toMatchObject([{ path: ['to', 'user_id'] }]);
    expect(written()).toEqual([]);
    await client.messages.contact({ ...whose, to: { user_id: String(counterpart), site_id: 'MLA' }, text });
    expect(written()[0]!.body?.to).toEqual({ user_id: counterpart, site_id: 'MLA' });
  });
});

test('send() is one request, to whomever it is given', async () => {
  const { client, sent } = serviceWith([from(agent, 9)]);
  await client.messages.send({ ...whose, to: { user_id: buyer }, text });
  expect(sent.map(({ method, body }) => [method, body?.to])).toEqual([['POST', { user_id: buyer }]]);
});

describe('before anybody has written', () => {
  test.each<[string, readonly unknown[] | Response]>([
    ['an empty conversation', []],
    ['a conversation that does not exist yet', Response.json({ error: 'not_found' }, { status: 404 })],
    ['a 404 without a body', new Response(null, { status: 404 })],
    ['only a message of the seller', [to(buyer, 9)]],
    ['only a message whose sender is not shown', [{ ...to(buyer, 9), from: null }]],
    ['a 404 in words', new Response('No messages: 0 < 1', { status: 404 })],
  ])('%s lets contact() use an option, without `to`', async (_, messages) => {
    const { client, written } = serviceWith(messages);
    await expect(client.messages.contact({ ...whose, text })).resolves.toMatchObject({ channel: 'option' });
    expect(written().map(({ body }) => body)).toEqual([{ option_id: 'OTHER', text }]);
    const channel = await client.messages.channel(whose);
    expect(channel.channel).toBe('option');
  });

  test('an excepted case needs `to`', async () => {
    const { client, written } = serviceWith([], excepted);
    // The option is rejected by the guide that the files ask for.
    const files = { attachments: ['a.pdf'] };
    const error = await errorOf<InvalidInputError>(client.messages.contact({ ...whose, text, ...files }));
    expect(error.issues).toEqual([{ path: ['to'], message: '`to` is missing, and the conversation shows nobody yet' }]);
    expect(written()).toEqual([]);
    await client.messages.contact({ ...whose, text, ...files, to: { user_id: buyer } });
    expect(written()[0]!.body?.to).toEqual({ user_id: buyer });
    await expect(client.messages.channel(whose)).resolves.toMatchObject({ channel: 'conversation' });
  });

  test.each([
    ['a page of a proxy', new Response('<html>Not found</html>', { status: 404 }), NotFoundError],
    [
      'no access',
      Response.json({ message: 'The user token has no access to the order' }, { status: 403 }),
      PackAccessError,
    ],
  ])('%s is an error of contact() and channel()', async (_, response, Class) => {
    const { client, written } = serviceWith(response);
    expect(await errorOf(client.messages.contact({ ...whose, text }))).toBeInstanceOf(Class);
    expect(await errorOf(client.messages.channel(whose))).toBeInstanceOf(Class);
    expect(written()).toEqual([]);
  });
});

test.each([404, 500])('a conversation whose second page fails with %i is not read as empty', async (status) => {
  const client = new SellerClient({
    baseUrl: 'https://api.test',
    accessToken: 'token-1',
    maxRetries: 0,
    fetch: receiving((request) =>
      Promise.resolve(
        new URL(request.url).searchParams.has('offset')
          ? Response.json({ error: 'not_found' }, { status })
          : Response.json({ messages: [to(buyer, 9)], paging: { total: 2, limit: 1, offset: 0 } }),
      ),
    ),
  });
  expect(await errorOf(client.messages.contact({ ...whose, text }))).toMatchObject({ status });
});

test('a `to` that contradicts the receiver of an earlier message is rejected before an option is used', async () => {
  const { client, written } = serviceWith([to(agent, 9)]);
  const error = await errorOf<InvalidInputError>(client.messages.contact({ ...whose, to: { user_id: buyer }, text }));
  expect(error.issues).toEqual([
    {
      path: ['to', 'user_id'],
      message: `\`to.user_id\` is ${buyer}, but the conversation shows ${agent}; leave out \`to\``,
    },
  ]);
  expect(written()).toEqual([]);
});

test('a message without an id counts as written by the buyer', async () => {
  const { client, written } = serviceWith([{ from: { user_id: agent }, text: 'When?' }]);
  await expect(client.messages.contact({ ...whose, text })).resolves.toMatchObject({ channel: 'conversation' });
  expect(written()[0]!.body?.to).toEqual({ user_id: agent });
});

describe('reply()', () => {
  const replied = async (message: object, content: Parameters<SellerClient['messages']['reply']>[1] = text) => {
    const { client, written } = serviceWith([]);
    await client.messages.reply(message, content);
    return written()[0]!;
  };

  test('finds pack and seller in a message of each shape, and its sender where the conversation shows nobody', async () => {
    const named = { ...from(buyer, 9), message_resources: [{ id: '5', name: 'packs' }] };
    expect(await replied(named)).toMatchObject({
      path: '/messages/packs/5/sellers/7',
      body: { to: { user_id: buyer } },
    });
    const ofOrder = { ...named, message_resources: [{ id: '6', name: 'orders' }] };
    expect((await replied(ofOrder)).path).toBe('/messages/packs/6/sellers/7');
  });

  test('is of the seller that the message names, otherwise of its receiver', async () => {
    const named = [
      { id: '5', name: 'packs' },
      { id: '8', name: 'sellers' },
    ];
    const pathOf = async (message: object): Promise<string> => (await replied(message)).path;
    expect(await pathOf({ ...from(buyer, 9), message_resources: named })).toBe('/messages/packs/5/sellers/8');
    expect(await pathOf({ ...from(buyer, 9), to: undefined, message_resources: named })).toBe(
      '/messages/packs/5/sellers/8',
    );
    expect(await pathOf({ ...from(buyer, 9), message_resources: named.slice(0, 1) })).toBe(
      '/messages/packs/5/sellers/7',
    );
  });

  test.each<[string, object | null | undefined]>([
    ['no sender', undefined],
    ['an empty sender', null],
    ['a sender without an id', {}],
    ['the seller as its sender', { user_id: seller }],
    ['the seller as its sender, in words', { user_id: String(seller) }],
  ])('to a message with %s, in a conversation that shows nobody, has no receiver', async (_, sender) => {
    const { client, written } = serviceWith([]);
    const message = { ...from(buyer, 9), from: sender, message_resources: [{ id: '5', name: 'packs' }] };
    const error = await errorOf<InvalidInputError>(client.messages.reply(message, text));
    expect(error.issues).toMatchObject([{ path: ['to'] }]);
    expect(written()).toEqual([]);
  });

  test('that is given another receiver than the conversation shows is rejected', async () => {
    const { client, written } = serviceWith([from(agent, 9)]);
    const message = { ...from(buyer, 9), message_resources: [{ id: '5', name: 'packs' }] };
    const content = { text, to: { user_id: buyer } };
    expect((await errorOf<InvalidInputError>(client.messages.reply(message, content))).issues).toMatchObject([
      { path: ['to', 'user_id'] },
    ]);
    expect(written()).toEqual([]);
  });

  test('says which field a message without a seller lacks', async () => {
    const message = { id: 'a', message_resources: [{ id: '5', name: 'packs' }] };
    const error = await errorOf<InvalidInputError>(serviceWith([]).client.messages.reply(message, text));
    expect(error.issues).toEqual([
      {
        path: ['to', 'user_id'],
        message: 'the message names no seller to reply as; use `messages.contact`',
      },
    ]);
  });

  test('takes files', async () => {
    const named = { ...from(buyer, 9), message_resources: [{ id: '5', name: 'packs' }] };
    expect((await replied(named, { text, attachments: ['a.pdf'] })).body).toMatchObject({
      text,
      attachments: ['a.pdf'],
    });
  });

  test.each([
    ['without a pack', from(buyer, 9), text],
    ['without a seller', { id: 'a', message_resources: [{ id: '5', name: 'packs' }] }, text],
    ['with a blank text', { ...from(buyer, 9), message_resources: [{ id: '5', name: 'packs' }] }, ' '],
  ])('a message %s is rejected before anything is sent', async (_, message, words) => {
    const { client, sent } = serviceWith([]);
    expect(await errorOf(client.messages.reply(message as Message, words))).toBeInstanceOf(InvalidInputError);
    expect(sent).toEqual([]);
  });

  test('answers the buyer of a fake marketplace', async () => {
    const marketplace = new FakeMarketplace();
    const [shop, ana] = [marketplace.addUser(), marketplace.addUser()];
    const pack = marketplace.addPack({ seller_id: shop.user_id, buyer_id: ana.user_id });
    marketplace.buyerWrites({ pack, text: 'When does it arrive?' });
    const client = marketplace.clientFor(shop);
    const place = { pack_id: pack.pack_id ?? pack.order_ids[0]!, user_id: shop.user_id };
    const question = await client.messages.conversation({ ...place, mark_as_read: false }).first();
    await client.messages.reply(question!, text);
    const [sent] = marketplace.messages.of(pack).filter((each) => each.from === shop.user_id);
    expect(sent).toMatchObject({ text });
    expect(marketplace.messages.of(pack).every(({ readAt }) => readAt === null)).toBe(true);
  });
});
