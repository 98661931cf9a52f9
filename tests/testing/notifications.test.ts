import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInbox, fetchHandler, nodeHandler, parseNotification } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { CallbackInit } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { untilEnded } from '../support/until-ended.ts';

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
    // However busy this machine is, a server of the test responds in time.
    ...(typeof init.callback === 'string' && { timeoutMs: 60_000 }),
    ...init,
  });
  const ask = (text = 'Is there stock?') => marketplace.ask({ from: buyer, item_id, text });
  return { marketplace, seller, buyer, received, subscription, ask };
}

describe('a subscribed application', () => {
  test('whose notification is due in an hour keeps no process alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { marketplace, subscription, ask } = createMarketplace({ faults: { late: 1, lateMs: 3_600_000 } });
    marketplace.clock.run();
    const before = timers();
    ask();
    expect(timers()).toBe(before);
    subscription.cancel();
  });

  test('hears of everything that the marketplace announces, unless it names topics', async () => {
    const { marketplace, seller, buyer, received, subscription, ask } = createMarketplace();
    const questions = createMarketplace({ topics: ['questions'] });
    for (const each of [marketplace, questions.marketplace]) {
      const pack = each.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
      each.buyerWrites({ pack, text: 'Hello' });
      each.items.change(each.items.all[0]!.item_id, { status: 'paused' });
      await each.notifications.send({ topic: 'claims', resource: '/claims/1', user_id: seller.user_id });
    }
    ask();
    questions.ask();
    await marketplace.notifications.flush();
    await questions.marketplace.notifications.flush();
    expect(new Set(received.map(({ topic }) => topic))).toEqual(
      new Set(['orders_v2', 'messages', 'items', 'claims', 'questions']),
    );
    expect([...new Set(questions.received.map(({ topic }) => topic))]).toEqual(['questions']);
    expect(subscription.topics.size).toBeGreaterThan(25);
  });

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
    const inbox = createInbox({ on: { questions: ({ question_id }) => void handled.push(question_id) } });
    const server = createServer(nodeHandler(inbox)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { marketplace, ask } = createMarketplace({
      callback: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    });
    const { id } = ask();
    await marketplace.notifications.flush();
    await untilEnded(inbox);
    expect(handled).toEqual([id]);
    server.closeAllConnections();
    server.close();
    const { id: lost } = ask();
    marketplace.notifications.flush({ signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
    await expect.poll(() => marketplace.notifications.attempts.map(({ outcome }) => outcome)).toContain('unreachable');
    expect(lost).toBe(id + 1);
  });

  const url = 'a callback is a URL such as http://127.0.0.1:8080/, or a function';
  test.each<[object, string]>([
    [{ callback: 'here' }, url],
    [{ callback: 'ftp://127.0.0.1/' }, url],
    [{ callback: 'httpx://127.0.0.1/' }, url],
    [{ callback: new URL('http://me@127.0.0.1/') }, url],
    [{ callback: 'http://:secret@127.0.0.1/' }, url],
    [{ callback: undefined }, url],
    [{ topic: 'questions' }, 'a subscription has no field `topic`; did you mean `topics`?'],
    [{ topics: ['question'] }, 'there is no topic "question"; did you mean questions?'],
    [{ topics: ['xyz'] }, 'there is no topic "xyz"; the topics are best_sellers, catalog_item'],
    [{ application_id: 0 }, 'an `application_id` is an integer of at least 1'],
    [{ application_id: 1.5 }, 'an `application_id` is an integer of at least 1'],
    [{ timeoutMs: 0 }, '`timeoutMs` is from 1 to 60000'],
    [{ timeoutMs: Number.NaN }, '`timeoutMs` is from 1 to 60000'],
    [{ timeoutMs: 60_001 }, '`timeoutMs` is from 1 to 60000'],
    [{ faults: { lat: 1 } }, '`faults` has no field `lat`; did you mean `late`?'],
    [{ faults: { late: -0.1 } }, '`faults.late`: a share is from 0 to 1'],
    [{ faults: { twice: 1.1 } }, '`faults.twice`: a share is from 0 to 1'],
    [{ faults: { odd: NaN } }, '`odd` takes a number'],
    [{ faults: { lateMs: -1 } }, '`faults.lateMs`: an integer from 0 to 86400000'],
    [{ faults: { lateMs: 86_400_001 } }, '`faults.lateMs`: an integer from 0 to 86400000'],
  ])('a subscription with %j is rejected', (init, message) => {
    const subscribe = (): unknown => createMarketplace(init);
    expect(subscribe).toThrow(FakeMarketplaceError);
    expect(subscribe).toThrow(message);
  });

  test('a subscription takes the least and the most of everything', () => {
    const { notifications } = new FakeMarketplace();
    const subscribe = (init: object) => notifications.subscribe({ callback: 'https://a.test/', ...init });
    // real: nothing is delivered.
    const least = { application_id: 1, timeoutMs: 1, faults: { late: 0, lateMs: 0, twice: 0, odd: 0 } };
    const most = { timeoutMs: 60_000, faults: { late: 1, lateMs: 86_400_000, twice: 1, odd: 1 } };
    const own = subscribe({ callback: () => new Response() });
    expect(
      [subscribe(least), subscribe(most), own].map(({ id, application_id, url }) => [id, application_id, url]),
    ).toEqual([
      [2, 1, 'https://a.test/'],
      [3, 500, 'https://a.test/'],
      [1, 500, null],
    ]);
    expect(notifications.subscriptions.map(({ id }) => id)).toEqual([1, 2, 3]);
    notifications.reset();
    expect(notifications.subscriptions).toEqual([]);
    expect(subscribe({}).id).toBe(1);
  });
});

describe('deliveries that do not get 200', () => {
  test.each([201, 204, 302, 500])(
    'after %i a notification is delivered 8 times within an hour and then dropped',
    async (status) => {
      const { marketplace, received, ask } = createMarketplace({}, () => new Response(null, { status }));
      ask();
      await marketplace.notifications.flush();
      expect(received.map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(new Set(received.map(({ _id }) => _id)).size).toBe(1);
      expect(marketplace.clock.iso).toBe('2026-11-20T12:56:45.000Z');
      // The waits grow from 15 seconds to 25 minutes.
      expect(marketplace.notifications.attempts.map(({ at }) => at.slice(11, 19))).toEqual([
        ...['12:00:00', '12:00:15', '12:00:45', '12:01:45', '12:06:45', '12:16:45', '12:31:45', '12:56:45'],
      ]);
      expect(marketplace.notifications.scheduled).toEqual([]);
      expect(marketplace.notifications.attempts.map(({ outcome }) => outcome)).toEqual(Array(8).fill(status));
    },
  );

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
    const { marketplace, received, subscription, ask } = createMarketplace({ topics: ['questions'] }, () =>
      Response.error(),
    );
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
    subscription.enable('questions');
    ask();
    await marketplace.notifications.flush();
    expect([...subscription.topics]).toEqual(['questions']);
    expect(received).toHaveLength(8);
  });

  test('a notification that arrives between lost ones starts the count again', async () => {
    let status = 500;
    const { marketplace, subscription, ask } = createMarketplace(
      { topics: ['questions', 'items'] },
      () => new Response(null, { status }),
    );
    for (const next of [500, 500, 200, 500, 500]) {
      status = next;
      ask();
      await marketplace.notifications.flush();
    }
    marketplace.events.emit({ topic: 'items', resource: '/items/MLA1', user_id: 1 });
    await marketplace.notifications.flush();
    expect([...subscription.topics]).toEqual(['questions', 'items']);
  });

  test.each<[string, CallbackInit['callback']]>([
    ['fails', () => Promise.reject(new Error('down'))],
    ['cannot be reached', 'http://127.0.0.1:1/'],
  ])('a callback that %s is unreachable', async (_, callback) => {
    const { marketplace, ask, subscription } = createMarketplace({ callback });
    ask();
    await expect.poll(() => marketplace.notifications.attempts.length).toBe(1);
    subscription.cancel();
    expect(marketplace.notifications.attempts).toMatchObject([{ outcome: 'unreachable', subscription: 1, attempt: 1 }]);
    expect(marketplace.notifications.scheduled).toEqual([]);
  });

  test('a response after 500 ms counts as failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const requests: Request[] = [];
    const callback = (request: Request) => new Promise<never>(() => requests.push(request));
    const { marketplace, ask, subscription } = createMarketplace({ callback });
    ask();
    const flushed = marketplace.notifications.flush();
    await vi.advanceTimersByTimeAsync(400);
    expect(marketplace.notifications.attempts).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(marketplace.notifications.attempts).toMatchObject([{ outcome: 'too slow' }]);
    expect(requests[0]?.signal.aborted).toBe(true);
    subscription.cancel();
    await vi.advanceTimersByTimeAsync(1_000);
    await flushed;
  });

  test('a response in time leaves no timer, and its request is not aborted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const requests: Request[] = [];
    const callback = (request: Request): Response => (requests.push(request), new Response());
    const { marketplace, ask } = createMarketplace({ callback });
    ask();
    await marketplace.notifications.flush();
    expect(requests.map(({ signal, headers }) => [signal.aborted, headers.get('content-type')])).toEqual([
      [false, 'application/json'],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what is scheduled has one timer, and none while the clock stands still', () => {
    vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z') });
    const { marketplace, received, ask } = createMarketplace({ faults: { late: 1, lateMs: 60_000 } });
    for (let count = 0; count < 3; count += 1) ask();
    expect(vi.getTimerCount()).toBe(0);
    marketplace.clock.run();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersToNextTimer();
    expect(marketplace.notifications.scheduled).toHaveLength(2);
    expect(received).toEqual([]);
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

  test('an odd notification has one of the forms that the service was seen to send', async () => {
    const { marketplace, received, ask } = createMarketplace({ faults: { odd: 1 } });
    for (let count = 0; count < 60; count += 1) ask();
    await marketplace.notifications.flush();
    const usual = ['application_id', 'attempts', 'received', 'resource', 'sent', 'topic', 'user_id'];
    const forms: Record<string, (body: Record<string, unknown>) => boolean> = {
      'an id without its underscore': (body) => String(body.id).startsWith('500-') && !('_id' in body),
      'no id': (body) => Object.keys(body).sort().join() === usual.join(),
      'a user id as a text': ({ user_id }) => user_id === '7',
      'a misspelt field': (body) => body.recieved === '2026-11-20T12:00:00.000Z' && !('received' in body),
      'a resource without a slash': ({ resource }) => /^questions\/\d+$/.test(String(resource)),
      'more fields': ({ actions, version }) => Array.isArray(actions) && actions[0] === 'created' && version === 2,
      'another time zone': ({ sent }) => sent === '2026-11-20T12:00:00.000+0000',
    };
    for (const body of received)
      expect([body, Object.values(forms).filter((has) => has(body)).length]).toEqual([body, 1]);
    for (const [name, has] of Object.entries(forms)) expect([name, received.some(has)]).toEqual([name, true]);
  });

  test('a share of 1 affects all notifications, and a share of 0 none', async () => {
    const { marketplace, received, ask } = createMarketplace({ faults: { twice: 1, late: 1, lateMs: 5000 } });
    const { id } = ask();
    expect(marketplace.notifications.scheduled).toHaveLength(2);
    const due = marketplace.notifications.scheduled.map(({ at }) => Date.parse(at) - marketplace.clock.ms);
    expect(due[0]).toBe(due[1]);
    expect(due[0]! > 5 && due[0]! <= 5000).toBe(true);
    expect(received).toEqual([]);
    await marketplace.notifications.flush();
    expect(received.map(({ resource, attempts }) => [resource, attempts])).toEqual(
      Array(2).fill([`/questions/${id}`, 1]),
    );
    const none = createMarketplace({ faults: { late: 0, twice: 0, odd: 0 } });
    for (let count = 0; count < 20; count += 1) none.ask();
    await none.marketplace.notifications.flush();
    expect(none.received).toHaveLength(20);
    expect(new Set(none.marketplace.notifications.attempts.map(({ at }) => at)).size).toBe(1);
  });

  test('notifications come late, out of order, twice and in other spellings, and all can be parsed', async () => {
    const received = await fifty(1);
    const asked = received.map((body) => parseNotification(body).question_id ?? 0);
    expect(new Set(asked).size).toBe(50);
    expect(received.length).toBeGreaterThan(55);
    expect(asked).not.toEqual([...asked].sort((a, b) => a - b));
    expect(new Set(received.map((body) => Object.keys(body).join())).size).toBeGreaterThan(4);
  });

  test('an inbox handles every event once despite faults', async () => {
    const handled: number[] = [];
    const inbox = createInbox({ on: { questions: ({ question_id }) => void handled.push(question_id) } });
    const { marketplace, ask } = createMarketplace({ callback: fetchHandler(inbox), faults: shares });
    const asked = Array.from({ length: 50 }, () => ask().id);
    await marketplace.notifications.flush();
    await untilEnded(inbox);
    expect(handled.sort((a, b) => a - b)).toEqual(asked);
  });
});
