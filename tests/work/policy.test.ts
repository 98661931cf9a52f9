import {
  AccessTokenError,
  EarlierWriteUnknownError,
  OutcomeUnknownError,
  RateLimitError,
  SellerError,
} from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import {
  describeGivenUp,
  EndsProcessError,
  exponentialDelay,
  isLastingError,
  isUnknownOutcome,
  jitteredDelay,
  retryAfterOf,
  verdictOf,
} from '../../src/work/policy.js';
import type { FailedRun } from '../../src/work/policy.js';
import type { RunNotes } from '../../src/work/store.js';

// What follows from a failed run: by its error, the failures before it, and what it has noted.

describe('what follows from a failed attempt', () => {
  const retry = { maxRetries: 2, firstDelayMs: 1_000, maxDelayMs: 10_000 };
  const failed = (failures: number, more: Partial<FailedRun> = {}): FailedRun => {
    return { failures, notes: {}, retry, leaseMs: 30_000, ...more };
  };
  const lasting = Object.assign(new Error('it cannot succeed'), { isLasting: true });
  const passing = new SellerError('down');

  test.each([
    [0, 'open'],
    [1, 'open'],
    [2, 'dead'],
    [3, 'dead'],
  ])('of two retries, after %i failures: %s', (failures, state) => {
    expect(verdictOf(passing, failed(failures))).toMatchObject({ state, failed: true });
  });

  test.each([
    [1, undefined, 1_000],
    [2, undefined, 2_000],
    [1, 999, 1_000],
    [1, 5_000, 5_000],
    [1, 10_001, 10_000],
  ])('after %i failures, with a Retry-After of %j ms, the next one is in %i ms', (failures, retryAfterMs, inMs) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const details = { status: 429, headers: new Headers(), body: undefined, causes: [], retryAfterMs };
    expect(verdictOf(new RateLimitError('many', details), failed(failures - 1))).toMatchObject({ state: 'open', inMs });
  });

  test.each<[string, Error[], string]>([
    ['one that lasts', [lasting], 'open'],
    ['two that last', [lasting, lasting], 'dead'],
    ['one that passes between two that last', [lasting, passing, lasting], 'open'],
    ['one that passes before one that lasts', [passing, lasting], 'open'],
  ])('%s', (_, errors, state) => {
    let notes: RunNotes = {};
    const states = errors.map((error, failures) => {
      const verdict = verdictOf(error, failed(failures, { notes, retry: { ...retry, maxRetries: 9 } }));
      notes = verdict.notes ?? {};
      return verdict.state;
    });
    expect(states.at(-1)).toBe(state);
  });

  test('an outcome that nothing shows is read back again after 2 s, 10 s and a lease plus 10 s, and is then dead', () => {
    let notes: RunNotes = {};
    const delays = [1, 2, 3, 4].map(() => {
      const verdict = verdictOf(new EarlierWriteUnknownError('nothing shows it'), failed(0, { notes }));
      notes = verdict.notes ?? {};
      return verdict.state === 'open' ? verdict.inMs : verdict.state;
    });
    expect(delays).toEqual([2_000, 10_000, 40_000, 'dead']);
  });

  test('an outcome that is not known is dead unless it was noted', () => {
    const lost = new OutcomeUnknownError('lost');
    const writes = [{ id: '1', target: 'questions.answer {}', input: {}, sentAt: 1, state: 'sent' as const }];
    expect(verdictOf(lost, failed(0)).state).toBe('dead');
    expect(verdictOf(lost, failed(0, { notes: { writes } })).state).toBe('open');
  });

  test('an error that ends its process is dead, and says what may have been carried out', () => {
    const writes = [{ id: '1', target: 'questions.answer {}', input: {}, sentAt: 1, state: 'sent' as const }];
    expect(verdictOf(new EndsProcessError('it ended'), failed(0, { notes: { writes } }))).toMatchObject({
      state: 'dead',
      failure: 'EndsProcessError: it ended (questions.answer may have been carried out)',
      notes: { writes },
    });
  });
});

describe('a failure', () => {
  /** An error behind others, each the cause of the next. */
  const wrapped = (inner: unknown, times: number): unknown =>
    times === 0 ? inner : new Error('outer', { cause: wrapped(inner, times - 1) });
  const lost = new OutcomeUnknownError('lost', { cause: undefined, attempts: 1 });

  test.each([
    [0, true],
    [1, true],
    [4, true],
    [5, false],
  ])('of unknown outcome is found behind %i others: %s', (times, expected) => {
    expect(isUnknownOutcome(wrapped(lost, times))).toBe(expected);
  });

  test.each<[string, unknown, boolean]>([
    ['nothing', undefined, false],
    ['a text', 'lost', false],
    ['one of a token that was lost on its way', new AccessTokenError('no', { cause: lost }), false],
    [
      'one that has a token behind it',
      Object.assign(new Error('x', { cause: new AccessTokenError('no') }), { outcomeUnknown: true }),
      true,
    ],
    ['the mark of another copy of the package', { outcomeUnknown: true }, true],
    ['a mark that is no boolean', { outcomeUnknown: 1 }, false],
  ])('%s is of unknown outcome: %s', (_, error, expected) => {
    expect(isUnknownOutcome(error)).toBe(expected);
  });

  test.each<[unknown, boolean]>([
    [undefined, false],
    [null, false],
    [{ isLasting: true }, true],
    [{ isPermanent: true }, false],
    [{ isLasting: 1 }, false],
  ])('%j lasts: %s', (error, expected) => {
    expect(isLastingError(error)).toBe(expected);
  });

  test.each<[unknown, number]>([
    [undefined, 0],
    [null, 0],
    [{ retryAfterMs: 0 }, 0],
    [{ retryAfterMs: -1 }, 0],
    [{ retryAfterMs: '5' }, 0],
    [{ retryAfterMs: 1 }, 1],
    [{ retryAfterMs: 1000 }, 1000],
    [{ retryAfterMs: 1001 }, 1000],
  ])('%j waits %i ms, of at most 1,000', (error, ms) => {
    expect(retryAfterOf(error, 1000)).toBe(ms);
  });

  test.each<[('sent' | 'done' | 'rejected')[], string[], string]>([
    [[], [], ''],
    [['done', 'rejected'], ['a 7', 'b 7'], ''],
    [['sent'], ['messages.send 7 {}'], ' (messages.send may have been carried out)'],
    [['sent', 'sent'], ['a 7', 'a 8'], ' (a may have been carried out)'],
    [['sent', 'done', 'sent'], ['a 7', 'b 7', 'c 7'], ' (a and c may have been carried out)'],
  ])('names with writes that are %j of %j those that are open', (states, targets, open) => {
    const writes = states.map((state, index) => ({ state, target: targets[index] ?? '' }));
    expect(describeGivenUp('Error: no', writes)).toBe(`Error: no${open}`);
  });
});

test.each([
  [1, 1000],
  [2, 2000],
  [3, 4000],
  [4, 5000],
  [50, 5000],
])('after attempt %i the delay is at most %i ms, and at least half of it', (attempt, ms) => {
  const backoff = { firstDelayMs: 1000, maxDelayMs: 5000 };
  expect(exponentialDelay(attempt, backoff)).toBe(ms);
  for (const [random, delay] of [
    [0, ms],
    [0.5, ms * 0.75],
    [0.999999, ms / 2],
  ] as const) {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    expect(jitteredDelay(attempt, backoff)).toBeCloseTo(delay, 1);
  }
});
