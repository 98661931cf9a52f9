import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Limits } from '../../src/core/limits/limits.js';
import { TurnQueue } from '../../src/core/limits/turn-queue.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { stubbed, wireQuestion } from '../support/stubs.ts';

// Of which tokens a limit is remembered: of 500, and of more while it is used or says something.

const { search, ask } = endpoints.questions;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const queueOf = (limits: Limits, token: string): TurnQueue => limits.of(token, search, Infinity);
/** Makes a call with each of `count` other tokens. They are idle after it. */
function callWithOthers(limits: Limits, count: number, prefix = 'other'): void {
  for (let index = 0; index < count; index += 1) queueOf(limits, `${prefix} ${index}`).leave();
}
/** Whether a queue is still that of its token. */
function isKept(limits: Limits, queue: TurnQueue, token = 'first'): boolean {
  const found = queueOf(limits, token);
  found.leave();
  return found === queue;
}

test.each([
  [1, true],
  [500, true],
  [501, false],
])('with %i tokens, one that is idle is kept: %s', (count, expected) => {
  const limits = new Limits();
  const queue = queueOf(limits, 'first');
  queue.leave();
  callWithOthers(limits, count - 1);
  expect(isKept(limits, queue)).toBe(expected);
});

describe('with 501 tokens', () => {
  test.each([1, 2])('one that %i calls use is kept, until the last of them leaves', (calls) => {
    const limits = new Limits();
    const queue = queueOf(limits, 'first');
    for (let call = 1; call < calls; call += 1) queueOf(limits, 'first');
    for (let call = 1; call < calls; call += 1) queue.leave();
    callWithOthers(limits, 500);
    expect(isKept(limits, queue)).toBe(true);
    queue.leave();
    callWithOthers(limits, 500, 'later');
    expect(isKept(limits, queue)).toBe(false);
  });

  test.each([
    [60_000, 'throttled', 500, search, true],
    [60_001, 'throttled', 500, search, false],
    [89_999, 'throttled', 90_000, search, true],
    [90_000, 'throttled', 90_000, search, false],
    [0, 'throttled', 500, ask, true],
    [0, 'accepted', undefined, search, false],
    [0, 'other', undefined, search, false],
  ] as const)('one is kept %i ms after a response that was %s (%s), of any group', (...row) => {
    const [ms, result, retryAfterMs, endpoint, kept] = row;
    const limits = new Limits();
    const queue = queueOf(limits, 'first');
    const used = limits.of('first', endpoint, Infinity);
    vi.advanceTimersByTime(1000);
    expect(used.tryAcquire()).toBe(true);
    used.release(result, performance.now(), { retryAfterMs });
    queue.leave();
    used.leave();
    vi.advanceTimersByTime(ms);
    callWithOthers(limits, 500);
    expect(isKept(limits, queue)).toBe(kept);
  });
});

// Each new token would search all that are in use.
test('tokens are looked through again when there are twice as many as were in use, and at 501 when none was', () => {
  const limits = new Limits();
  const inUse = Array.from({ length: 500 }, (_, index) => queueOf(limits, `used ${index}`));
  callWithOthers(limits, 1);
  for (const each of inUse) each.leave();
  callWithOthers(limits, 500);
  expect(isKept(limits, inUse[0]!, 'used 0')).toBe(true);
  callWithOthers(limits, 501);
  // Now there are two: the last of the others, and this one.
  const again = queueOf(limits, 'used 0');
  expect(again).not.toBe(inUse[0]);
  again.leave();
  callWithOthers(limits, 498, 'later');
  expect(isKept(limits, again, 'used 0')).toBe(true);
  callWithOthers(limits, 499, 'later');
  expect(isKept(limits, again, 'used 0')).toBe(false);
});

test('each kind of call leaves its limit once: one that succeeds, fails, is aborted, or downloads a file', async () => {
  const [used, left] = [vi.spyOn(Limits.prototype, 'of'), vi.spyOn(TurnQueue.prototype, 'leave')];
  const { sellerClient } = stubbed([(_, turn) => Response.json(wireQuestion, { status: turn === 2 ? 400 : 200 })]);
  const get = (signal?: AbortSignal): Promise<unknown> =>
    sellerClient.questions.get({ question_id: 1 }, { signal }).then();
  for (const signal of [undefined, undefined, AbortSignal.abort()]) await get(signal).catch(() => undefined);
  const file = await sellerClient.messages.download({ attachment_id: 'a.pdf', site_id: 'MLA' });
  await file.arrayBuffer();
  expect([used.mock.calls.length, left.mock.calls.length]).toEqual([4, 4]);
});

test.each(['its token', 'a retry'])('a call that waits for %s keeps its limit in use', async (what) => {
  let [inFlight, most] = [0, 0];
  const isOurs = ({ url }: Request): boolean => url.endsWith('/42');
  const hanging = async (): Promise<Response> => {
    most = Math.max(most, (inFlight += 1));
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    inFlight -= 1;
    return Response.json(wireQuestion);
  };
  const failed = Response.json({}, { status: 500, headers: { 'retry-after': '5' } });
  const { sellerClient } = stubbed([
    (request, turn) => {
      if (!isOurs(request)) return Response.json(wireQuestion);
      return turn === 1 && what === 'a retry' ? failed : hanging();
    },
  ]);
  const slowToken = async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 5000));
    return 'token-2';
  };
  const accessToken = what === 'a retry' ? 'token-1' : slowToken;
  const client = sellerClient.withOptions({ concurrency: 1, accessToken });
  const first = client.questions.get({ question_id: 42 });
  await vi.advanceTimersByTimeAsync(10);
  for (let n = 0; n < 600; n += 1)
    await sellerClient.questions.get({ question_id: 1 }, { accessToken: `seller-${n}`, maxRetries: 0 });
  await advanceUntilSettled(Promise.all([first, client.questions.get({ question_id: 42 })]));
  expect(most).toBe(1);
});
