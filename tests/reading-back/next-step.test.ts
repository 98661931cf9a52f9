import { describe, expect, test } from 'vitest';
import { nextStep } from '../../src/core/recover/next-step.js';
import type { CallState } from '../../src/core/recover/next-step.js';
import type { Failure } from '../../src/core/recover/failure.js';
import { fc } from '../support/fast-check.ts';

const failures: fc.Arbitrary<Failure> = fc.oneof(
  fc.record({ kind: fc.constantFrom('notSent', 'noResponse'), isFinal: fc.boolean() }),
  fc.record({
    kind: fc.constant('errorResponse' as const),
    status: fc.constantFrom(400, 401, 403, 404, 408, 409, 425, 429, 500, 501, 502, 503, 504),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
    didNothing: fc.boolean(),
  }),
);

const states: fc.Arbitrary<CallState> = fc.record({
  retry: fc.constantFrom('safe', 'idempotent', 'unsafe'),
  outcome: fc.constantFrom('none', 'unknown', 'notDone'),
  canReplaceToken: fc.boolean(),
  canConfirm: fc.boolean(),
  isConfirmed: fc.boolean(),
  elapsedMs: fc.nat(10_000),
  retries: fc.nat(3),
  maxRetries: fc.nat(3),
  hasBudget: fc.boolean(),
  isReplayable: fc.boolean(),
  remainingMs: fc.oneof(fc.constant(Infinity), fc.integer({ min: -10, max: 60_000 })),
  maxWaitMs: fc.nat(60_000),
  queuePausedMs: fc.option(fc.nat(20_000), { nil: undefined }),
});

function holds(rule: (failure: Failure, state: CallState, step: ReturnType<typeof nextStep>) => void): void {
  fc.assert(
    fc.property(failures, states, (failure, state) => rule(failure, state, nextStep(failure, state))),
    { numRuns: 2000 },
  );
}

// What a body that cannot be sent again, the time that is left and a queue change. The rest is in the table of attempts.test.ts.
describe('after a failed attempt', () => {
  test('a token is replaced only after a 401, and only if the body can be sent again', () => {
    holds((failure, state, { kind }) => {
      const replaces = failure.status === 401 && state.canReplaceToken && state.isReplayable;
      const hasNoProof = state.isConfirmed && state.outcome === 'unknown';
      expect(kind === 'replaceToken').toBe(replaces && !hasNoProof);
    });
  });

  test('a retry respects the number of retries, the budget, the deadline and the longest wait', () => {
    holds((failure, state, step) => {
      if (step.kind !== 'retry') return;
      expect(state.retries).toBeLessThan(state.maxRetries);
      expect(state.isReplayable).toBe(true);
      const waitMs = step.waitMs ?? state.queuePausedMs!;
      expect(waitMs).toBeLessThan(state.remainingMs);
      if (step.waitMs === undefined) return;
      expect(step.waitMs).toBeLessThanOrEqual(state.maxWaitMs);
      expect(state.hasBudget).toBe(true);
      const { retryAfterMs = 0 } = failure;
      if (retryAfterMs >= 500) expect(step.waitMs).toBe(retryAfterMs);
    });
  });

  test('a call waits for its turnQueue if all calls of the turnQueue wait, and only then', () => {
    holds((_, state, step) => {
      const hasPause = state.queuePausedMs !== undefined;
      if (step.kind === 'retry') expect(step.waitMs === undefined).toBe(hasPause);
      if (step.kind === 'confirm' && step.waitsForTurn) expect(state.queuePausedMs).toBeLessThan(state.remainingMs);
    });
  });
});
