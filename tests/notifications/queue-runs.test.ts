import { NotFoundError } from 'marketplace-seller-sdk';
import { createReceiver, parseNotification } from 'marketplace-seller-sdk/notifications';
import type { HandlerContext, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { describe, expect, test, vi } from 'vitest';
import { Dispatcher } from '../../src/notifications/handling/dispatcher.js';
import { FailurePolicy } from '../../src/notifications/handling/failure-policy.js';
import { queuedNotification } from '../../src/notifications/queued-notification.js';
import { about } from '../support/deliveries.ts';
import { fakeTimersOfInbox } from '../support/fake-time.ts';

fakeTimersOfInbox();

const entry = await queuedNotification(parseNotification(about(1)), 0);
const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

function onQueue(handle: (signal: AbortSignal) => Promise<unknown>, options: Partial<ReceiverOptions> = {}) {
  const handler = vi.fn((_: unknown, { signal }: Pick<HandlerContext, 'signal'>) => handle(signal));
  const receiver = createReceiver({ queue: { add: async () => {} }, on: { questions: handler }, ...options });
  return { receiver, handler };
}

/** The state of a promise, after each step of a test. */
function watch(promise: Promise<unknown>) {
  const state = { is: 'pending' };
  promise.then(
    () => (state.is = 'resolved'),
    (error: unknown) => (state.is = `rejected with ${String(error)}`),
  );
  return state;
}

describe('close() of a receiver with a queue', () => {
  test('waits for handlers that end in time', async () => {
    const signals: AbortSignal[] = [];
    const { receiver } = onQueue((signal) => {
      signals.push(signal);
      return new Promise((resolve) => setTimeout(resolve, 500));
    });
    const handling = watch(receiver.handle(entry));
    const closing = watch(receiver.close({ graceMs: 1_000 }));
    await tick(400);
    expect([handling.is, closing.is]).toEqual(['pending', 'pending']);
    await tick(200);
    expect([handling.is, closing.is]).toEqual(['resolved', 'resolved']);
    expect(signals[0]?.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('aborts the signals of those that do not, and waits for them', async () => {
    const { receiver } = onQueue(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => setTimeout(reject, 100, signal.reason));
        }),
    );
    const handling = watch(receiver.handle(entry));
    const closing = watch(receiver.close({ graceMs: 1_000 }));
    await tick(1_050);
    expect([handling.is, closing.is]).toEqual(['pending', 'pending']);
    await tick(100);
    expect([handling.is, closing.is]).toEqual(['rejected with Error: The receiver is closing', 'resolved']);
  });

  test('ends the calls whose handlers ignore the signal, so that no job hangs', async () => {
    const { receiver } = onQueue(() => new Promise(() => {}));
    const handling = watch(receiver.handle(entry));
    const closing = watch(receiver.close({ graceMs: 1_000 }));
    await tick(1_900);
    expect([handling.is, closing.is]).toEqual(['pending', 'pending']);
    await tick(200);
    expect([handling.is, closing.is]).toEqual(['rejected with Error: The receiver is closing', 'resolved']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('keeps the time limit of the handlers that it waits for', async () => {
    const { receiver } = onQueue(() => new Promise(() => {}), { handlerTimeoutMs: 300 });
    const handling = watch(receiver.handle(entry));
    await new Promise((resolve) => setImmediate(resolve));
    const closing = watch(receiver.close({ graceMs: 1_000 }));
    await tick(400);
    expect(handling.is).toMatch('did not end within 300 ms');
    expect(closing.is).toBe('resolved');
  });

  test('has later calls rejected, and their handlers do not run', async () => {
    const { receiver, handler } = onQueue(() => Promise.resolve());
    await receiver.close();
    await expect(receiver.handle(entry)).rejects.toThrow('The receiver is closing');
    expect(handler).not.toHaveBeenCalled();
  });
});

test('the 404 of an entry is remembered until the entry is handled, or too many others got one', async () => {
  const missing = new NotFoundError('missing', { status: 404, headers: new Headers(), body: {}, causes: [] });
  const dispatcher = new Dispatcher({
    clientFor: () => ({ questions: { get: () => Promise.reject(missing) } }) as never,
    on: { questions: (_, { read }) => read() },
    fallback: undefined,
    handlerTimeoutMs: 1_000,
  });
  const run = { attempt: 1, coalescedCount: 0, controller: new AbortController() };
  await expect(dispatcher.handle(entry, run)).rejects.toBe(missing);
  const policy = new FailurePolicy({ attempts: 12, baseMs: 1, capMs: 1, notFoundMs: 1 }, 2);
  const fails = (key: string, failures: number) =>
    policy.consequenceOf(missing, { key, failures, notFound: missing }).kind;
  for (const key of ['a', 'b', 'c']) expect(fails(key, 1)).toBe('retry');
  expect(fails('c', 2)).toBe('dead');
  expect(fails('a', 2)).toBe('retry');
  policy.forget('b');
  expect(fails('b', 2)).toBe('retry');
  expect(fails('b', 2)).toBe('retry');
  expect(fails('b', 3)).toBe('dead');
});

test('only a 404 right after a 404 is unrecoverable', async () => {
  const missing = new NotFoundError('missing', { status: 404, headers: new Headers(), body: {}, causes: [] });
  const errors = [new Error('away'), missing, new Error('away'), missing, missing];
  const receiver = createReceiver({
    queue: { add: async () => {} },
    clientFor: () => ({ questions: { get: () => Promise.reject(errors.shift()!) } }) as never,
    on: { questions: (_, { read }) => read() },
  });
  const names: string[] = [];
  for (let attempt = 1; errors.length > 0; attempt += 1) {
    await receiver.handle(entry, { attempt }).catch((error: unknown) => names.push((error as Error).name));
  }
  expect(names).toEqual(['Error', 'NotFoundError', 'Error', 'NotFoundError', 'UnrecoverableError']);
});
