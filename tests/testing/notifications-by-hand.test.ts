import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { CallbackInit, CallbackSubscription } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { running } from '../support/serving.ts';

/** A marketplace with an item, whose callbacks record what they receive. */
function arrange() {
  const marketplace = new FakeMarketplace({ now: '2026-11-20T12:00:00Z' });
  const seller = marketplace.addUser({ user_id: 7 });
  const buyer = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const received: { by: string; body: Record<string, unknown> }[] = [];
  const subscribe = (by: string, init: Partial<CallbackInit> = {}): CallbackSubscription =>
    marketplace.notifications.subscribe({
      callback: async (request) => {
        received.push({ by, body: (await request.json()) as Record<string, unknown> });
        return new Response();
      },
      ...init,
    });
  const ask = (text: string) => marketplace.ask({ from: buyer, item_id, text });
  const resources = () => received.map(({ by, body }) => `${by} ${String(body.resource)}`);
  return { marketplace, notifications: marketplace.notifications, received, resources, subscribe, ask };
}

describe('notifications by hand', () => {
  test('an earlier notification is delivered again in five minutes, with its id and the next attempt', async () => {
    const { marketplace, notifications, received, subscribe, ask } = arrange();
    subscribe('a');
    ask('Is it new?');
    await notifications.flush();
    const [first] = notifications.attempts;
    await notifications.deliver([first!.id], { afterMs: 300_000 });
    expect(notifications.scheduled).toMatchObject([{ id: first!.id, at: '2026-11-20T12:05:00.000Z', isHeld: false }]);
    await notifications.deliver([first!.id], { afterMs: 360_000 });
    expect(received).toHaveLength(1);
    marketplace.clock.advance({ minutes: 6 });
    await expect.poll(() => received.length).toBe(3);
    expect(received.map(({ body }) => body)).toEqual([1, 2, 3].map((attempts) => ({ ...received[0]?.body, attempts })));
  });

  test('held notifications come in the order in which they are delivered', async () => {
    const { marketplace, notifications, resources, subscribe, ask } = arrange();
    subscribe('a');
    notifications.isHeld = true;
    const [a, b, c] = [ask('A'), ask('B'), ask('C')].map(({ id }) => `/questions/${id}`);
    notifications.isHeld = true;
    await notifications.flush();
    expect(resources()).toEqual([]);
    const idOf = (resource?: string): string =>
      notifications.scheduled.find(({ event, isHeld }) => isHeld && event.resource === resource)?.id ?? '';
    await notifications.deliver([idOf(b), idOf(a)]);
    expect(resources()).toEqual([`a ${b}`, `a ${a}`]);
    marketplace.clock.advance({ minutes: 1 });
    const { iso } = marketplace.clock;
    notifications.isHeld = false;
    await notifications.flush();
    expect(resources()).toEqual([`a ${b}`, `a ${a}`, `a ${c}`]);
    expect(marketplace.clock.iso).toBe(iso);
  });

  test('the order is kept when they are delivered later', async () => {
    const { notifications, resources, subscribe, ask } = arrange();
    subscribe('a');
    notifications.isHeld = true;
    const asked = ['A', 'B', 'C'].map((text) => `a /questions/${ask(text).id}`);
    const ids = notifications.scheduled.map(({ id }) => id).reverse();
    await notifications.deliver(ids, { afterMs: 60_000 });
    await notifications.flush();
    expect(resources()).toEqual(asked.reverse());
  });

  test('one by hand waits for the response to the one before, and others do not', async () => {
    const { notifications, marketplace, ask } = arrange();
    const received: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    const callback = async (request: Request): Promise<Response> => {
      received.push(((await request.json()) as { resource: string }).resource);
      await gate;
      return new Response();
    };
    notifications.subscribe({ callback, timeoutMs: 60_000 });
    const expected = [ask('A'), ask('B')].map(({ id }) => `/questions/${id}`);
    await expect.poll(() => received).toEqual(expected);
    const [a, b] = await Promise.all(
      ['/questions/1', '/questions/2'].map((resource) =>
        notifications.send({ topic: 'questions', resource, user_id: 7 }, { afterMs: 86_400_000 }),
      ),
    );
    expect(notifications.scheduled.map(({ id, at }) => [id, at])).toEqual(
      [a, b].map((ids) => [ids?.[0], '2026-11-21T12:00:00.000Z']),
    );
    marketplace.clock.advance({ days: 1 });
    await expect.poll(() => received).toEqual([...expected, '/questions/1']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(received).toHaveLength(3);
    open(undefined);
    await notifications.flush();
    expect(received).toEqual([...expected, '/questions/1', '/questions/2']);
  });

  test('an earlier notification can go to another subscription; its number goes on from its retries', async () => {
    const { notifications, received, subscribe, ask } = arrange();
    notifications.subscribe({ callback: () => new Response(null, { status: 500 }) });
    ask('A');
    await notifications.flush();
    const other = subscribe('b', { topics: ['items'] });
    await notifications.deliver([notifications.attempts[0]!.id], { subscription: other.id });
    expect(received).toMatchObject([{ by: 'b', body: { attempts: 9 } }]);
    expect(notifications.attempts.at(-1)).not.toHaveProperty('request');
  });

  test('a response that comes after reset() is not recorded', async () => {
    const { notifications, ask } = arrange();
    notifications.subscribe({
      callback: () => {
        notifications.reset();
        return new Response();
      },
    });
    ask('A');
    await notifications.flush();
    expect(notifications.attempts).toEqual([]);
  });

  test('the newest 10,000 attempts and notifications are kept', async () => {
    const { notifications } = arrange();
    notifications.subscribe({ callback: () => new Response(), topics: ['items'] });
    let listened = 0;
    const stop = notifications.onAttempt(() => (listened += 1));
    const sent: string[] = [];
    for (let id = 0; id < 10_001; id += 1)
      sent.push(...(await notifications.send({ topic: 'items', resource: `/items/${id}`, user_id: 7 })));
    expect(notifications.attempts.map(({ id }) => id)).toEqual(sent.slice(1));
    await expect(notifications.deliver(sent.slice(0, 1))).rejects.toThrow('there is no notification');
    expect(listened).toBe(10_001);
    stop();
    await notifications.deliver(sent.slice(1, 2));
    expect(listened).toBe(10_001);
  });

  test('a forged notification has the given fields, and comes to one callback of two', async () => {
    const { notifications, received, subscribe } = arrange();
    subscribe('a');
    const { id } = subscribe('b');
    const fields = { _id: 'forged', user_id: '99', extra: [1] };
    const event = { topic: 'questions', resource: '/questions/1', user_id: 7 };
    await notifications.send({ ...event, fields }, { subscription: id });
    expect(received).toMatchObject([{ by: 'b', body: { ...event, ...fields } }]);
    await notifications.send(event);
    expect(received.slice(1).map(({ by }) => by)).toEqual(['a', 'b']);
  });

  test('a notification of another topic comes to those that subscribe to it, or to a named one', async () => {
    const { notifications, resources, subscribe } = arrange();
    const { id } = subscribe('a', { topics: ['questions'] });
    subscribe('b', { topics: ['items', 'orders_v2'], application_id: 600 });
    const event = { topic: 'items', resource: '/items/MLA1', user_id: 7 };
    await notifications.send(event);
    await notifications.send({ ...event, resource: '/items/MLA2' }, { subscription: id });
    await notifications.send({ ...event, resource: '/items/MLA3', application_id: 600 });
    expect(resources()).toEqual(['b /items/MLA1', 'a /items/MLA2', 'b /items/MLA3']);
  });

  test('a notification for an application comes to its subscriptions to the topic, and to no other', async () => {
    const { notifications, resources, subscribe } = arrange();
    subscribe('a', { topics: ['items'] });
    subscribe('b', { topics: ['items'], application_id: 600 });
    subscribe('c', { topics: ['questions'], application_id: 600 });
    await notifications.send({ topic: 'items', resource: '/items/MLA1', user_id: 7, application_id: 600 });
    expect(
      await notifications.send({ topic: 'orders', resource: '/orders/1', user_id: 7, application_id: 600 }),
    ).toEqual([]);
    expect(resources()).toEqual(['b /items/MLA1']);
  });

  test('a first attempt that is delivered by hand does not come again, and a retry still does', async () => {
    const { marketplace, notifications, received, subscribe, ask } = arrange();
    subscribe('a', { faults: { late: 1, lateMs: 60_000 } });
    const texts = ['A', 'B'].map((text) => `/questions/${ask(text).id}`);
    const [first] = notifications.scheduled.map(({ id }) => id);
    await notifications.deliver([first!]);
    expect(received).toHaveLength(1);
    expect(notifications.scheduled.map(({ id, attempt }) => [id === first, attempt])).toEqual([[false, 1]]);
    await notifications.flush();
    expect(received.map(({ body }) => body.resource).sort()).toEqual(texts);
    const failing = marketplace.notifications.subscribe({ callback: () => new Response(null, { status: 500 }) });
    ask('C');
    await expect.poll(() => notifications.scheduled.some(({ attempt }) => attempt === 2)).toBe(true);
    const lost = notifications.scheduled.find(({ attempt }) => attempt === 2)!;
    await notifications.deliver([lost.id]);
    const attemptsOf = (): number[] =>
      notifications.scheduled.filter(({ id }) => id === lost.id).map(({ attempt }) => attempt);
    // The retry that was due, and the one after the delivery by hand.
    expect(attemptsOf()).toEqual([2, 3]);
    failing.cancel();
    expect(attemptsOf()).toEqual([]);
  });

  test('the end of a subscription drops what waits for it, and nothing else', async () => {
    const { notifications, resources, subscribe, ask } = arrange();
    const faults = { late: 1, lateMs: 60_000 };
    const [a, b] = [subscribe('a', { faults }), subscribe('b', { faults })];
    const late = ask('A');
    notifications.isHeld = true;
    const held = ask('B');
    expect(notifications.scheduled.map(({ subscription }) => subscription).sort()).toEqual([a.id, a.id, b.id, b.id]);
    a.cancel();
    expect(notifications.scheduled.map(({ subscription }) => subscription)).toEqual([b.id, b.id]);
    notifications.isHeld = false;
    await notifications.flush();
    expect(resources().sort()).toEqual([late, held].map(({ id }) => `b /questions/${id}`));
  });

  test('a topic that is disabled meanwhile is not delivered, except by hand', async () => {
    const { notifications, resources, subscribe, ask } = arrange();
    const subscription = subscribe('a', { faults: { late: 1, lateMs: 60_000 } });
    const { id } = ask('A');
    const [waiting] = notifications.scheduled;
    (subscription.topics as Set<string>).delete('questions');
    await notifications.flush();
    expect(resources()).toEqual([]);
    await notifications.deliver([waiting!.id]);
    expect(resources()).toEqual([`a /questions/${id}`]);
  });

  test('with a running clock flush() delivers early, and does not move the clock', async () => {
    const { marketplace, notifications, received, subscribe, ask } = arrange();
    subscribe('a', { faults: { late: 1, lateMs: 86_400_000 } });
    marketplace.clock.run();
    ask('A');
    const due = Date.parse(notifications.scheduled[0]!.at);
    await notifications.flush();
    expect(received).toHaveLength(1);
    expect(marketplace.clock.ms).toBeLessThan(due);
  });

  test('what is due at the same time comes in the order in which it happened', async () => {
    const { notifications, resources, subscribe, ask } = arrange();
    subscribe('a');
    notifications.isHeld = true;
    const asked = ['A', 'B', 'C'].map((text) => `a /questions/${ask(text).id}`);
    notifications.isHeld = false;
    expect(notifications.scheduled.map(({ event }) => `a ${event.resource}`)).toEqual(asked);
    await notifications.flush();
    expect(resources()).toEqual(asked);
  });

  test('reset() ends all: subscriptions, attempts, what waits, and the numbers', async () => {
    const { notifications, received, subscribe, ask } = arrange();
    subscribe('a');
    subscribe('b');
    ask('A');
    await notifications.flush();
    const [{ id } = { id: '' }] = notifications.attempts;
    notifications.isHeld = true;
    const lost = () => ({ lateMs: 0, twice: false, lost: true });
    notifications.subscribe({ callback: () => new Response(), faults: lost });
    ask('B');
    expect(notifications.missed).toHaveLength(1);
    notifications.reset();
    const { subscriptions, attempts, scheduled, missed } = notifications;
    expect([subscriptions, attempts, scheduled, missed]).toEqual([[], [], [], []]);
    expect(notifications.isHeld).toBe(false);
    await expect(notifications.deliver([id])).rejects.toThrow('there is no notification');
    received.length = 0;
    expect(subscribe('c').id).toBe(1);
    ask('C');
    await notifications.flush();
    expect(received).toMatchObject([{ by: 'c', body: { _id: '500-000000000001' } }]);
  });

  test('one subscription ends, the other stays', async () => {
    const { notifications, resources, subscribe, ask } = arrange();
    const { id } = subscribe('a');
    subscribe('b');
    notifications.unsubscribe(id);
    const question = ask('A');
    await notifications.flush();
    expect(resources()).toEqual([`b /questions/${question.id}`]);
  });

  const event = { topic: 'questions', resource: '/questions/1', user_id: 7 };
  test.each<[string, (given: ReturnType<typeof arrange>) => unknown, string]>([
    ['topic', ({ notifications }) => notifications.send({ ...event, topic: 'qestions' }), 'did you mean questions?'],
    ['topic of a subscription', ({ subscribe }) => subscribe('a', { topics: ['red'] }), 'there is no topic "red"'],
    ['application', ({ notifications }) => notifications.send({ ...event, application_id: 9 }), 'application 9 has no'],
    ['application id', ({ subscribe }) => subscribe('a', { application_id: 1.5 }), 'an integer of at least 1'],
    ['notification', ({ notifications }) => notifications.deliver(['x']), 'there is no notification x'],
    [
      'subscription',
      ({ notifications }) => notifications.send(event, { subscription: 9 }),
      'there is no subscription 9',
    ],
    ['ended one', ({ notifications }) => notifications.unsubscribe(9), 'there is no subscription 9'],
    [
      'delay of one again',
      ({ notifications }) => notifications.deliver([], { afterMs: 86_400_001 }),
      '`afterMs` is from',
    ],
    ['delay', ({ notifications }) => notifications.send(event, { afterMs: -1 }), '`afterMs` is from 0 to 86400000'],
  ])('an unknown %s is rejected, and nothing is sent', async (_, act, message) => {
    const given = arrange();
    await expect((async () => act(given))()).rejects.toThrow(message);
    await given.notifications.flush();
    expect([given.received, given.notifications.subscriptions]).toEqual([[], []]);
  });
});

/** The fields of the responses that the test reads. */
interface Answered {
  readonly message: string;
  readonly isHeld: boolean;
  readonly scheduled: readonly { readonly id: string; readonly subscription: number }[];
}

describe('over HTTP', () => {
  const token = 'a-control-token-of-the-test';

  test('the same is done through the control endpoints', async () => {
    const received: { path: string; body: Record<string, unknown> }[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => {
        received.push({ path: request.url ?? '', body: JSON.parse(text) as Record<string, unknown> });
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const serving = running('fake', '--port', '0', '--quiet', '--control-token', token);
    onTestFinished(async () => {
      await serving.end();
    });
    const url = await serving.url();
    const control = async (method: string, name: string, body?: object): Promise<Answered> => {
      const headers = { 'x-fake-token': token };
      const response = await fetch(`${url}/__fake/${name}`, {
        method,
        headers,
        body: body ? JSON.stringify(body) : null,
      });
      return (await response.json()) as Answered;
    };
    const subscribe = (path: string) =>
      control('POST', 'notifications', { callback: `http://127.0.0.1:${port}${path}`, timeoutMs: 60_000 });
    expect([await subscribe('/a'), await subscribe('/b')]).toEqual([{ id: 1 }, { id: 2 }]);
    await control('POST', 'held-notifications', { held: true });
    for (const text of ['A?', 'B?']) await control('POST', 'questions', { from: 1002, item_id: 'MLA600000002', text });
    const { scheduled, isHeld } = await control('GET', 'notifications');
    expect([isHeld, scheduled.length]).toEqual([true, 4]);
    const ids = scheduled.filter((each) => each.subscription === 1).map((each) => each.id);
    await control('POST', 'deliveries', { ids: ids.reverse() });
    expect(received.map(({ path, body }) => `${path} ${String(body.resource)}`)).toEqual([
      '/a /questions/5000000008',
      '/a /questions/5000000007',
    ]);
    await control('POST', 'ended-subscriptions', { id: 1 });
    await control('POST', 'sent-notifications', {
      ...{ topic: 'shipments', resource: '/shipments/1', user_id: 1001, subscription: 2, fields: { _id: 'x' } },
    });
    expect(received.at(-1)).toMatchObject({ path: '/b', body: { _id: 'x', topic: 'shipments' } });
    const rejected: [string, object, string][] = [
      ['notifications', { callback: 'http://127.0.0.1:1/', topics: ['red'] }, '`topics`: there is no topic "red"'],
      [
        'notifications',
        { callback: 'http://127.0.0.1:1/', application_id: 9 },
        '`application_id`: there is no application 9',
      ],
      ['sent-notifications', { topic: 'red', resource: '/x', user_id: 1 }, 'there is no topic "red"'],
      ['deliveries', { ids: ['x'] }, 'there is no notification x'],
      ['ended-subscriptions', { id: 9 }, '`id`: there is no subscription 9'],
    ];
    for (const [name, body, message] of rejected)
      expect((await control('POST', name, body)).message).toContain(message);
  });
});
