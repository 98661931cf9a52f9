import { SellerError } from 'marketplace-seller-sdk';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { OutboxOptions } from 'marketplace-seller-sdk/outbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expect, test, vi } from 'vitest';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { mortal } from '../support/mortal.ts';
import { silentLogger } from '../support/silent.ts';

// What an outbox tells of its runs: when it closes, when they fail, and when a process is killed. The rest is in tests/work/worker.test.ts.

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
