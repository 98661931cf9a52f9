import { SellerError } from 'marketplace-seller-sdk';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { OutboxOptions } from 'marketplace-seller-sdk/outbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test, vi } from 'vitest';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { mortal } from '../support/mortal.ts';
import { silentLogger } from '../support/silent.ts';

// The worker of an outbox with two jobs and two callers, when a lease ends, when the store fails once and again, and at the end.

fakeTimersOfInbox();

/** An outbox whose calls wait until the test ends them. */
function controlled(store: Store = memoryStore(), options: Partial<OutboxOptions> = {}) {
  const calls: { readonly key: number; readonly signal: AbortSignal; end(error?: Error): void }[] = [];
  const call = (_: unknown, { question_id: key }: { question_id: number }, { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    calls.push({ key, signal, end: (error) => (error ? reject(error) : resolve({})) });
    return promise;
  };
  const client = { call } as never;
  const outbox = createOutbox({ store, clientFor: () => client, logger: silentLogger, leaseMs: 30_000, ...options });
  const add = async (...ids: number[]): Promise<void> => {
    outbox.start();
    for (const id of ids)
      await outbox.add({ key: `${id}`, user_id: 7, endpoint: endpoints.questions.hide, input: { question_id: id } });
    await vi.advanceTimersByTimeAsync(1);
  };
  const stateOf = async (id: number) => (await outbox.get(`${id}`))?.state;
  return { outbox, calls, add, stateOf };
}
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
/** Whether a promise has resolved by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  void promise.then(() => (over = true));
  await pass(1);
  return over;
}

test('idle() waits for the jobs that run, not for those that wait, and each call for itself', async () => {
  const { outbox, calls, add, stateOf } = controlled(undefined, {
    retry: { firstDelayMs: 60_000, maxDelayMs: 60_000 },
  });
  await add(1, 2);
  const [first, second] = [outbox.idle(), outbox.idle()];
  calls[0]!.end();
  expect(await isOver(first)).toBe(false);
  calls[1]!.end(new SellerError('down'));
  expect([await isOver(first), await isOver(second)]).toEqual([true, true]);
  expect(await stateOf(2)).toBe('waiting');
  await pass(60_000);
  const third = outbox.idle();
  expect(await isOver(third)).toBe(false);
  calls[2]!.end();
  expect(await isOver(third)).toBe(true);
  await outbox.close();
});

test.each([1, 2, 3])('of five jobs, %i run at once', async (concurrency) => {
  const { outbox, calls, add } = controlled(undefined, { concurrency });
  await add(1, 2, 3, 4, 5);
  for (let ended = 0; ended < 5; ended += 1) {
    expect(calls.length).toBe(Math.min(5, ended + concurrency));
    calls[ended]!.end();
    await pass(1);
  }
  expect(calls.map(({ key }) => key)).toEqual([1, 2, 3, 4, 5]);
  await outbox.close();
});

describe('a job that takes longer than its lease', () => {
  test('keeps it, also after another one has ended', async () => {
    const store = memoryStore();
    const { outbox, calls, add, stateOf } = controlled(store);
    const other = controlled(store);
    await add(1, 2);
    other.outbox.start();
    await pass(40_000);
    calls[0]!.end();
    await pass(100_000);
    calls[1]!.end();
    await pass(1);
    expect([await stateOf(1), await stateOf(2)]).toEqual(['accepted', 'accepted']);
    expect([calls.length, other.calls.length]).toEqual([2, 0]);
    await Promise.all([outbox.close(), other.outbox.close()]);
  });

  test('is aborted if it is lost, and another one goes on', async () => {
    const store = memoryStore();
    const renew = store.renew.bind(store);
    store.renew = async (leases, ms) => [...(await renew(leases, ms)), 'job 1'];
    const { outbox, calls, add, stateOf } = controlled(store);
    await add(1, 2);
    await pass(10_000);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    calls[0]!.end();
    calls[1]!.end();
    await pass(1);
    expect([await stateOf(1), await stateOf(2)]).toEqual(['running', 'accepted']);
    await outbox.close();
  });

  test('and is claimed again by its own process, because the store could not be reached, is aborted', async () => {
    const store = memoryStore();
    store.renew = async () => Promise.reject(new Error('no store'));
    const { outbox, calls, add, stateOf } = controlled(store, { concurrency: 3 });
    await add(1);
    const aborted = () => calls.map(({ key, signal }) => [key, signal.aborted]);
    await pass(29_997);
    await add(2);
    expect(aborted()).toEqual([[1, false], [2, false]]); // prettier-ignore
    await pass(1);
    expect(aborted()).toEqual([[1, true], [2, false], [1, false]]); // prettier-ignore
    calls[0]!.end();
    await pass(1);
    expect(await stateOf(1)).toBe('running');
    // The newer run takes its place still.
    await add(3, 4);
    expect(calls.map(({ key }) => key)).toEqual([1, 2, 1, 3]);
    for (const index of [2, 1, 3]) calls[index]!.end();
    await pass(1);
    calls[4]!.end();
    await pass(1);
    expect([await stateOf(1), await stateOf(4)]).toEqual(['accepted', 'accepted']);
    await outbox.close();
  });
});

test.each([1, 5, 20])('a result that a store does not take %i times is stored: the lease is kept', async (times) => {
  const store = memoryStore();
  const settle = store.settle.bind(store);
  let failures = 0;
  store.settle = async (...args) => (failures++ < times ? Promise.reject(new Error('no store')) : settle(...args));
  const { outbox, calls, add, stateOf } = controlled(store);
  await add(1);
  calls[0]!.end();
  await pass(100_000);
  expect(await stateOf(1)).toBe('accepted');
  expect(calls).toHaveLength(1);
  await outbox.close();
});

test('a job that is aborted at the end waits for the next process, and has not failed', async () => {
  const store = memoryStore();
  const failures: number[] = [];
  const { outbox, calls, add, stateOf } = controlled(store, { onFailure: ({ attempt }) => failures.push(attempt) });
  await add(1, 2);
  const closed = outbox.close({ graceMs: 1_000 });
  await pass(500);
  calls[0]!.end(new SellerError('down'));
  await pass(499);
  expect(calls[1]!.signal.aborted).toBe(false);
  await pass(1);
  expect(calls[1]!.signal.aborted).toBe(true);
  calls[1]!.end(calls[1]!.signal.reason as Error);
  await pass(1_000);
  await closed;
  expect([await stateOf(1), await stateOf(2)]).toEqual(['waiting', 'waiting']);
  expect((await outbox.waiting.list()).map(({ attempts }) => attempts)).toEqual([1, 0]);
  expect(failures).toEqual([1]);
});

test('the attempts are told from 1, the failed ones and the one that succeeds', async () => {
  const told: unknown[] = [];
  const { calls, add, outbox } = controlled(undefined, {
    retry: { maxRetries: 2, firstDelayMs: 1_000, maxDelayMs: 1_000 },
    onFailure: ({ entry, attempt, dead }) => told.push([entry.key, attempt, dead]),
    onSuccess: ({ entry, attempt }) => told.push([entry.key, attempt]),
  });
  await add(1, 2);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const [first, second] = calls.slice(-2).toSorted((a, b) => a.key - b.key);
    first!.end(attempt < 3 ? new SellerError('down') : undefined);
    second!.end(new SellerError('down'));
    await pass(2_000);
  }
  expect(told).toEqual([['1', 1, false], ['2', 1, false], ['1', 2, false], ['2', 2, false], ['1', 3], ['2', 3, true]]); // prettier-ignore
  await outbox.close();
});

test('a job whose moderation took too long is told again by the next process, if one is killed while it tells', async () => {
  const store = memoryStore();
  const message = { id: 'm', status: 'available', message_moderation: { status: 'pending' } };
  const client = { call: async () => message, messages: { get: async () => message } } as never;
  const told: string[] = [];
  const open = (of: Store, end: unknown) =>
    createOutbox({
      store: of,
      clientFor: () => client,
      logger: silentLogger,
      onFailure: ({ dead, error }) => {
        told.push(`${dead ? 'dead' : 'failed'}: ${(error as Error).message}`);
        return end;
      },
    });
  const first = open(store, undefined);
  first.start();
  const input = { pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'It leaves today.' };
  await first.add({ key: 'one', user_id: 7, endpoint: endpoints.messages.send, input });
  await first.idle();
  await first.close();
  await pass(24 * 3_600_000);
  const { process, mortalStore } = mortal(store);
  open(mortalStore, new Promise(() => undefined)).start();
  await pass(1_000);
  process.isStopped = true;
  const last = open(store, undefined);
  last.start();
  await pass(40_000);
  const line = 'dead: Moderation has not decided about the message within 24 hours';
  expect(told).toEqual([line, line]);
  expect(await last.get('one')).toMatchObject({ state: 'dead' });
  await last.close();
});

test('the data of old jobs is taken for as long as the process lives', async () => {
  const { outbox, calls, add } = controlled(undefined, { keep: { dataMs: 3_600_000 } });
  for (const id of [1, 2, 3]) {
    await add(id);
    calls.at(-1)!.end();
    await pass(59 * 60_000);
    expect((await outbox.get(`${id}`))?.isReduced).toBeUndefined();
    await pass(2 * 3_600_000);
    expect((await outbox.get(`${id}`))?.isReduced).toBe(true);
  }
  await outbox.close();
});
