import { OutcomeUnknownError, moderationOf } from 'marketplace-seller-sdk';
import type { SellerClient, SetDeliveryParams } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';

const text = 'Yes, there is.';
const answer = (client: SellerClient): PromiseLike<unknown> => client.questions.answer({ question_id: 42, text });
const sending = { pack_id: '1', user_id: 7, to: { user_id: 31 }, text };
const send = (client: SellerClient): PromiseLike<unknown> => client.messages.send(sending);
const posts = (sent: readonly Request[]): number => sent.filter(({ method }) => method === 'POST').length;

/** What confirm() finds for a write whose connection was reset, when reading back gets this response. */
async function confirmationOf(write: (client: SellerClient) => PromiseLike<unknown>, body: unknown): Promise<unknown> {
  const { sellerClient } = stubbed([networkFault('ECONNRESET'), Response.json(body)], {
    maxRetries: 0,
  });
  return (await errorOf<OutcomeUnknownError>(write(sellerClient))).confirm({ confirmWindowMs: 0 });
}

describe("unknownOutcome: 'confirm'", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('a write is not sent again when reading back does not tell whether it was carried out', async () => {
    const hidden = { ...wireQuestion, status: 'ANSWERED', answer: { text: '', status: 'BANNED' } };
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), Response.json(hidden)], {
      unknownOutcome: 'confirm',
      maxRetries: 3,
    });
    expect(await errorOf(advanceUntilSettled(answer(sellerClient)))).toBeInstanceOf(OutcomeUnknownError);
    expect(posts(sent)).toBe(1);
  });

  test('a write is not sent again when reading back fails', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), new Response('{}', { status: 403 })], {
      unknownOutcome: 'confirm',
      maxRetries: 3,
    });
    expect(await errorOf(advanceUntilSettled(answer(sellerClient)))).toBeInstanceOf(OutcomeUnknownError);
    expect(posts(sent)).toBe(1);
  });

  describe('with a deadline', () => {
    test('the deadline of the call also ends a read-back that gets no response', async () => {
      const { sellerClient } = stubbed([networkFault('ECONNRESET'), () => new Promise<Response>(() => {})], {
        unknownOutcome: 'confirm',
        maxRetries: 3,
        timeoutMs: 60_000,
      });
      const startedAt = performance.now();
      const call = sellerClient.questions.answer({ question_id: 42, text }, { deadlineMs: 2000 });
      const error = await errorOf(advanceUntilSettled(call));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(performance.now() - startedAt).toBeLessThan(2100);
    });

    test('the request that reads back is itself cancelled at the deadline', async () => {
      let isCancelled = false;
      const hang = (request: Request): Promise<Response> =>
        new Promise(() => request.signal.addEventListener('abort', () => (isCancelled = true)));
      const { sellerClient } = stubbed([networkFault('ECONNRESET'), hang], {
        unknownOutcome: 'confirm',
        timeoutMs: 60_000,
      });
      await errorOf(
        advanceUntilSettled(sellerClient.questions.answer({ question_id: 42, text }, { deadlineMs: 2000 })),
      );
      await vi.advanceTimersByTimeAsync(100);
      expect(isCancelled).toBe(true);
    });
  });
});

describe('confirm() of a message', () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const message = (id: string, created: string | null): object => ({
    id,
    from: { user_id: 7 },
    text,
    message_date: { created },
  });
  const conversation = (...messages: object[]): object => ({ messages, paging: { total: messages.length } });

  test("yesterday's message with the same text is not taken for the lost one", async () => {
    const yesterday = message('old', at(-24 * 3600_000 - 1000));
    // Its date may be wrong.
    expect(await confirmationOf(send, conversation(yesterday))).toEqual({
      unknown: expect.stringContaining('dates') as string,
    });
    expect(await confirmationOf(send, conversation(message('new', at(0)), yesterday))).toMatchObject({
      done: true,
      output: { id: 'new' },
    });
  });

  test("the buyer's message with the same text is not taken for the lost one", async () => {
    const theirs = { ...message('theirs', at(0)), from: { user_id: 31 } };
    expect(await confirmationOf(send, conversation(theirs))).toEqual({ done: false });
  });

  test('reading back does not mark the messages of the buyer as read', async () => {
    const { marketplace, sellerClient, seller_id, buyer_id } = createMarketplace({ maxRetries: 0 });
    const pack = marketplace.addPack({ seller_id, buyer_id });
    marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
    marketplace.faults.inject({ reset: 'after' });
    const to = { user_id: buyer_id };
    const call = sellerClient.messages.send({ pack_id: pack.pack_id!, user_id: seller_id, to, text: 'Tomorrow.' });
    expect(await (await errorOf<OutcomeUnknownError>(call)).confirm({ confirmWindowMs: 0 })).toMatchObject({
      done: true,
    });
    const [theirs] = marketplace.messages.of(pack).filter((each) => each.text === 'When will it arrive?');
    expect(theirs?.readAt).toBeNull();
  });
});

describe('confirm() of a delivery configuration', () => {
  const range = { from: 9, to: 13, capacity: 20 };
  const shownRange = { ...range, calculated_cutoff: 8 };
  const days = ['week', 'saturday', 'sunday'] as const;
  const place = { site_id: 'MLA', user_id: 7, service_id: 1001 };
  const setRanges =
    (delivery_ranges: SetDeliveryParams['delivery_ranges']) =>
    (client: SellerClient): PromiseLike<unknown> =>
      client.flex.setDelivery({ ...place, delivery_ranges });
  const shown = (ranges: unknown): object => ({ configuration: { delivery_ranges: ranges } });
  const unclear = { unknown: 'the service shows another cut-off, or not all values that were set' };

  test.each(days)('the ranges of %s are compared', async (day) => {
    const setDelivery = setRanges({ [day]: [{ ...range, cutoff: 8 }] });
    expect(await confirmationOf(setDelivery, shown({ [day]: [shownRange] }))).toMatchObject({ done: true });
    expect(await confirmationOf(setDelivery, shown({ [day]: [{ ...shownRange, to: 14 }] }))).toEqual({ done: false });
    expect(await confirmationOf(setDelivery, shown({ [day]: [] }))).toEqual({ done: false });
    expect(await confirmationOf(setDelivery, shown({ [day]: null }))).toEqual({ done: false });
  });

  test('two ranges are proved in any order, and each only once', async () => {
    const late = { ...range, from: 15, to: 20 };
    const lateShown = { ...shownRange, from: 15, to: 20 };
    const set = setRanges({
      week: [
        { ...range, cutoff: 8 },
        { ...late, cutoff: 8 },
      ],
    });
    for (const week of [
      [shownRange, lateShown],
      [lateShown, shownRange],
    ])
      expect(await confirmationOf(set, shown({ week }))).toMatchObject({ done: true });
    expect(await confirmationOf(set, shown({ week: [shownRange, shownRange] }))).toEqual({ done: false });
    expect(await confirmationOf(set, shown({ week: [{}, shownRange] }))).toEqual(unclear);
  });

  test.each([
    ['another cut-off', { week: [{ ...shownRange, calculated_cutoff: 9 }] }],
    ['no cut-off', { week: [range] }],
    ['a range without its capacity', { week: [{ ...shownRange, capacity: null }] }],
    ['another day only', { sunday: [shownRange] }],
    ['no ranges', null],
  ])('a configuration with %s proves nothing', async (_, ranges) => {
    expect(await confirmationOf(setRanges({ week: [{ ...range, cutoff: 8 }] }), shown(ranges))).toEqual(unclear);
  });

  test('the ranges of a day that were removed are confirmed only if the day is shown', async () => {
    expect(await confirmationOf(setRanges({ sunday: [] }), shown({ sunday: null }))).toMatchObject({ done: true });
    expect(await confirmationOf(setRanges({ sunday: [] }), shown({ week: [shownRange] }))).toEqual(unclear);
  });

  test('the delivery window is compared without its case, and only if it is shown', async () => {
    const setWindow = (client: SellerClient): PromiseLike<unknown> =>
      client.flex.setDelivery({ ...place, delivery_window: 'same_day' });
    const window = (delivery_window: unknown): object => ({ configuration: { delivery_window } });
    expect(await confirmationOf(setWindow, window('SAME_DAY'))).toMatchObject({ done: true });
    expect(await confirmationOf(setWindow, window('next_day'))).toEqual({ done: false });
    expect(await confirmationOf(setWindow, window(null))).toEqual(unclear);
  });

  test.each([
    ['before', unclear],
    ['after', { done: true }],
  ] as const)('a change of the cut-off only, with a connection reset %s it is carried out', async (reset, found) => {
    const { marketplace, sellerClient, seller } = createMarketplace({ maxRetries: 0 });
    const { user_id, site_id } = seller;
    const { service_id } = marketplace.flex.subscribe({ user_id });
    const setCutoff = (cutoff: number): PromiseLike<unknown> =>
      sellerClient.flex.setDelivery({
        ...{ site_id, user_id, service_id },
        delivery_ranges: { week: [{ ...range, cutoff }] },
      });
    await setCutoff(8);
    marketplace.faults.inject({ reset, match: { method: 'PUT' } });
    expect(await (await errorOf<OutcomeUnknownError>(setCutoff(10))).confirm({ confirmWindowMs: 0 })).toMatchObject(
      found,
    );
  });
});

describe('confirm() of zones', () => {
  const addZones = (client: SellerClient): PromiseLike<unknown> =>
    client.flex.addZones({ site_id: 'MLA', user_id: 7, service_id: 1001, zones: [{ id: 'z' }] });
  const shown = (zones: unknown): object => ({ configuration: { zones } });

  test.each([
    ['a selected zone', [{ id: 'z', selected: true }], { done: true }],
    ['a zone that is not selected', [{ id: 'z', selected: false }], { done: false }],
    ['a list without the zone', [{ id: 'a', selected: true }], { done: false }],
    ['a zone that does not show whether it is selected', [{ id: 'z' }], { unknown: expect.any(String) as string }],
    ['no list', null, { unknown: expect.any(String) as string }],
  ])('%s', async (_, zones, found) => {
    expect(await confirmationOf(addZones, shown(zones))).toMatchObject(found);
  });
});

describe('the case of the words that the service uses does not matter', () => {
  const remove = (client: SellerClient): PromiseLike<unknown> => client.questions.delete({ question_id: 42 });

  test.each(['UNANSWERED', 'unanswered', 'Unanswered'])('a question that is %s has no answer', async (status) => {
    expect(await confirmationOf(answer, { ...wireQuestion, status, answer: null })).toEqual({ done: false });
  });

  test.each(['DELETED', 'deleted', 'Deleted'])('a question that is %s was deleted', async (status) => {
    expect(await confirmationOf(remove, { ...wireQuestion, status })).toMatchObject({ done: true });
  });

  test.each(['moderated', 'MODERATED', 'Moderated'])('a message that is %s is moderated', (status) => {
    expect(moderationOf({ id: '1', status })).toBe('rejected');
  });

  test.each(['conversation_blocked', 'CONVERSATION_BLOCKED'])('the error %s blocks a conversation', async (code) => {
    const { sellerClient } = stubbed([Response.json({ error: code, message: 'no' }, { status: 403 })]);
    expect(await errorOf(send(sellerClient))).toMatchObject({ name: 'ConversationBlockedError', status: 403 });
  });

  test.each(['blocked_by_payment', 'BLOCKED_BY_PAYMENT'])('the reason %s is found', async (cause) => {
    const { sellerClient } = stubbed([Response.json({ error: 'conversation_blocked', cause }, { status: 403 })]);
    expect(await errorOf(send(sellerClient))).toMatchObject({ reason: cause });
  });

  test.each(['blocked_by_excepted_case', 'BLOCKED_BY_EXCEPTED_CASE'])('%s is an excepted case', async (cause) => {
    const { sellerClient } = stubbed([Response.json({ error: 'bad_request', cause }, { status: 400 })]);
    expect(await errorOf(sellerClient.actionGuide.options({ pack_id: 1 }))).toMatchObject({
      name: 'ExceptedCaseError',
    });
  });

  test.each(['not_found', 'NOT_FOUND'])('the error %s means a seller without questions', async (error) => {
    const { sellerClient } = stubbed([Response.json({ error, message: 'no' }, { status: 404 })]);
    expect(await errorOf(sellerClient.questions.responseTime({ user_id: 7 }))).toMatchObject({
      name: 'NoQuestionsError',
    });
  });

  test.each(['FORBIDDEN', 'forbidden'])('the code %s of a GraphQL error is a 403', async (code) => {
    const { sellerClient } = stubbed([Response.json({ errors: [{ message: 'no', extensions: { code } }] })]);
    const call = sellerClient.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1001 });
    expect(await errorOf(call)).toMatchObject({ name: 'ForbiddenError', status: 403 });
  });

  test.each(['active', 'ACTIVE', 'Active'])('an item that is %s can be enabled for Flex', async (status) => {
    const { sellerClient, sent } = stubbed([
      Response.json([{ code: 200, body: { status } }]),
      new Response(null, { status: 204 }),
    ]);
    await sellerClient.flex.items.enable({ site_id: 'MLA', item_id: 'MLA1', requireActive: true });
    expect(posts(sent)).toBe(1);
  });

  test.each(['not_unanswered_question', 'NOT_UNANSWERED_QUESTION'])('the error %s is documented', async (error) => {
    const { sellerClient } = stubbed([Response.json({ error, message: 'no' }, { status: 400 })]);
    expect(await errorOf(answer(sellerClient))).toMatchObject({ name: 'QuestionNotOpenError' });
  });
});
