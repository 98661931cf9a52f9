import {
  ApiError,
  EarlierWriteOpenError,
  EarlierWriteUnknownError,
  RateLimitError,
  SellerError,
} from 'marketplace-seller-sdk';
import { expect, test, vi } from 'vitest';
import { outcomeOf, outcomeOfError } from '../../src/outbox/settlement.js';

// What follows from a failed run of a job, at the first, the second and the last time.

const retry = { attempts: 3, baseMs: 1000, capMs: 1000 };
const options = { retry, leaseMs: 30_000 } as Parameters<typeof outcomeOfError>[3];
const details = { headers: new Headers(), body: undefined, causes: [] };
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

test.each([
  [0, 1_000],
  [1, 2_000],
  [2, 4_000],
  [3, 5_000],
  [9, 5_000],
])('after %i failures the next attempt is due in %i ms, of which half may be left out', (failures, longestMs) => {
  const given = { ...options, retry: { attempts: 99, baseMs: 1_000, capMs: 5_000 } };
  const progress = { outputs: [], writes: [] };
  for (const [random, expected] of [
    [0, longestMs],
    [1, longestMs / 2],
  ] as const) {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    expect(outcomeOfError(new SellerError('down'), failures, progress, given)).toMatchObject({ inMs: expected });
  }
});

test.each([
  [undefined, 1_000],
  [0, 1_000],
  [999, 1_000],
  [1_001, 1_001],
  [5_000, 5_000],
  [5_001, 5_000],
])('a Retry-After of %j ms: the next attempt is due in %i ms', (retryAfterMs, inMs) => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const given = { ...options, retry: { attempts: 99, baseMs: 1_000, capMs: 5_000 } };
  const error = new RateLimitError('too many', { ...details, status: 429, retryAfterMs });
  expect(outcomeOfError(error, 0, { outputs: [], writes: [] }, given)).toMatchObject({ inMs });
});

test.each([
  [400, 'dead'],
  [401, 'waiting'],
  [402, 'dead'],
  [403, 'dead'],
  [404, 'dead'],
  [408, 'waiting'],
  [409, 'waiting'],
  [410, 'dead'],
  [422, 'dead'],
  [423, 'waiting'],
  [425, 'waiting'],
  [429, 'waiting'],
  [499, 'dead'],
  [500, 'waiting'],
  [503, 'waiting'],
])('a job whose write got %i is %s', (status, state) => {
  expect(outcome(new ApiError('rejected', { ...details, status }), 0)).toMatchObject({ state, failed: true });
});

test.each([400, 404, 500])('a job is not given up with %i while its write may have been carried out', (status) => {
  const error = new ApiError('rejected', { ...details, status, outcomeUnknown: true });
  expect(outcome(error, 0)).toMatchObject({ state: 'waiting', failed: true });
  expect(outcome(new SellerError('the step failed', { cause: error }), 0)).toMatchObject({ state: 'waiting' });
});

const write = (target: string, state: 'sent' | 'done' | 'rejected') => ({
  id: target + state,
  target,
  input: {},
  sentAt: 1,
  state,
});
const [sent, option] = [write('messages.send 7 {}', 'sent'), write('actionGuide.send 7 {}', 'sent')];

test.each([
  [[], 'ApiError: blocked'],
  [[write('messages.send 7 {}', 'rejected')], 'ApiError: blocked'],
  [[write('messages.send 7 {}', 'done')], 'ApiError: blocked'],
  [[sent], 'ApiError: blocked (messages.send may have been carried out)'],
  [[sent, sent], 'ApiError: blocked (messages.send may have been carried out)'],
  [[sent, option], 'ApiError: blocked (messages.send and actionGuide.send may have been carried out)'],
])('a job with the writes %j is given up with the reason %j', (writes, reason) => {
  const blocked = new ApiError('blocked', { ...details, status: 403 });
  expect(outcomeOfError(blocked, 0, { outputs: [], writes }, options)).toMatchObject({ state: 'dead', reason });
  const down = new SellerError('blocked');
  down.name = 'ApiError';
  expect(outcomeOfError(down, 2, { outputs: [], writes }, options)).toMatchObject({ state: 'dead', reason });
  expect(outcomeOfError(down, 1, { outputs: [], writes }, options)).toMatchObject({ reason: 'ApiError: blocked' });
});

test.each<[Parameters<typeof outcomeOf>[0], object]>([
  [{ state: 'accepted' }, { state: 'accepted', inMs: 77, failed: false }],
  [
    { state: 'rejected', reason: 'PERSONAL_DATA' },
    { state: 'rejected', inMs: 77, failed: false, reason: 'PERSONAL_DATA' },
  ],
  [
    { state: 'pending', inMs: 5 },
    { state: 'waiting', inMs: 5, failed: false },
  ],
  [
    { state: 'overdue', reason: 'late' },
    { state: 'dead', inMs: Infinity, failed: true, reason: 'late' },
  ],
])('what follows from a run that ended as %j', (result, expected) => {
  expect(outcomeOf(result, { ...options, deduplicationMs: 77 })).toEqual(expected);
});
