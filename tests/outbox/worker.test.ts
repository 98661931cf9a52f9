import { SellerError } from 'marketplace-seller-sdk';
import { createOutbox, memoryOutbox } from 'marketplace-seller-sdk/outbox';
import type { OutboxOptions, OutboxStore } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test, vi } from 'vitest';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { silentLogger } from '../support/silent.ts';

// The worker of an outbox with two jobs and two callers, when a lease ends, when the store fails once and again, and at the end.

fakeTimersOfInbox();

/** An outbox whose calls wait until the test ends them. */
function controlled(store: OutboxStore = memoryOutbox(), options: Partial<OutboxOptions> = {}) {
  const calls: { readonly key: number; readonly signal: AbortSignal; end(error?: Error): void }[] = [];
  const call = (_: unknown, { question_id: key }: { question_id: number }, { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    calls.push({ key, signal, end: (error) => (error ? reject(error) : resolve({})) });
    return promise;
  };
  const client = { call } as never;
  const outbox = createOutbox({ store, clientFor: () => client, logger: silentLogger, leaseMs: 30_000, ...options });
  const add = async (...ids: number[]): Promise<void> => {
    for (const id of ids)
      await outbox.add({ key: `${id}`, user_id: 7, endpoint: endpoints.questions.hide, input: { question_id: id } });
    outbox.start();
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

test('flush() waits for the jobs that run, idle() also for those that wait, and each for itself', async () => {
  const { outbox, calls, add } = controlled(undefined, { retry: { baseMs: 60_000, capMs: 60_000 } });
  await add(1, 2);
  const [flushed, idle, again] = [outbox.flush(), outbox.idle(), outbox.flush()];
  calls[0]!.end();
  expect(await isOver(flushed)).toBe(false);
  calls[1]!.end(new SellerError('down'));
  expect(await isOver(flushed)).toBe(true);
  expect([await isOver(again), await isOver(idle)]).toEqual([true, false]);
  await pass(60_000);
  expect(await isOver(idle)).toBe(false);
  calls[2]!.end();
  expect(await isOver(idle)).toBe(true);
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
    const store = memoryOutbox();
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
    const store = memoryOutbox();
    const renew = store.renew.bind(store);
    store.renew = async (leases, ms) => [...(await renew(leases, ms)), '1'];
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
    const store = memoryOutbox();
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

test.each([
  [1, true],
  [4, true],
  [5, false],
])('a result that a store does not take %i times is stored: %s', async (times, isStored) => {
  const store = memoryOutbox();
  const settle = store.settle.bind(store);
  let failures = 0;
  store.settle = async (...args) => (failures++ < times ? Promise.reject(new Error('no store')) : settle(...args));
  const { outbox, calls, add, stateOf } = controlled(store);
  await add(1);
  calls[0]!.end();
  await pass(10_000);
  expect(await stateOf(1)).toBe(isStored ? 'accepted' : 'running');
  await pass(60_000);
  expect(calls.length).toBe(isStored ? 1 : 2);
  calls.at(-1)!.end();
  await pass(1);
  await outbox.close();
});

test('a job that is aborted at the end waits for the next process, and has not failed', async () => {
  const store = memoryOutbox();
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
  expect((await store.waiting!(9)).map(({ attempts }) => attempts)).toEqual([1, 0]);
  expect(failures).toEqual([1]);
});

test('the attempts are told from 1, the failed ones and the one that succeeds', async () => {
  const told: unknown[] = [];
  const { calls, add, outbox } = controlled(undefined, {
    retry: { attempts: 3, baseMs: 1_000, capMs: 1_000 },
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
