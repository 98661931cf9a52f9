import { InvalidInputError, SellerError, TimeoutError } from 'marketplace-seller-sdk';
import type { CallOptions, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deadline } from '../../src/core/scope/cancel-scope.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const slowMs = 400;
const slowly = async (body: unknown, init: ResponseInit = {}): Promise<Response> => {
  await new Promise((resolve) => setTimeout(resolve, slowMs));
  return Response.json(body, init);
};
const never = (): Promise<Response> => new Promise(() => {});
const idsFrom = (offset: number): { id: number }[] => Array.from({ length: 10 }, (_, n) => ({ id: offset + n }));

/** A service that takes its time, and whose lists never end. */
const service: Step = (request) => {
  const { pathname, searchParams } = new URL(request.url);
  const offset = Number(searchParams.get('offset') ?? 0);
  if (pathname.endsWith('/search')) return slowly({ total: 9999, limit: 10, questions: idsFrom(offset) });
  if (pathname.startsWith('/messages/packs')) {
    const messages = idsFrom(offset).map(({ id }) => ({ id: String(id), from: { user_id: 7 } }));
    return slowly({ paging: { total: 9999, limit: 10 }, messages });
  }
  if (pathname.startsWith('/items')) return slowly([{ status: 'active' }]);
  return slowly({});
};

const pack = { pack_id: '1', user_id: 7 };
const received = {
  id: 'a',
  from: { user_id: 31 },
  to: { user_id: 7 },
  message_resources: [{ id: '1', name: 'packs' }],
};
const everything: [string, (client: SellerClient, options?: CallOptions) => PromiseLike<unknown>][] = [
  ['an iteration over questions', (client, options) => client.questions.search({ seller_id: 7 }, options).toArray()],
  ['an iteration over messages', (client, options) => client.messages.conversation(pack, options).toArray()],
  ['contact()', (client, options) => client.messages.contact({ ...pack, to: { user_id: 31 }, text: 'Hello' }, options)],
  ['channel()', (client, options) => client.messages.channel(pack, options)],
  ['reply()', (client, options) => client.messages.reply(received, 'Hello', options)],
];

describe('a deadline bounds everything under it', () => {
  test.each(everything)('%s', async (_, act) => {
    for (const [ofClient, ofCall] of [
      [{}, { deadlineMs: 1500 }],
      [{ deadlineMs: 1500 }, undefined],
    ] as const) {
      const { sellerClient, sent } = stubbed([service], ofClient);
      const startedAt = performance.now();
      const error = await errorOf(advanceUntilSettled(act(sellerClient, ofCall)));
      expect(error).toBeInstanceOf(TimeoutError);
      expect(error.message).toMatch(
        /^(The iteration|contact\(\)|channel\(\)|reply\(\)) did not end within its deadline of 1500 ms$/,
      );
      expect(performance.now() - startedAt).toBeLessThanOrEqual(1600);
      expect(sent.length).toBeGreaterThan(2);
    }
  });

  test.each(everything)('%s, which rejects a wrong one', async (_, act) => {
    const { sellerClient, sent } = stubbed([service]);
    expect(await errorOf(advanceUntilSettled(act(sellerClient, { deadlineMs: 0 })))).toBeInstanceOf(InvalidInputError);
    expect(sent).toEqual([]);
  });

  describe('an error of an iteration', () => {
    const iterate = async (step: Step, options: CallOptions): Promise<TimeoutError> => {
      const { sellerClient } = stubbed([service, step], { maxRetries: 0 });
      return errorOf(advanceUntilSettled(sellerClient.questions.search({ seller_id: 7 }, options).toArray()));
    };

    test('names its first request, where the deadline ends that', async () => {
      const { message } = await iterate(service, { deadlineMs: 300 });
      expect(message).toBe('GET /questions/search did not end within its deadline of 300 ms');
    });

    test('names the iteration later, and has the error of the request as its cause', async () => {
      const error = await iterate(never, { deadlineMs: 1000 });
      expect(error).toMatchObject({ message: 'The iteration did not end within its deadline of 1000 ms', attempts: 1 });
      expect(error.cause).toMatchObject({ message: 'GET /questions/search did not end within its deadline of 600 ms' });
    });

    test('is that of the request before the deadline', async () => {
      const error = await iterate(never, { deadlineMs: 2000, timeoutMs: 1000 });
      expect(error.message).toBe('GET /questions/search got no response within 1000 ms');
    });

    test('is that of the request where that failed with the deadline', async () => {
      const failing: Step = () => slowly({ message: 'no' }, { status: 403 });
      expect(await iterate(failing, { deadlineMs: 2 * slowMs })).toBeInstanceOf(SellerError);
    });
  });

  test.each([
    [99, 1],
    [100, undefined],
  ])('no call begins when no time remains: after %i of 100 ms', async (spentMs, leftMs) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(5);
    const deadline = new Deadline('contact()', 100);
    await deadline.within({}, () => {
      now.mockReturnValue(5 + spentMs);
      return Promise.resolve();
    });
    const call = vi.fn((options: object) => Promise.resolve(options));
    const outcome: unknown = await deadline.within({}, call).catch((error: unknown) => error);
    if (leftMs !== undefined) expect(outcome).toEqual({ deadlineMs: leftMs });
    else expect(outcome).toMatchObject({ message: 'contact() did not end within its deadline of 100 ms', attempts: 0 });
    expect(call).toHaveBeenCalledTimes(leftMs === undefined ? 0 : 1);
  });

  test.each([
    ['call', {}, { deadlineMs: 600 }],
    ['client', { deadlineMs: 600 }, undefined],
  ])('the two requests of enable() with requireActive, where it is that of the %s', async (_, ofClient, ofCall) => {
    const { sellerClient, sent } = stubbed([service, never], ofClient);
    const input = { site_id: 'MLA', item_id: 'MLA1', requireActive: true };
    const startedAt = performance.now();
    const call = sellerClient.flex.items.enable(input, ofCall);
    expect(await errorOf(advanceUntilSettled(call))).toMatchObject({ cause: { name: 'TimeoutError' } });
    expect(performance.now() - startedAt).toBeLessThanOrEqual(700);
    expect(sent).toHaveLength(2);
  });

  const shows = (messages: readonly object[]): Step => {
    return () => slowly({ paging: { total: messages.length }, messages });
  };
  const [empty, begun] = [shows([]), shows([received])];
  const written = { ...pack, text: 'Hello' };
  test.each<[string, Step, (client: SellerClient, options?: CallOptions) => PromiseLike<unknown>]>([
    ['contact() by an option', empty, (client, options) => client.messages.contact(written, options)],
    ['contact() in a conversation', begun, (client, options) => client.messages.contact(written, options)],
    ['channel()', empty, (client, options) => client.messages.channel(pack, options)],
    ['reply()', begun, (client, options) => client.messages.reply(received, 'Hello', options)],
  ])('what %s sends after it has read the conversation', async (_, conversation, act) => {
    for (const [ofClient, ofCall] of [
      [{ deadlineMs: 600 }, undefined],
      [{}, { deadlineMs: 600 }],
    ] as const) {
      const { sellerClient, sent } = stubbed([conversation, never], ofClient);
      const startedAt = performance.now();
      await errorOf(advanceUntilSettled(act(sellerClient, ofCall)));
      expect(performance.now() - startedAt).toBeLessThanOrEqual(700);
      expect(sent).toHaveLength(2);
    }
  });

  test.each<[string, (client: SellerClient, options: CallOptions) => PromiseLike<unknown>]>([
    ['channel()', (client, options) => client.messages.channel(pack, options)],
    ['contact()', (client, options) => client.messages.contact({ ...written, attachments: ['a.pdf'] }, options)],
  ])('the whole of %s, by its name, where it ends a read after the conversation', async (name, act) => {
    const { sellerClient } = stubbed([empty, never]);
    const error = await errorOf(advanceUntilSettled(act(sellerClient, { deadlineMs: 600 })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe(`${name} did not end within its deadline of 600 ms`);
  });

  test('the time of the loop body does not count', async () => {
    const { sellerClient } = stubbed([service]);
    let read = 0;
    const iterate = async (): Promise<void> => {
      for await (const question of sellerClient.questions.search({ seller_id: 7 }, { deadlineMs: 1500 })) {
        read = question.id;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (read === 25) break;
      }
    };
    await advanceUntilSettled(iterate());
    expect(read).toBe(25);
  });

  test('confirm() of an error, which then does not know', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), never], { deadlineMs: 1500 });
    const error = await errorOf<OutcomeUnknownError>(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }));
    const startedAt = performance.now();
    expect(await advanceUntilSettled(error.confirm())).toEqual({
      unknown: 'reading back did not end within its deadline of 1500 ms',
    });
    expect(performance.now() - startedAt).toBeLessThanOrEqual(1600);
    await advanceUntilSettled(error.confirm({ deadlineMs: 300 }));
    expect(performance.now() - startedAt).toBeLessThanOrEqual(2000);
  });
});

test('after a timeout, confirm() looks for as long again before it says that the write was not carried out', async () => {
  const { sellerClient } = stubbed([never, () => Response.json(wireQuestion)], { timeoutMs: 20_000 });
  const call = sellerClient.questions.answer({ question_id: 42, text: 'Yes' });
  const error = await errorOf<OutcomeUnknownError>(advanceUntilSettled(call));
  const startedAt = performance.now();
  expect(await advanceUntilSettled(error.confirm())).toEqual({ done: false });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(20_000);
  const shortly = performance.now();
  await advanceUntilSettled(error.confirm({ confirmWindowMs: 100 }));
  expect(performance.now() - shortly).toBeLessThan(1000);
});
