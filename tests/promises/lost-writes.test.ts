import { OutcomeUnknownError, isModerated } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
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
    confirmWindowMs: 0,
    maxRetries: 0,
  });
  return (await errorOf<OutcomeUnknownError>(write(sellerClient))).confirm();
}

describe("onUnknownOutcome: 'confirm'", () => {
  test('a write is not sent again when reading back does not tell whether it was carried out', async () => {
    const hidden = { ...wireQuestion, status: 'ANSWERED', answer: { text: '', status: 'BANNED' } };
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), Response.json(hidden)], {
      onUnknownOutcome: 'confirm',
      confirmWindowMs: 0,
      maxRetries: 3,
    });
    expect(await errorOf(answer(sellerClient))).toBeInstanceOf(OutcomeUnknownError);
    expect(posts(sent)).toBe(1);
  });

  test('a write is not sent again when reading back fails', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), new Response('{}', { status: 403 })], {
      onUnknownOutcome: 'confirm',
      confirmWindowMs: 0,
      maxRetries: 3,
    });
    expect(await errorOf(answer(sellerClient))).toBeInstanceOf(OutcomeUnknownError);
    expect(posts(sent)).toBe(1);
  });

  describe('with a deadline', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    test('the deadline of the call also ends a read-back that gets no response', async () => {
      const { sellerClient } = stubbed([networkFault('ECONNRESET'), () => new Promise<Response>(() => {})], {
        onUnknownOutcome: 'confirm',
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
        onUnknownOutcome: 'confirm',
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
    const yesterday = message('old', at(-24 * 3600_000));
    expect(await confirmationOf(send, conversation(yesterday))).toEqual({ done: false });
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
    const { marketplace, sellerClient, seller_id, buyer_id } = createMarketplace({ confirmWindowMs: 0, maxRetries: 0 });
    const pack = marketplace.addPack({ seller_id, buyer_id });
    marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
    marketplace.faults.inject({ reset: 'after' });
    const to = { user_id: buyer_id };
    const call = sellerClient.messages.send({ pack_id: pack.pack_id!, user_id: seller_id, to, text: 'Tomorrow.' });
    expect(await (await errorOf<OutcomeUnknownError>(call)).confirm()).toMatchObject({ done: true });
    const [theirs] = marketplace.messages.of(pack).filter((each) => each.text === 'When will it arrive?');
    expect(theirs?.readAt).toBeNull();
  });
});

describe('confirm() of a delivery configuration', () => {
  const range = { from: 9, to: 13, capacity: 20 };
  const days = ['week', 'saturday', 'sunday'] as const;

  test.each(days)('the ranges of %s are compared', async (day) => {
    const delivery = {
      site_id: 'MLA',
      user_id: 7,
      service_id: 1001,
      delivery_ranges: { [day]: [{ ...range, cutoff: 8 }] },
    };
    const setDelivery = (client: SellerClient): PromiseLike<unknown> => client.flex.setDelivery(delivery);
    const shown = (ranges: object): object => ({ configuration: { delivery_ranges: ranges } });
    expect(await confirmationOf(setDelivery, shown({ [day]: [range] }))).toMatchObject({ done: true });
    expect(await confirmationOf(setDelivery, shown({ [day]: [{ ...range, to: 14 }] }))).toEqual({ done: false });
    expect(await confirmationOf(setDelivery, shown({ [day]: [] }))).toEqual({ done: false });
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
    expect(isModerated({ id: '1', status })).toBe(true);
  });

  test.each(['conversation_blocked', 'CONVERSATION_BLOCKED'])('the error %s blocks a conversation', async (code) => {
    const { sellerClient } = stubbed([Response.json({ error: code, message: 'no' }, { status: 403 })]);
    expect(await errorOf(send(sellerClient))).toMatchObject({ name: 'ConversationBlockedError', status: 403 });
  });

  test.each(['blocked_by_payment', 'BLOCKED_BY_PAYMENT'])('the reason %s is found', async (cause) => {
    const { sellerClient } = stubbed([Response.json({ error: 'conversation_blocked', cause }, { status: 403 })]);
    expect(await errorOf(send(sellerClient))).toMatchObject({ reason: cause });
  });

  test.each(['not_unanswered_question', 'NOT_UNANSWERED_QUESTION'])('the error %s is documented', async (error) => {
    const { sellerClient } = stubbed([Response.json({ error, message: 'no' }, { status: 400 })]);
    expect(await errorOf(answer(sellerClient))).toMatchObject({ name: 'QuestionNotOpenError' });
  });
});
