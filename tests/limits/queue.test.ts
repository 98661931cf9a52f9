import { describe, expect, test, vi } from 'vitest';
import { CallQueue } from '../../src/core/limits/turn-queue.js';
import { fc } from '../support/fast-check.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

interface CountedCall {
  readonly number: number;
  before?: CountedCall | undefined;
  after?: CountedCall | undefined;
}

/** Counts how often a queue looks at a call while `count` calls come and go. */
function stepsPerCall(count: number, isAborted: (number: number) => boolean): number {
  let steps = 0;
  const counted = (number: number): CountedCall =>
    new Proxy<CountedCall>({ number }, { get: (call, key) => ((steps += 1), Reflect.get(call, key) as unknown) });
  const queue = new CallQueue<CountedCall>();
  const calls = Array.from({ length: count }, (_, number) => counted(number));
  for (const call of calls) queue.add(call);
  for (const [number, call] of calls.entries()) if (isAborted(number)) queue.remove(call);
  while (queue.first) queue.remove(queue.first);
  return steps / count;
}

describe('the cost of a call that waits', () => {
  test.each<[string, (number: number) => boolean]>([
    ['all are sent', () => false],
    ['every third is aborted', (number) => number % 3 === 0],
    ['the last half is aborted', (number) => number > 10_000],
  ])('does not grow with the number of others (%s)', (_name, isAborted) => {
    expect(stepsPerCall(1000, isAborted)).toBeLessThan(5);
    expect(stepsPerCall(20_000, isAborted)).toBeLessThan(5);
  });

  test('does not depend on how many share its AbortSignal', async () => {
    const { signal, listeners } = countingSignal();
    const { sellerClient } = stubbed([Response.json(wireQuestion)], { concurrency: 10 });
    const calls = Array.from({ length: 200 }, (_, index) =>
      sellerClient.questions.get({ question_id: index + 1 }, { signal }),
    );
    await Promise.all(calls);
    expect(listeners).toEqual({ added: 1, removed: 1 });
  });

  test('an abort ends all of them', async () => {
    const controller = new AbortController();
    const { sellerClient, sent } = stubbed([() => new Promise<Response>(() => undefined)], { concurrency: 10 });
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

test('a queue has its calls in the order in which they came, whatever is removed', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean()), (removals) => {
      const queue = new CallQueue<CountedCall>();
      const calls = removals.map((isRemoved, number) => ({ number, isRemoved }));
      for (const call of calls) queue.add(call);
      for (const call of calls) if (call.isRemoved) queue.remove(call);
      const expected = calls.filter((call) => !call.isRemoved).map(({ number }) => number);
      expect([...queue].map(({ number }) => number)).toEqual(expected);
      expect(queue.size).toBe(expected.length);
      expect(queue.first?.number).toBe(expected[0]);
    }),
  );
});
