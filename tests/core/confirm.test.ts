import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Endpoint, OutcomeUnknownError, SellerClient, UploadParams } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HttpClient } from '../../src/core/client/http-client.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';

type Shop = ReturnType<typeof createShop>;

/** A seller with a sale, an open question and Flex; the buyer has written and asked. */
function createShop() {
  const { marketplace, seller, buyer_id, ...rest } = createMarketplace({ maxRetries: 0 });
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id });
  marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  const { service_id } = marketplace.flex.subscribe({ user_id: seller.user_id });
  const turbo = marketplace.flex.subscribe({ user_id: seller.user_id, mode: 'TURBO' });
  return {
    ...rest,
    marketplace,
    // What the same buyer asked about the other item a moment ago would leave the outcome unknown.
    other_item_id: marketplace.addItem({ seller_id: seller.user_id }).item_id,
    buyer_id,
    pack_id: String(pack.pack_id),
    ofItem: { site_id: seller.site_id, item_id: rest.item_id },
    whose: { site_id: seller.site_id, user_id: seller.user_id, service_id },
    turbo: { site_id: seller.site_id, user_id: seller.user_id, service_id: turbo.service_id },
  };
}

interface Write {
  readonly endpoint: Endpoint;
  /** What must have happened before. */
  readonly before?: (shop: Shop) => Promise<unknown>;
  readonly write: (shop: Shop) => PromiseLike<unknown>;
}

const { actionGuide, questions, messages, flex, flexV2 } = endpoints;
const text = 'Yes, there is.';
const evenings = { delivery_ranges: { week: [{ from: 17, to: 21, capacity: 30, cutoff: 15 }] } };

const writes: readonly Write[] = [
  {
    endpoint: questions.ask,
    write: ({ buyerClient, other_item_id }) => buyerClient.questions.ask({ item_id: other_item_id, text: 'In red?' }),
  },
  {
    endpoint: questions.answer,
    write: ({ sellerClient, question_id }) => sellerClient.questions.answer({ question_id, text }),
  },
  {
    endpoint: questions.delete,
    write: ({ sellerClient, question_id }) => sellerClient.questions.delete({ question_id }),
  },
  {
    endpoint: questions.blacklist.add,
    write: ({ sellerClient, seller_id, buyer_id }) =>
      sellerClient.questions.blacklist.add({ seller_id, user_id: buyer_id }),
  },
  {
    endpoint: questions.blacklist.remove,
    before: async ({ sellerClient, seller_id, buyer_id }) => {
      await sellerClient.questions.blacklist.add({ seller_id, user_id: buyer_id });
    },
    write: ({ sellerClient, seller_id, buyer_id }) =>
      sellerClient.questions.blacklist.remove({ seller_id, user_id: buyer_id }),
  },
  {
    endpoint: messages.send,
    write: ({ sellerClient, pack_id, seller_id, buyer_id }) =>
      sellerClient.messages.send({ pack_id, user_id: seller_id, to: { user_id: buyer_id }, text }),
  },
  {
    endpoint: actionGuide.send,
    write: ({ sellerClient, pack_id }) => sellerClient.actionGuide.send({ pack_id, option_id: 'OTHER', text }),
  },
  {
    endpoint: flex.setDelivery,
    write: ({ sellerClient, whose }) => sellerClient.flex.setDelivery({ ...whose, ...evenings }),
  },
  {
    endpoint: flex.addZones,
    write: async ({ sellerClient, whose }) => {
      const { zones } = await sellerClient.flex.configuration({
        ...whose,
        select: { zones: { id: true, selected: true } },
      });
      const free = zones?.find(({ selected }) => selected !== true);
      await sellerClient.flex.addZones({ ...whose, zones: [{ id: String(free?.id) }] });
    },
  },
  { endpoint: flex.items.enable, write: ({ sellerClient, ofItem }) => sellerClient.flex.items.enable(ofItem) },
  {
    endpoint: flex.items.disable,
    before: async ({ sellerClient, ofItem }) => sellerClient.flex.items.enable(ofItem),
    write: ({ sellerClient, ofItem }) => sellerClient.flex.items.disable(ofItem),
  },
  {
    endpoint: flexV2.setZones,
    write: ({ sellerClient, whose }) =>
      sellerClient.flexV2.setZones({ ...whose, zones: [{ id: 'MLA-2', cutoff: { week: 12 } }, { id: 'MLA-1' }] }),
  },
  {
    endpoint: flexV2.setRadius,
    write: ({ sellerClient, turbo }) => sellerClient.flexV2.setRadius({ ...turbo, radius: 6000 }),
  },
  {
    endpoint: flexV2.setDeliveryRanges,
    write: ({ sellerClient, whose }) =>
      sellerClient.flexV2.setDeliveryRanges({ ...whose, delivery_window: 'same_day', ...evenings }),
  },
  {
    endpoint: flexV2.setHolidays,
    write: async ({ sellerClient, whose }) => {
      const { holidays } = await sellerClient.flexV2.holidays(whose);
      const { date } = holidays!.find((each) => ![0, 6].includes(new Date(each.date).getUTCDay()))!;
      await sellerClient.flexV2.setHolidays({ ...whose, holidays: [{ date, selected: true }] });
    },
  },
  { endpoint: flexV2.items.enable, write: ({ sellerClient, ofItem }) => sellerClient.flexV2.items.enable(ofItem) },
  {
    endpoint: flexV2.items.disable,
    before: async ({ sellerClient, ofItem }) => sellerClient.flexV2.items.enable(ofItem),
    write: ({ sellerClient, ofItem }) => sellerClient.flexV2.items.disable(ofItem),
  },
];

test('every endpoint with a confirm() is tested here', () => {
  const able = everyEndpoint.filter(({ endpoint }) => endpoint.confirm).map(({ name }) => name);
  expect(writes.map(({ endpoint }) => endpoint.name).sort()).toEqual(able.sort());
});

describe.each(writes)('confirm() of $endpoint.name', ({ endpoint, before, write }) => {
  test.each([
    { reset: 'before', done: false },
    { reset: 'after', done: true },
  ] as const)('a connection reset $reset the write is carried out gives done: $done', async ({ reset, done }) => {
    const shop = createShop();
    await before?.(shop);
    shop.marketplace.faults.inject({ reset, endpoint });
    const error = await errorOf<OutcomeUnknownError>(write(shop));
    expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({ done });
  });
});

describe.each(writes)('confirm() of a client, for a stored $endpoint.name', ({ endpoint, before, write }) => {
  test.each([
    { reset: 'before', done: false },
    { reset: 'after', done: true },
  ] as const)('after a restart: a connection reset $reset the write gives done: $done', async ({ reset, done }) => {
    const shop = createShop();
    await before?.(shop);
    shop.marketplace.faults.inject({ reset, endpoint });
    const calls = vi.spyOn(HttpClient.prototype, 'call');
    const sentAt = Date.now();
    await errorOf(write(shop));
    const sent = calls.mock.calls.find(([called]) => called.name === endpoint.name);
    // What a process stored, another one reads: it has nothing else of the call.
    const input: unknown = JSON.parse(JSON.stringify(sent?.[1]));
    const user_id = endpoint === questions.ask ? shop.buyer_id : shop.seller_id;
    const restarted = shop.marketplace.clientFor({ user_id });
    const found = await restarted.confirm(endpoint, input, { sentAt, confirmWindowMs: 0 });
    expect(found).toMatchObject({ done });
  });
});

describe('confirm() of a client', () => {
  const input = { question_id: 42, text };
  const wrongTimes = [undefined, null, '2026-03-01', NaN, 1_790_000_000, -1, Date.now() + 3_600_000];
  test.each(wrongTimes)('rejects sentAt: %j before anything is sent', async (sentAt) => {
    const { sellerClient, sent } = stubbed([() => Response.json(wireQuestion)]);
    const error = await errorOf(sellerClient.confirm(questions.answer, input, { sentAt: sentAt as number }));
    expect(error).toMatchObject({ name: 'InvalidInputError', issues: [{ path: ['sentAt'] }] });
    expect(sent).toEqual([]);
  });

  test('rejects an input that does not fit, no options, and an unknown option', async () => {
    const { sellerClient, sent } = stubbed([() => Response.json(wireQuestion)]);
    const sentAt = Date.now();
    const wrong = { question_id: 42 } as typeof input;
    expect(await errorOf(sellerClient.confirm(questions.answer, wrong, { sentAt }))).toMatchObject({
      name: 'InvalidInputError',
      issues: [{ path: ['text'] }],
    });
    const none = undefined as unknown as { sentAt: number };
    expect(await errorOf(sellerClient.confirm(questions.answer, input, none))).toMatchObject({
      name: 'InvalidInputError',
    });
    const unknown = { sentAt, window: 5 };
    expect(await errorOf(sellerClient.confirm(questions.answer, input, unknown))).toMatchObject({
      name: 'InvalidInputError',
    });
    expect(sent).toEqual([]);
  });

  test('knows no way to read back an upload', async () => {
    const { sellerClient, sent } = stubbed([() => Response.json({})]);
    const file = { site_id: 'MLA' } as unknown as UploadParams;
    const sentAt = Date.now();
    const unknown = 'there is no way to read back what this endpoint does';
    expect(await sellerClient.confirm(messages.upload, file, { sentAt })).toEqual({ unknown });
    expect(sent).toEqual([]);
  });

  test('reads again for a while, unless the write is so old that the service cannot be processing it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { sellerClient, sent } = stubbed([
      () => Response.json({ ...wireQuestion, status: 'UNANSWERED', answer: null }),
    ]);
    const confirm = (sentAt: number): Promise<unknown> => sellerClient.confirm(questions.answer, input, { sentAt });
    expect(await advanceUntilSettled(confirm(Date.now()))).toEqual({ done: false });
    expect(sent.length).toBeGreaterThan(1);
    sent.length = 0;
    expect(await confirm(Date.now() - 60_000)).toEqual({ done: false });
    expect(sent).toHaveLength(1);
  });
});

describe('confirm() does not guess', () => {
  /** A write whose answer is lost, and what is read back after it. */
  async function confirmed(
    write: (sellerClient: SellerClient) => PromiseLike<unknown>,
    ...answers: readonly Response[]
  ): Promise<unknown> {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), ...answers], { maxRetries: 0 });
    return (await errorOf<OutcomeUnknownError>(write(sellerClient))).confirm({ confirmWindowMs: 0 });
  }
  const answer = (sellerClient: SellerClient): PromiseLike<unknown> =>
    sellerClient.questions.answer({ question_id: 42, text });
  const remove = (sellerClient: SellerClient): PromiseLike<unknown> =>
    sellerClient.questions.delete({ question_id: 42 });

  test('an answer whose text is not shown gives unknown', async () => {
    const hidden = Response.json({ ...wireQuestion, status: 'ANSWERED', answer: { text: '', status: 'BANNED' } });
    expect(await confirmed(answer, hidden)).toEqual({ unknown: 'the question has an answer whose text is not shown' });
  });

  test('a question that was closed meanwhile gives unknown', async () => {
    const closed = Response.json({ ...wireQuestion, status: 'CLOSED_UNANSWERED', answer: null });
    expect(await confirmed(answer, closed)).toEqual({
      unknown: 'the question is CLOSED_UNANSWERED and shows no answer',
    });
    const bare = Response.json({ ...wireQuestion, status: null, answer: null });
    expect(await confirmed(answer, bare)).toEqual({ unknown: 'the question is in no known state and shows no answer' });
  });

  test('an older answer to the question gives done: false', async () => {
    const answered = (date_created: string): Response =>
      Response.json({ ...wireQuestion, status: 'ANSWERED', answer: { text: 'No.', date_created } });
    const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
    expect(await confirmed(answer, answered(ago(16)))).toEqual({ done: false });
    // Moderation may have rewritten it.
    expect(await confirmed(answer, answered(ago(14)))).toEqual({
      unknown: 'the question has another answer, or this one with its text changed',
    });
  });

  test('a deleted question is confirmed by its 404, not by its 403', async () => {
    expect(await confirmed(remove, Response.json({ message: 'Question not found' }, { status: 404 }))).toMatchObject({
      done: true,
    });
    expect(await confirmed(remove, Response.json({ message: 'no' }, { status: 403 }))).toMatchObject({
      unknown: expect.stringContaining('reading back failed') as string,
    });
  });

  test('a blacklist that is shown in part gives unknown', async () => {
    const part = (): Response => Response.json({ users: [{ id: 1 }], total: 2 });
    const unknown = 'the service does not show the whole blacklist';
    const [seller_id, user_id] = [7, 31];
    expect(
      await confirmed((sellerClient) => sellerClient.questions.blacklist.add({ seller_id, user_id }), part()),
    ).toEqual({
      unknown,
    });
    expect(
      await confirmed((sellerClient) => sellerClient.questions.blacklist.remove({ seller_id, user_id }), part()),
    ).toEqual({
      unknown,
    });
  });

  test('a Flex item whose status cannot be read gives unknown', async () => {
    const down = (): Response => Response.json({ message: 'down' }, { status: 403 });
    const item = { site_id: 'MLA', item_id: 'MLA100' };
    expect(await confirmed((sellerClient) => sellerClient.flex.items.enable(item), down())).toMatchObject({
      unknown: expect.stringContaining('reading back failed') as string,
    });
  });

  const missing = (body: unknown) => (): Response => Response.json(body, { status: 404 });
  const page = (): Response => new Response('<html><h1>404 Not Found</h1></html>', { status: 404 });

  test.each([
    { error: 'not_found', message: 'Question not found', status: 404, cause: [] },
    { message: 'not_found', error: 'Question 42 not found' },
    { code: 'question_not_found' },
    { error: { message: 'The question does not exist' } },
    'question not found',
  ])('a deleted question is confirmed by a 404 about it: %j', async (body) => {
    expect(await confirmed(remove, missing(body)())).toMatchObject({ done: true });
  });

  test.each([
    ['a page of a proxy', page],
    ['a page about questions', () => new Response('<html>The question was not found</html>', { status: 404 })],
    ['a path', missing({ status: 404, error: 'Not Found', path: '/questions/42' })],
    ['a path in a text', missing({ message: 'Resource /questions/42 not found.' })],
    ['a gateway', missing({ message: 'no Route matched with those values' })],
    ['an empty body', () => new Response(null, { status: 404 })],
  ])('a 404 about something else than the question gives unknown: %s', async (_, response) => {
    expect(await confirmed(remove, response())).toEqual({
      unknown: expect.stringContaining('reading back failed') as string,
    });
  });

  test.each(['enable', 'disable'] as const)('a 404 that is not about the item proves no %s', async (write) => {
    const item = { site_id: 'MLA', item_id: 'MLA100' };
    const change = (sellerClient: SellerClient): PromiseLike<unknown> => sellerClient.flex.items[write](item);
    const proofless = [
      page(),
      missing({ message: 'no Route matched with those values' })(),
      new Response(null, { status: 404 }),
    ];
    for (const response of proofless) {
      expect(await confirmed(change, response)).toEqual({
        unknown: expect.stringContaining('reading back failed') as string,
      });
    }
    const named = missing({ message: 'Item MLA100 not found' })();
    expect(await confirmed(change, named)).toMatchObject({ done: write === 'disable' });
  });

  test.each([{ data: { configuration: null } }, { configuration: null }, { configuration: 'none' }, { anything: 1 }])(
    'a configuration that cannot be read gives unknown: %j',
    async (body) => {
      const nothing = (): Response => Response.json(body);
      const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };
      const unknown = 'the service shows no configuration that can be read';
      const writes = [
        (sellerClient: SellerClient) => sellerClient.flex.addZones({ ...whose, zones: [{ id: 'z' }] }),
        (sellerClient: SellerClient) => sellerClient.flex.setDelivery({ ...whose, delivery_window: 'next_day' }),
        (sellerClient: SellerClient) => sellerClient.flex.setDelivery({ ...whose, delivery_ranges: { sunday: [] } }),
        (sellerClient: SellerClient) => sellerClient.flex.setDelivery({ ...whose, ...evenings }),
      ];
      for (const write of writes) expect(await confirmed(write, nothing())).toEqual({ unknown });
    },
  );

  test('both ends of a long conversation are read, because either may be the newer', async () => {
    const message = (id: string): object => ({
      id,
      from: { user_id: 7 },
      text,
      message_date: { created: new Date().toISOString() },
    });
    const others = Array.from({ length: 50 }, (_, n) => ({ id: String(n), from: { user_id: 31 }, text: 'Hello' }));
    const first = Response.json({ messages: others, paging: { total: 51, limit: 50, offset: 0 } });
    const last = Response.json({ messages: [message('new')], paging: { total: 51, limit: 50, offset: 50 } });
    const send = (sellerClient: SellerClient): PromiseLike<unknown> =>
      sellerClient.messages.send({ pack_id: '1', user_id: 7, to: { user_id: 31 }, text });
    expect(await confirmed(send, first, last)).toMatchObject({ done: true, output: { id: 'new' } });
  });
});
