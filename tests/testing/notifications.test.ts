import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver, fetchHandler, nodeHandler, parseNotification } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { CallbackInit } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

/** A marketplace at noon, an item to ask about, and an application that notes what it is told. */
function noon(sketch: Partial<CallbackInit> = {}, answers: () => Response = () => new Response()) {
  const marketplace = new FakeMarketplace({ now: '2026-11-20T12:00:00Z' });
  const seller = marketplace.addUser({ user_id: 7 });
  const buyer = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const told: Record<string, unknown>[] = [];
  const subscription = marketplace.notifications.subscribe({
    callback: async (request) => {
      told.push((await request.json()) as Record<string, unknown>);
      return answers();
    },
    ...sketch,
  });
  const ask = (text = 'Is there stock?') => marketplace.ask({ from: buyer, item_id, text });
  return { marketplace, seller, buyer, told, subscription, ask };
}

describe('an application', () => {
  test('is told of a question, as the specification says', async () => {
    const { marketplace, told, ask } = noon();
    const { id } = ask();
    await marketplace.notifications.flush();
    expect(told).toEqual([
      {
        _id: '500-000000000001',
        user_id: 7,
        resource: `/questions/${id}`,
        topic: 'questions',
        application_id: 500,
        attempts: 1,
        sent: '2026-11-20T12:00:00.000Z',
        received: '2026-11-20T12:00:00.000Z',
      },
    ]);
  });

  test('is told again when the question is answered', async () => {
    const { marketplace, seller, told, ask } = noon();
    const { id } = ask();
    await marketplace.clientFor(seller).questions.answer({ question_id: id, text: 'Yes.' });
    await marketplace.notifications.flush();
    expect(told.map(({ resource }) => resource)).toEqual([`/questions/${id}`, `/questions/${id}`]);
  });

  test('is told of its topics and users only, and of nothing once it has cancelled', async () => {
    const { marketplace, told, subscription, ask } = noon({ user_ids: [8] });
    const others = noon({ topics: ['messages'] });
    ask();
    others.ask();
    await marketplace.notifications.flush();
    await others.marketplace.notifications.flush();
    expect([...told, ...others.told]).toEqual([]);
    subscription.cancel();
    ask();
    await marketplace.notifications.flush();
    expect(marketplace.notifications.attempts).toEqual([]);
  });

  test('is told in a moment while the clock runs', async () => {
    const { marketplace, told, ask } = noon();
    marketplace.clock.run();
    ask();
    await vi.waitUntil(() => told.length === 1);
  });

  test('is reached over HTTP', async () => {
    const handled: number[] = [];
    const receiver = createReceiver({ on: { questions: ({ question_id }) => void handled.push(question_id) } });
    const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { marketplace, ask } = noon({ callback: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    const { id } = ask();
    await marketplace.notifications.flush();
    await receiver.idle();
    expect(handled).toEqual([id]);
    server.closeAllConnections();
    server.close();
    const { id: lost } = ask();
    marketplace.notifications.flush({ signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await vi.waitUntil(() => marketplace.notifications.attempts.some(({ outcome }) => outcome === 'unreachable'));
    expect(lost).toBe(id + 1);
  });

  test('says where it is to be reached', () => {
    expect(() => noon({ callback: 'here' })).toThrow(FakeMarketplaceError);
  });
});

describe('what is not answered with 200', () => {
  test('is delivered again, 8 times within an hour, and given up', async () => {
    const { marketplace, told, ask } = noon({}, () => new Response(null, { status: 204 }));
    ask();
    await marketplace.notifications.flush();
    expect(told.map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(told.map(({ _id }) => _id)).size).toBe(1);
    expect(marketplace.clock.iso).toBe('2026-11-20T12:56:45.000Z');
    expect(marketplace.notifications.attempts.map(({ outcome }) => outcome)).toEqual(Array(8).fill(204));
  });

  test('is not delivered again after a 200', async () => {
    let status = 503;
    const { marketplace, told, ask } = noon({}, () => {
      const response = new Response(null, { status });
      status = 200;
      return response;
    });
    ask();
    await marketplace.notifications.flush();
    expect(told.map(({ attempts }) => attempts)).toEqual([1, 2]);
  });

  test('three times in a row switches the topic off, until it is switched on', async () => {
    let status = 500;
    const { marketplace, told, subscription, ask } = noon({}, () => new Response(null, { status }));
    for (let count = 0; count < 3; count += 1) {
      expect([...subscription.topics]).toEqual(['questions']);
      ask();
      await marketplace.notifications.flush();
    }
    expect([...subscription.topics]).toEqual([]);
    told.length = 0;
    ask();
    await marketplace.notifications.flush();
    expect(told).toEqual([]);
    status = 200;
    subscription.enable('questions');
    ask();
    await marketplace.notifications.flush();
    expect(told).toHaveLength(1);
  });

  test('counts what takes longer than 500 ms as not answered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { marketplace, ask, subscription } = noon({ callback: () => new Promise<never>(() => {}) });
    ask();
    const quiet = marketplace.notifications.flush();
    await vi.advanceTimersByTimeAsync(400);
    expect(marketplace.notifications.attempts).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(marketplace.notifications.attempts).toMatchObject([{ outcome: 'too slow' }]);
    subscription.cancel();
    await vi.advanceTimersByTimeAsync(1_000);
    await quiet;
  });

  test('can be waited for only so long', async () => {
    const { marketplace } = noon();
    await expect(marketplace.notifications.flush({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
  });
});

describe('faults on the way to an application', () => {
  const shares = { late: 0.5, lateMs: 60_000, twice: 0.3, odd: 0.5 };

  async function fifty(seed: number) {
    const { marketplace, told, ask } = noon({ faults: { ...shares, seed } });
    for (let count = 0; count < 50; count += 1) ask();
    await marketplace.notifications.flush();
    return told;
  }

  test('strike the same notifications for the same seed, and others for another', async () => {
    const first = await fifty(1);
    expect(await fifty(1)).toEqual(first);
    expect(await fifty(2)).not.toEqual(first);
  });

  test('come late, out of order, twice and in odd spellings, all of which can be read', async () => {
    const told = await fifty(1);
    const asked = told.map((body) => parseNotification(body).question_id ?? 0);
    expect(new Set(asked).size).toBe(50);
    expect(told.length).toBeGreaterThan(55);
    expect(asked).not.toEqual([...asked].sort((a, b) => a - b));
    expect(new Set(told.map((body) => Object.keys(body).join())).size).toBeGreaterThan(4);
  });

  test('do not keep a receiver from handling every event once', async () => {
    const handled: number[] = [];
    const receiver = createReceiver({ on: { questions: ({ question_id }) => void handled.push(question_id) } });
    const { marketplace, ask } = noon({ callback: fetchHandler(receiver), faults: shares });
    const asked = Array.from({ length: 50 }, () => ask().id);
    await marketplace.notifications.flush();
    await receiver.idle();
    expect(handled.sort((a, b) => a - b)).toEqual(asked);
  });
});
