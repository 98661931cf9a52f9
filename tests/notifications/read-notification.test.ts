import {
  ConfigurationError,
  NotFoundError,
  NotificationError,
  RequestAbortedError,
  isAnswerable,
} from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Question } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler, parseNotification, readNotification } from 'marketplace-seller-sdk/inbox';
import type { QuestionNotification } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { about } from '../support/deliveries.ts';
import { untilEnded } from '../support/until-ended.ts';
import { receiving } from '../support/stubs.ts';

afterEach(() => {
  vi.useRealTimers();
});

function createShop() {
  const marketplace = new FakeMarketplace({ now: '2026-11-20T12:00:00Z' });
  const sellers = [7, 8].map((user_id) => marketplace.addUser({ user_id }));
  const buyer = marketplace.addUser();
  const items = sellers.map(({ user_id }) => marketplace.addItem({ seller_id: user_id }));
  const requests: Request[] = [];
  const clientFor = (user_id: number) =>
    marketplace.clientFor(
      { user_id },
      {
        fetch: receiving((request) => {
          requests.push(request);
          return marketplace.fetch(request);
        }),
      },
    );
  const ask = (index = 0) => marketplace.ask({ from: buyer, item_id: items[index]!.item_id, text: 'Is there stock?' });
  return { marketplace, ask, clientFor, requests };
}

const notFound = { status: 404, code: 'not_found', message: 'Question not found' } as const;

describe('readNotification()', () => {
  test('a client without messages reads questions only', async () => {
    const { clientFor, ask } = createShop();
    const { id } = ask();
    const { questions } = clientFor(7);
    const read = (resource: string, topic: string): Promise<unknown> =>
      readNotification({ questions }, parseNotification({ ...about(id), topic, resource }) as never);
    expect(await read(`/questions/${id}`, 'questions')).toMatchObject({ id });
    await expect(read('/messages/5f1b', 'messages')).rejects.toThrow('has no `messages`');
  });

  test('the question is read with the token of the seller concerned', async () => {
    const { marketplace, ask, clientFor, requests } = createShop();
    const read: (number | null | undefined)[] = [];
    const inbox = createInbox({
      clientFor,
      on: {
        questions: async (notification, context) => {
          const question = await context.read();
          expectTypeOf(question).toEqualTypeOf<Question>();
          // Its answer is announced too.
          if (!isAnswerable(question)) return;
          await clientFor(notification.user_id).questions.answer({ question_id: question.id, text: 'Yes.' });
          read.push(question.seller_id);
        },
      },
    });
    marketplace.notifications.subscribe({ callback: fetchHandler(inbox) });
    const [first, second] = [ask(0), ask(1)];
    await expect.poll(() => read.length).toBeGreaterThanOrEqual(2);
    expect(read.sort()).toEqual([7, 8]);
    for (const { id } of [first, second])
      expect(marketplace.questions.statusOf(marketplace.questions.get(id)!)).toBe('ANSWERED');
    const tokens = new Set(requests.map(({ headers }) => headers.get('authorization')?.replace(/.*-/, '')));
    expect([...tokens].sort()).toEqual(['7', '8']);
    await inbox.close();
  });

  test('a 404 is retried for some seconds, because the question may not be readable yet', async () => {
    vi.useFakeTimers();
    const { marketplace, ask, clientFor } = createShop();
    const { id } = ask();
    for (let times = 0; times < 3; times += 1) marketplace.failNext(endpoints.questions.get, notFound);
    const reading = readNotification(clientFor(7), parseNotification(about(id)) as QuestionNotification);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await reading).id).toBe(id);
  });

  test('a 404 that stays is thrown', async () => {
    vi.useFakeTimers();
    const { clientFor, requests } = createShop();
    const reading = readNotification(clientFor(7), parseNotification(about(999)), { notFoundTimeoutMs: 1_000 });
    const failed = expect(reading).rejects.toThrow(NotFoundError);
    await vi.advanceTimersByTimeAsync(1_000);
    await failed;
    expect(requests.length).toBeGreaterThanOrEqual(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([Number.NaN, -1, Infinity, '5'])(
    'a wrong limit (%s) is rejected before anything is read',
    async (limit) => {
      const { clientFor, requests } = createShop();
      const options = { notFoundTimeoutMs: limit as number };
      await expect(readNotification(clientFor(7), parseNotification(about(1)), options)).rejects.toThrow(
        '`notFoundTimeoutMs` takes an integer, at least 0',
      );
      expect(requests).toEqual([]);
    },
  );

  test('an abort ends the reading at once', async () => {
    const { clientFor } = createShop();
    const controller = new AbortController();
    const reading = readNotification(clientFor(7), parseNotification(about(999)), { signal: controller.signal });
    const failed = expect(reading).rejects.toThrow(RequestAbortedError);
    setTimeout(() => controller.abort(), 20);
    await failed;
  });

  test('only the endpoint of the topic is called, whatever the resource says', async () => {
    const { ask, clientFor, requests } = createShop();
    const { id } = ask();
    await readNotification(clientFor(7), parseNotification(about(id, { resource: `questions/${id}/` })));
    expect(requests.map(({ method, url }) => [method, new URL(url).pathname])).toEqual([['GET', `/questions/${id}`]]);
  });

  test('an unknown topic is rejected', async () => {
    const { clientFor, requests } = createShop();
    const order = parseNotification(about(1, { topic: 'orders_v2', resource: '/orders/1' }));
    await expect(readNotification(clientFor(7), order)).rejects.toThrow(NotificationError);
    expect(requests).toEqual([]);
  });

  test('a notification without a client for its user fails', async () => {
    const errors: unknown[] = [];
    for (const clientFor of [undefined, () => Promise.reject(new Error('not ours'))]) {
      const inbox = createInbox({
        clientFor,
        retry: { maxRetries: 0 },
        onFailure: ({ error }) => errors.push(error),
        on: { questions: (_, { read }) => read() },
      });
      await inbox.add(about(1));
      await untilEnded(inbox);
    }
    expect(errors[0]).toBeInstanceOf(ConfigurationError);
    expect(errors[1]).toMatchObject({ message: 'not ours' });
  });
});
