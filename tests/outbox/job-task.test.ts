import { ApiError, SellerError } from 'marketplace-seller-sdk';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { OutboxOptions } from 'marketplace-seller-sdk/outbox';
import { describe, expect, test } from 'vitest';
import { jobTask } from '../../src/outbox/run-job.js';
import { outboxContext } from '../../src/outbox/options.js';
import type { Verdict, Run, RunNotes } from '../../src/work/store.js';
import { silentLogger } from '../support/silent.ts';

// What follows from a run of a job, and who is told.

const details = { headers: new Headers(), body: undefined, causes: [] };
const entry = { key: 'one', user_id: 7, pack_id: 1, steps: [{ endpoint: 'questions.answer', input: {} }] };

function taskOf(notes: RunNotes = {}, failures = 0, options: Partial<OutboxOptions> = {}, more: object = {}) {
  const context = outboxContext({
    store: memoryStore(),
    clientFor: () => undefined,
    logger: silentLogger,
    retry: { maxRetries: 2, firstDelayMs: 1_000, maxDelayMs: 1_000 },
    ...options,
  });
  const lease = { key: 'job one', token: '1', data: entry, failures, stalls: 0, notes, ...more };
  const run: Run = { notes, signal: new AbortController().signal, abort: () => undefined, note: async () => true };
  return jobTask(lease, run, context);
}

test.each([
  [400, 'dead'],
  [401, 'open'],
  [402, 'dead'],
  [403, 'dead'],
  [404, 'dead'],
  [408, 'open'],
  [409, 'open'],
  [410, 'dead'],
  [422, 'dead'],
  [423, 'open'],
  [425, 'open'],
  [429, 'open'],
  [499, 'dead'],
  [500, 'open'],
  [503, 'open'],
])('a job whose write got %i is %s', (status, state) => {
  expect(taskOf().failed(new ApiError('rejected', { ...details, status }))).toMatchObject({ state, failed: true });
});

test('whether a job may begin says the clock of the store that has leased it', async () => {
  for (const [beginsInMs, aheadMs, isBegun] of [
    [60_000, 60_000, true],
    [-60_000, -120_000, false],
  ] as const) {
    const notBefore = new Date(Date.now() + beginsInMs).toISOString();
    const task = taskOf({}, 0, {}, { leasedAt: Date.now() + aheadMs, data: { ...entry, notBefore } });
    if (isBegun) await expect(task.run()).rejects.toThrow('clientFor returned no client');
    else expect(await task.run()).toMatchObject({ state: 'open', failed: false });
  }
});

test('a job that waiting does not help is dead at once: it is sent as it was added', () => {
  const blocked = Object.assign(new Error('blocked'), { isLasting: true });
  expect(taskOf().failed(blocked)).toMatchObject({ state: 'dead', failed: true });
});

test.each([
  [0, 'open'],
  [1, 'open'],
  [2, 'dead'],
])('of two retries, the attempt after %i failures leaves it %s', (failures, state) => {
  expect(taskOf({}, failures).failed(new SellerError('down'))).toMatchObject({ state, failed: true });
});

test.each([400, 404, 500])('a job is not given up with %i while its write may have been carried out', (status) => {
  const write = { id: 'a', target: 'messages.send 7 {}', input: {}, sentAt: 1, state: 'sent' } as const;
  const error = new ApiError('rejected', { ...details, status, outcomeUnknown: true });
  for (const each of [error, new SellerError('the step failed', { cause: error })])
    expect(taskOf({ writes: [write] }).failed(each)).toMatchObject({ state: 'open', failed: true });
});

test('a job whose steps are done is accepted, and kept with what they have returned', async () => {
  const outputs = [{ output: { id: 1 }, at: 1 }];
  const client = { call: () => Promise.reject(new Error('nothing is sent')) } as never;
  const verdict = await taskOf({ outputs }, 0, { clientFor: () => client }).run();
  expect(verdict).toEqual({
    state: 'accepted',
    inMs: 365 * 86_400_000,
    failed: false,
    notes: { outputs },
    keepsData: true,
  });
});

describe('who is told', () => {
  const verdicts = {
    accepted: { state: 'accepted', inMs: Infinity, failed: false },
    rejected: { state: 'rejected', inMs: Infinity, failed: false, failure: 'PERSONAL_DATA' },
    retried: { state: 'open', inMs: 1, failed: true, failure: 'Error: down' },
    dead: { state: 'dead', inMs: Infinity, failed: true, failure: 'Error: down' },
    pending: { state: 'open', inMs: 1, failed: false },
  } satisfies Record<string, Verdict>;
  const told = async (verdict: Verdict, names: readonly (keyof OutboxOptions)[]) => {
    const calls: unknown[] = [];
    const options = Object.fromEntries(names.map((name) => [name, (facts: object) => calls.push([name, facts])]));
    const task = taskOf({ outputs: [{ output: 'sent', at: 1 }] }, 1, options);
    await task.tell(verdict, undefined);
    return { isObserved: task.isObserved(verdict), calls };
  };
  const all = ['onSuccess', 'onFailure', 'onRejection'] as const;

  test.each([
    ['accepted', [['onSuccess', { entry, outputs: ['sent'], attempt: 2 }]]],
    ['rejected', [['onRejection', { entry, reason: 'PERSONAL_DATA' }]]],
    ['retried', [['onFailure', { entry, attempt: 2, dead: false, error: expect.any(Error) as Error }]]],
    ['dead', [['onFailure', { entry, attempt: 2, dead: true, error: expect.any(Error) as Error }]]],
    ['pending', []],
  ] as const)('of a job that is %s', async (name, calls) => {
    expect(await told(verdicts[name], all)).toEqual({ isObserved: calls.length > 0, calls });
    expect(await told(verdicts[name], [])).toEqual({ isObserved: false, calls: [] });
  });
});
