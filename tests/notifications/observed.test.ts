import { createInbox, fetchHandler, parseNotification } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { ConfigurationError } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { newEntry, workOf } from '../../src/notifications/notification.js';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { about, deliver, post } from '../support/deliveries.ts';

fakeTimersOfInbox();

const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const entry = await newEntry(parseNotification(about(1)), 0);
const slow = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** An inbox that keeps its log lines, each with its level and fields. */
function watched(options: Partial<InboxOptions> = {}) {
  const lines: [level: string, line: string, fields?: object][] = [];
  const at =
    (level: string) =>
    (line: string, fields?: object): void =>
      void lines.push(fields ? [level, line, fields] : [level, line]);
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const questions = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const store = memoryStore();
  const inbox = createInbox({ store, logger, retry: { firstDelayMs: 10 }, on: { questions }, ...options });
  return { inbox, store, questions, lines };
}

describe('what the logger is told', () => {
  const failure = `Notification ${entry.key} (questions) failed at attempt`;

  test('a failure that is retried is a warning, the last one an error', async () => {
    const { inbox, questions, lines } = watched({ retry: { maxRetries: 1, firstDelayMs: 10 } });
    questions.mockRejectedValue(new Error('no\n\u0007\u2028'));
    await deliver(inbox, about(1));
    await tick(1_000);
    const error = expect.stringContaining('Error: no') as string;
    expect(lines).toEqual([
      ['warn', `${failure} 1; it will be retried: Error: no\\u000a\\u0007\\u2028`, { error }],
      ['error', `${failure} 2; it is a dead letter now: Error: no\\u000a\\u0007\\u2028`, { error }],
    ]);
    await inbox.close();
  });

  test('a rejected delivery is an information, and is printed nowhere without a logger', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    for (const logger of [undefined, 'its own'] as const) {
      const { inbox, lines } = watched(logger === undefined ? { logger } : {});
      expect(await deliver(inbox, '{')).toBe(400);
      expect((await fetchHandler(inbox)(new Request('https://app.test/'))).status).toBe(405);
      if (logger !== undefined)
        expect(lines).toEqual([
          ['info', 'A delivery was rejected with 400: The notification is invalid: the body is not JSON'],
          ['info', 'A delivery was rejected with 405: Notifications are delivered by POST'],
        ]);
    }
    expect(printed).not.toHaveBeenCalled();
  });

  test('a failure is printed without a logger, unless `onFailure` takes it', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const onFailure = vi.fn();
    for (const options of [{ logger: undefined }, { logger: undefined, onFailure }]) {
      const { inbox, questions } = watched({ ...options, retry: { maxRetries: 0 } });
      questions.mockRejectedValue(new Error('no'));
      await deliver(inbox, about(1));
      await tick(10);
      await inbox.close();
    }
    expect(printed.mock.calls).toEqual([[`${failure} 1; it is a dead letter now: Error: no`]]);
    expect(onFailure).toHaveBeenCalledOnce();
  });

  test('what fails beside the handlers is an error', async () => {
    const away = () => Promise.reject(new Error('away'));
    const failing = watched({ onFailure: () => Promise.reject(new Error('mine')), retry: { maxRetries: 0 } });
    failing.questions.mockRejectedValue(new Error('no'));
    await deliver(failing.inbox, about(1));
    await tick(10);
    expect(failing.lines.at(-1)?.slice(0, 2)).toEqual(['error', 'onFailure failed: Error: mine']);
    const unstored = watched();
    vi.spyOn(unstored.store, 'add').mockImplementation(away);
    expect(await deliver(unstored.inbox, about(1))).toBe(503);
    expect(unstored.lines).toEqual([
      ['error', 'A notification was not accepted: Error: away', { error: 'Error: away' }],
    ]);
    const hanging = watched({ accept: () => new Promise<boolean>(() => {}) });
    const status = deliver(hanging.inbox, about(1));
    await new Promise((resolve) => setImmediate(resolve));
    await tick(500);
    expect(await status).toBe(503);
    expect(hanging.lines[0]?.[1]).toContain('The store, clientFor or accept() did not respond within 400 ms');
    const unrenewed = watched({ leaseMs: 300 });
    vi.spyOn(unrenewed.store, 'renew').mockImplementation(away);
    unrenewed.questions.mockImplementation(slow(150));
    await deliver(unrenewed.inbox, about(1));
    await tick(200);
    expect(unrenewed.lines[0]?.[1]).toBe('The leases of the inbox were not renewed: Error: away');
  });
});

describe('when the store is asked', () => {
  const spied = (store: Store) => {
    const claim = vi.spyOn(store, 'claim');
    return { store, claim };
  };

  test('a store is polled after start(), one in memory at the first delivery', async () => {
    const durable = Object.assign(memoryStore(), { durable: true });
    await durable.add(workOf(entry));
    const left = watched({ store: durable });
    await tick(10);
    expect(left.questions).not.toHaveBeenCalled();
    left.inbox.start();
    await tick(10);
    expect(left.questions).toHaveBeenCalledOnce();
    const { store, claim } = spied(memoryStore());
    const { inbox } = watched({ store });
    await tick(10);
    expect(claim).not.toHaveBeenCalled();
    await Promise.all([left.inbox.close(), inbox.close()]);
  });

  test('a dead letter that is replayed is handled at once; one that is not there changes nothing', async () => {
    const { store, claim } = spied(memoryStore());
    const { inbox, questions } = watched({ store, retry: { maxRetries: 0 } });
    questions.mockRejectedValueOnce(new Error('no'));
    await deliver(inbox, about(1));
    await tick(10);
    const claims = claim.mock.calls.length;
    expect(await inbox.deadLetters.replay('none')).toBe(false);
    await tick(10);
    expect(claim).toHaveBeenCalledTimes(claims);
    expect(await inbox.deadLetters.replay(entry.key)).toBe(true);
    await tick(10);
    expect(questions).toHaveBeenCalledTimes(2);
    await inbox.close();
  });

  test('waitUntil() gets a promise that does not reject', async () => {
    const { store, claim } = spied(memoryStore());
    claim.mockRejectedValue(new Error('away'));
    const { inbox } = watched({ store });
    const waited: Promise<unknown>[] = [];
    await fetchHandler(inbox)(post(about(1)), { waitUntil: (promise) => void waited.push(promise) });
    await tick(10);
    await inbox.close();
    expect(await Promise.all(waited)).toEqual([undefined]);
  });

  test('close() waits for a delivery that is being accepted, and closes the store after it', async () => {
    const order: string[] = [];
    const store = Object.assign(memoryStore(), { close: () => Promise.resolve(void order.push('store closed')) });
    const { inbox } = watched({ store, accept: () => slow(100)().then(() => true) });
    void deliver(inbox, about(1)).then((status) => order.push(`responded ${status}`));
    await tick(10);
    const closed = inbox.close().then(() => order.push('closed'));
    await tick(50);
    expect(order).toEqual([]);
    await tick(100);
    await closed;
    expect(order.sort()).toEqual(['closed', 'responded 503', 'store closed']);
    expect(await deliver(inbox, 'not read')).toBe(503);
  });
});

describe('leases of a machine that was suspended', () => {
  test('are renewed before the next claim when either clock has moved, and not otherwise', async () => {
    const store = memoryStore();
    const renew = vi.spyOn(store, 'renew');
    const { inbox, questions } = watched({ store, leaseMs: 3_000 });
    questions.mockImplementation(slow(60_000));
    await deliver(inbox, about(1));
    await tick();
    await deliver(inbox, about(2));
    await tick();
    expect(renew).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() + 2_000);
    await deliver(inbox, about(3));
    await tick();
    expect(renew).toHaveBeenCalledOnce();
    const closed = inbox.close({ graceMs: 1 });
    await tick(5_000);
    await closed;
  });
});

describe('what is wrong is said', () => {
  const body = (more: object) => JSON.stringify(about(1, more));
  test.each([
    ['5', 'it is not a JSON object'],
    ['[]', 'it is not a JSON object'],
    ['{', 'the body is not JSON'],
    [body({ resource: '/items/1' }), '`resource` does not have the form /questions/<question_id>'],
    [body({ resource: '/questions/9007199254740993' }), 'the id in `resource` is beyond 2^53 and would be rounded'],
    [
      '{}',
      '`user_id` is missing; it takes an integer; `resource` is missing; it takes a string; `topic` is missing; it takes a string',
    ],
  ])('of the notification %s', (text, reason) => {
    expect(() => parseNotification(text)).toThrow(`The notification is invalid: ${reason}`);
  });

  test('optional fields with another type are left out', () => {
    const parsed = parseNotification(
      body({ actions: ['a', 5, 'b'], attempts: '123456789012345', application_id: '5x' }),
    );
    expect(parsed).toMatchObject({ actions: ['a', 'b'], attempts: 123456789012345 });
    expect(parsed).not.toHaveProperty('application_id');
    expect(parseNotification(body({ attempts: '1234567890123456' }))).not.toHaveProperty('attempts');
  });

  test.each<[object, RegExp]>([
    [
      { retry: { firstDelayMs: 0 } },
      /`retry\.firstDelayMs` takes a number of milliseconds above 0 and at most 2147483647$/,
    ],
    [
      { retry: { firstDelay: 1, maxDelay: 2 } },
      /there is no option `retry\.firstDelay`; did you mean `firstDelayMs`\?; there is no/,
    ],
    [{ leaseMs: 2 ** 31 }, /`leaseMs` takes a number of milliseconds above 0 and at most 2147483647$/],
    [{ acknowledge: 'handled' }, /there is no option `acknowledge`/],
  ])('of the options %o', (options, message) => {
    const create = () => watched(options);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });

  test('options at their limits are taken', () => {
    expect(() => watched({ leaseMs: 2 ** 31 - 1, maxWaiting: 1, path: '/0123456789abcdef' })).not.toThrow();
  });
});

test('the key of a notification is the same on platforms without the hash of Node', async () => {
  const original = process;
  vi.resetModules();
  vi.stubGlobal('process', { ...original, getBuiltinModule: undefined });
  const portable = await import('../../src/notifications/notification.js');
  vi.unstubAllGlobals();
  vi.resetModules();
  const long = parseNotification(about(1, { topic: 'orders', resource: `/orders/${'x'.repeat(300)}` }));
  for (const notification of [entry.notification, long]) {
    expect(await portable.newEntry(notification, 0)).toEqual(await newEntry(notification, 0));
  }
});
