import { EarlierWriteOpenError, EarlierWriteUnknownError, SellerError } from 'marketplace-seller-sdk';
import { expect, test } from 'vitest';
import { outcomeOfError } from '../../src/outbox/settlement.js';

// What follows from a failed run of a job, at the first, the second and the last time.

const retry = { attempts: 3, baseMs: 1000, capMs: 1000 };
const options = { retry, leaseMs: 30_000 } as Parameters<typeof outcomeOfError>[3];
const outcome = (error: unknown, failures: number, unknowns?: number) =>
  outcomeOfError(error, failures, { outputs: [], writes: [], ...(unknowns !== undefined && { unknowns }) }, options);

test.each([
  [1, { state: 'waiting', inMs: 2_000, failed: false }],
  [2, { state: 'waiting', inMs: 10_000, failed: false }],
  // Behind the lease of a process that was killed.
  [3, { state: 'waiting', inMs: 40_000, failed: false }],
  [4, { state: 'dead', inMs: Infinity, failed: true }],
  [5, { state: 'dead', inMs: Infinity, failed: true }],
])('a write that stays unknown at look %i', (unknowns, expected) => {
  expect(outcome(new EarlierWriteUnknownError('nobody knows'), 0, unknowns)).toMatchObject(expected);
});

test.each([0, 2, 9])('a write that may still be carried out uses up no attempt, after %i failures', (failures) => {
  const error = new EarlierWriteOpenError('it may still arrive', { retryAfterMs: 1234 });
  expect(outcome(error, failures)).toEqual({ state: 'waiting', inMs: 1234, failed: false });
});

test.each([
  [0, 'waiting'],
  [1, 'waiting'],
  [2, 'dead'],
])('of three attempts, the one after %i failures leaves it %s', (failures, state) => {
  expect(outcome(new SellerError('the service is down'), failures)).toMatchObject({ state, failed: true });
});
