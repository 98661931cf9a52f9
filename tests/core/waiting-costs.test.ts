import { describe, expect, test, vi } from 'vitest';
import { CallQueue } from '../../src/core/limits/call-queue.js';
import * as fc from 'fast-check';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

/** Counts how often the sequences of `count` calls are compared while they come and go in some order. */
function stepsPerCall(count: number, sequenceOf: (index: number) => number): number {
  let steps = 0;
  const calls = Array.from({ length: count }, (_, index) => ({
    place: 0,
    get sequence() {
      steps += 1;
      return sequenceOf(index);
    },
  }));
  const queue = new CallQueue<(typeof calls)[number]>();
  for (const call of calls) queue.add(call);
  // Every third is aborted; the others are sent.
  for (const call of calls.filter((_, index) => index % 3 === 0)) queue.remove(call);
  while (queue.first) queue.remove(queue.first);
  return steps / count;
}

describe('the cost of a call that waits', () => {
  test.each<[string, (index: number) => number]>([
    ['in order', (index) => index],
    ['in reverse order', (index) => -index],
    ['in any order', (index) => (index * 7919) % 20_011],
  ])('hardly grows with the number of others (%s)', (_name, sequenceOf) => {
    expect(stepsPerCall(1000, sequenceOf)).toBeLessThan(100);
    expect(stepsPerCall(20_000, sequenceOf)).toBeLessThan(2 * stepsPerCall(1000, sequenceOf));
  });

  test('does not depend on how many share its AbortSignal', async () => {
    const { signal, listeners } = countingSignal();
    const { sellerClient } = stubbed([Response.json(wireQuestion)], { maxConcurrency: 10 });
    const calls = Array.from({ length: 1000 }, (_, index) =>
      sellerClient.questions.get({ question_id: index + 1 }, { signal }),
    );
    await Promise.all(calls);
    expect(listeners).toEqual({ added: 1, removed: 1 });
  });

  test('an abort ends all of them', async () => {
    const controller = new AbortController();
    const { sellerClient, sent } = stubbed([() => new Promise<Response>(() => undefined)], { maxConcurrency: 10 });
    const calls = Array.from({ length: 100 }, (_, index) =>
      errorOf(sellerClient.questions.get({ question_id: index + 1 }, { signal: controller.signal })),
    );
    await vi.waitFor(() => {
      expect(sent).not.toHaveLength(0);
    });
    controller.abort();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name: 'AbortError' });
  });
});

function countingSignal() {
  const { signal } = new AbortController();
  const listeners = { added: 0, removed: 0 };
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: unknown[]) => {
    listeners.added += 1;
    addEventListener.apply(signal, args as never);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    listeners.removed += 1;
    removeEventListener.apply(signal, args as never);
  };
  return { signal, listeners };
}

test('a queue has its calls in the order of their sequence, whatever is added and removed', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ sequence: fc.nat(50), isRemoved: fc.boolean() })), (entries) => {
      const queue = new CallQueue<{ sequence: number; place: number }>();
      const calls = entries.map(({ sequence, isRemoved }) => ({ sequence, isRemoved, place: 0 }));
      for (const call of calls) queue.add(call);
      for (const call of calls) if (call.isRemoved) queue.remove(call);
      const seen: number[] = [];
      for (let { first } = queue; first; { first } = queue) {
        seen.push(first.sequence);
        queue.remove(first);
      }
      const expected = calls.filter((call) => !call.isRemoved).map((call) => call.sequence);
      expect(seen).toEqual(expected.sort((a, b) => a - b));
    }),
  );
});
