import { NotFoundError } from 'marketplace-seller-sdk';
import { createReceiver, parseNotification } from 'marketplace-seller-sdk/notifications';
import type { HandlerContext, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { describe, expect, test, vi } from 'vitest';
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

test('of what arrived long ago, only a 404 right after a 404 is unrecoverable', async () => {
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

describe('handle() of a receiver with a queue', () => {
  const listenersOf = (signal: AbortSignal) => {
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    return () => add.mock.calls.length - remove.mock.calls.length;
  };

  test('passes on an abort, with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('the job was removed');
    const seen: unknown[] = [];
    const { receiver } = onQueue(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      seen.push(signal.reason);
    });
    const handling = receiver.handle(entry, { signal: controller.signal });
    await tick();
    controller.abort(reason);
    await handling;
    expect(seen).toEqual([reason]);
  });

  test('starts no handler whose signal is aborted', async () => {
    const reason = new Error('the job was removed');
    const { receiver, handler } = onQueue(() => Promise.resolve());
    await expect(receiver.handle(entry, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(handler).not.toHaveBeenCalled();
  });

  test.each(['resolves', 'rejects'])('leaves no listener on the signal when the handler %s', async (how) => {
    const { signal } = new AbortController();
    const left = listenersOf(signal);
    const { receiver } = onQueue(() => (how === 'resolves' ? Promise.resolve() : Promise.reject(new Error('no'))));
    const handling = receiver.handle(entry, { signal }).catch(() => undefined);
    expect(left()).toBe(1);
    await handling;
    expect(left()).toBe(0);
    await receiver.close({ graceMs: 0 });
  });

  test('leaves the number of attempts to the queue', async () => {
    const { receiver } = onQueue(() => Promise.reject(new Error('away')), { retry: { attempts: 2 } });
    for (const attempt of [1, 2, 3, 1_000])
      await expect(receiver.handle(entry, { attempt })).rejects.toMatchObject({ name: 'Error', message: 'away' });
    for (const attempt of [0, -1, 1.5, '1' as never])
      await expect(receiver.handle(entry, { attempt })).rejects.toThrow('`attempt`');
  });

  test('reports what was handled, by which attempt, and how long it took', async () => {
    const onSuccess = vi.fn();
    const { receiver } = onQueue(() => new Promise((resolve) => setTimeout(resolve, 200)), { onSuccess });
    await tick(1_000);
    const handling = receiver.handle(entry, { attempt: 3 });
    await tick(200);
    await handling;
    expect(onSuccess).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ attempt: 3, durationMs: 200 }));
  });

  test('a run that ended holds no later close() up', async () => {
    const { receiver } = onQueue(() => Promise.resolve());
    await receiver.handle(entry);
    const closing = watch(receiver.close({ graceMs: 10_000 }));
    await tick();
    expect(closing.is).toBe('resolved');
  });
});
