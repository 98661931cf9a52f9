import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver, fetchHandler, nodeHandler, parseNotification } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { CallbackInit } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

/** Creates a marketplace at noon with an item, and an application that records its notifications. */
function createMarketplace(init: Partial<CallbackInit> = {}, respond: () => Response = () => new Response()) {
  const marketplace = new FakeMarketplace({ now: '2026-11-20T12:00:00Z' });
  const seller = marketplace.addUser({ user_id: 7 });
  const buyer = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const received: Record<string, unknown>[] = [];
  const subscription = marketplace.notifications.subscribe({
    callback: async (request) => {
      received.push((await request.json()) as Record<string, unknown>);
      return respond();
    },
    ...init,
  });
  const ask = (text = 'Is there stock?') => marketplace.ask({ from: buyer, item_id, text });
  return { marketplace, seller, buyer, received, subscription, ask };
}

describe('a subscribed application', () => {
  test('a question sends the documented notification', async () => {
    const { marketplace, received, ask } = createMarketplace();
    const { id } = ask();
    await marketplace.notifications.flush();
    expect(received).toEqual([
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

  test('an answer sends another notification', async () => {
    const { marketplace, seller, received, ask } = createMarketplace();
    const { id } = ask();
    await marketplace.clientFor(seller).questions.answer({ question_id: id, text: 'Yes.' });
    await marketplace.notifications.flush();
    expect(received.map(({ resource }) => resource)).toEqual([`/questions/${id}`, `/questions/${id}`]);
  });

  test('only notifications of its topics and users are delivered, and none after unsubscribing', async () => {
    const { marketplace, received, subscription, ask } = createMarketplace({ user_ids: [8] });
    const others = createMarketplace({ topics: ['messages'] });
    ask();
    others.ask();
    await marketplace.notifications.flush();
    await others.marketplace.notifications.flush();
    expect([...received, ...others.received]).toEqual([]);
    subscription.cancel();
    ask();
    await marketplace.notifications.flush();
    expect(marketplace.notifications.attempts).toEqual([]);
  });

  test('a running clock delivers notifications shortly afterwards', async () => {
    const { marketplace, received, ask } = createMarketplace();
    marketplace.clock.run();
    ask();
    await expect.poll(() => received.length).toBe(1);
  });

  test('a late notification is delivered when a stopped clock is moved to its time', async () => {
    const { marketplace, received, ask } = createMarketplace({ faults: { late: 1, lateMs: 60_000 } });
    ask();
    const [late] = marketplace.notifications.scheduled;
    marketplace.clock.set(Date.parse(late!.at) - 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(received).toEqual([]);
    marketplace.clock.advance({ ms: 1 });
    await expect.poll(() => received.length).toBe(1);
    expect(marketplace.notifications.scheduled).toEqual([]);
  });

  test('a late notification is delivered when a stopped clock runs again', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z') });
    const { marketplace, received, ask } = createMarketplace({ faults: { late: 1, lateMs: 60_000 } });
    ask();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(received).toEqual([]);
    marketplace.clock.run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(received).toHaveLength(1);
  });

  test('at() does not hold up what a running clock has scheduled', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z') });
    const { marketplace, received, ask } = createMarketplace({ faults: { late: 1, lateMs: 60_000 } });
    marketplace.clock.run();
    marketplace.clock.at('2026-11-20T11:59:59Z', ask);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(received).toHaveLength(1);
  });

  test('the retries of a stopped clock follow each other when it is moved past them', async () => {
    const { marketplace, received, ask } = createMarketplace({}, () => new Response(null, { status: 500 }));
    ask();
    await expect.poll(() => marketplace.notifications.attempts.length).toBe(1);
    marketplace.clock.advance({ minutes: 1 });
    await expect.poll(() => marketplace.notifications.attempts.length).toBe(3);
    expect(received.map(({ attempts }) => attempts)).toEqual([1, 2, 3]);
    expect(marketplace.notifications.scheduled).toMatchObject([{ attempt: 4, at: '2026-11-20T12:01:45.000Z' }]);
  });

  test('a notification is delivered over HTTP', async () => {
    const handled: number[] = [];
    const receiver = createReceiver({ on: { questions: ({ question_id }) => void handled.push(question_id) } });
    const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { marketplace, ask } = createMarketplace({
      callback: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    });
    const { id } = ask();
    await marketplace.notifications.flush();
    await receiver.idle();
    expect(handled).toEqual([id]);
    server.closeAllConnections();
    server.close();
    const { id: lost } = ask();
    marketplace.notifications.flush({ signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await expect.poll(() => marketplace.notifications.attempts.map(({ outcome }) => outcome)).toContain('unreachable');
    expect(lost).toBe(id + 1);
  });

  test('a subscription without a URL or handler is rejected', () => {
    expect(() => createMarketplace({ callback: 'here' })).toThrow(FakeMarketplaceError);
  });
});

describe('deliveries that do not get 200', () => {
  test('a failed notification is delivered 8 times within an hour and then dropped', async () => {
    const { marketplace, received, ask } = createMarketplace({}, () => new Response(null, { status: 204 }));
    ask();
    await marketplace.notifications.flush();
    expect(received.map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(received.map(({ _id }) => _id)).size).toBe(1);
    expect(marketplace.clock.iso).toBe('2026-11-20T12:56:45.000Z');
    expect(marketplace.notifications.attempts.map(({ outcome }) => outcome)).toEqual(Array(8).fill(204));
  });

  test('a callback that redirects does not acknowledge a notification', async () => {
    const requested: string[] = [];
    const server = createServer(({ method, url }, response) => {
      requested.push(`${method} ${url}`);
      if (url === '/login') response.end('Log in');
      else response.writeHead(302, { location: '/login' }).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { marketplace, ask } = createMarketplace({ callback: `http://127.0.0.1:${port}/notifications` });
    ask();
    await expect.poll(() => marketplace.notifications.attempts.length).toBe(1);
    expect(marketplace.notifications.attempts).toMatchObject([{ outcome: 302 }]);
    expect(marketplace.notifications.scheduled).toMatchObject([{ attempt: 2 }]);
    expect(requested).toEqual(['POST /notifications']);
  });

  test('a 200 ends the deliveries', async () => {
    let status = 503;
    const { marketplace, received, ask } = createMarketplace({}, () => {
      const response = new Response(null, { status });
      status = 200;
      return response;
    });
    ask();
    await marketplace.notifications.flush();
    expect(received.map(({ attempts }) => attempts)).toEqual([1, 2]);
  });

  test('three lost notifications in a row disable the topic until it is enabled again', async () => {
    let status = 500;
    const { marketplace, received, subscription, ask } = createMarketplace({}, () => new Response(null, { status }));
    for (let count = 0; count < 3; count += 1) {
      expect([...subscription.topics]).toEqual(['questions']);
      ask();
      await marketplace.notifications.flush();
    }
    expect([...subscription.topics]).toEqual([]);
    received.length = 0;
    ask();
    await marketplace.notifications.flush();
    expect(received).toEqual([]);
    status = 200;
    subscription.enable('questions');
    ask();
    await marketplace.notifications.flush();
    expect(received).toHaveLength(1);
  });

  test('a response after 500 ms counts as failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { marketplace, ask, subscription } = createMarketplace({ callback: () => new Promise<never>(() => {}) });
    ask();
    const flushed = marketplace.notifications.flush();
    await vi.advanceTimersByTimeAsync(400);
    expect(marketplace.notifications.attempts).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(marketplace.notifications.attempts).toMatchObject([{ outcome: 'too slow' }]);
    subscription.cancel();
    await vi.advanceTimersByTimeAsync(1_000);
    await flushed;
  });

  test('a subscription may give its application more time to respond', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { marketplace, ask, subscription } = createMarketplace({
      callback: () => new Promise<never>(() => {}),
      timeoutMs: 2_000,
    });
    ask();
    const flushed = marketplace.notifications.flush();
    await vi.advanceTimersByTimeAsync(1_900);
    expect(marketplace.notifications.attempts).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(marketplace.notifications.attempts).toMatchObject([{ outcome: 'too slow' }]);
    subscription.cancel();
    await vi.advanceTimersByTimeAsync(2_000);
    await flushed;
    for (const timeoutMs of [0, -1, Number.NaN, 60_001])
      expect(() => marketplace.notifications.subscribe({ callback: () => new Response(), timeoutMs })).toThrow(
        '`timeoutMs` is from 1 to 60000',
      );
  });

  test('flush() gives up after its timeout', async () => {
    const { marketplace } = createMarketplace();
    await expect(marketplace.notifications.flush({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
  });
});

describe('delivery faults', () => {
  const shares = { late: 0.5, lateMs: 60_000, twice: 0.3, odd: 0.5 };

  async function fifty(seed: number) {
    const { marketplace, received, ask } = createMarketplace({ faults: { ...shares, seed } });
    for (let count = 0; count < 50; count += 1) ask();
    await marketplace.notifications.flush();
    return received;
  }

  test('the same seed affects the same notifications, and another seed others', async () => {
    const first = await fifty(1);
    expect(await fifty(1)).toEqual(first);
    expect(await fifty(2)).not.toEqual(first);
  });

  test('notifications come late, out of order, twice and in other spellings, and all can be parsed', async () => {
    const received = await fifty(1);
    const asked = received.map((body) => parseNotification(body).question_id ?? 0);
    expect(new Set(asked).size).toBe(50);
    expect(received.length).toBeGreaterThan(55);
    expect(asked).not.toEqual([...asked].sort((a, b) => a - b));
    expect(new Set(received.map((body) => Object.keys(body).join())).size).toBeGreaterThan(4);
  });

  test('a receiver handles every event once despite faults', async () => {
    const handled: number[] = [];
    const receiver = createReceiver({ on: { questions: ({ question_id }) => void handled.push(question_id) } });
    const { marketplace, ask } = createMarketplace({ callback: fetchHandler(receiver), faults: shares });
    const asked = Array.from({ length: 50 }, () => ask().id);
    await marketplace.notifications.flush();
    await receiver.idle();
    expect(handled.sort((a, b) => a - b)).toEqual(asked);
  });
});
