import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeAll, beforeEach, vi } from 'vitest';

const faked: Parameters<typeof vi.useFakeTimers>[0] = {
  toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
};

const realPause = promisify(setTimeout);

/** Makes a first call of a client with a `fetch` before the tests of a file: it loads ky, which takes real time. */
export function loadClientFirst(): void {
  beforeAll(async () => {
    const marketplace = new FakeMarketplace();
    await marketplace.clientFor(marketplace.addUser()).currencies.list();
  });
}

/** Fakes the timers of an inbox in each test of a file; what reads a request stays real. */
export function fakeTimersOfInbox(): void {
  beforeEach(() => void vi.useFakeTimers(faked));
  afterEach(() => void vi.useRealTimers());
}

/** Stops both clocks in each test of a file, for a store: only `vi.advanceTimersByTime` moves them. Timers stay real. */
export function stoppedClocks(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
}

/** No work in the tests lasts longer by the fake clock, so a test need not wait for its real time limit. */
const longestMs = 10 * 60_000;

/** Advances the fake clock until a promise has settled, and delivers what it settled to. */
export async function advanceUntilSettled<T>(work: PromiseLike<T>): Promise<T> {
  const state = { isSettled: false };
  const settle = (): void => void (state.isSettled = true);
  work.then(settle, settle);
  await advanceUntil(() => state.isSettled, 25);
  return work;
}

/**
 * Gives real time to what needs it between two steps of the fake clock: turns of the event loop to sockets and databases, a moment
 * to threads that decompress, and as long as they take to files that are read, written or closed.
 */
async function realWork(turnsOfTheLoop: number): Promise<void> {
  do {
    for (let turns = 0; turns < turnsOfTheLoop; turns += 1) await turnOfTheLoop();
    await realPause(1);
  } while (process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq') || name === 'CloseReq'));
}

/** The same, but the clock stands still while a request is under way: it must not look like a slow one. */
export async function advanceBetweenRequests<T>(work: PromiseLike<T>, inFlight: () => number): Promise<T> {
  const state = { isSettled: false };
  const settle = (): void => void (state.isSettled = true);
  work.then(settle, settle);
  for (let ms = 0; !state.isSettled;) {
    await realWork(10);
    if (inFlight() > 0) continue;
    if ((ms += 250) > 10 * longestMs) throw new Error('not settled after a hundred minutes of fake time');
    await vi.advanceTimersByTimeAsync(250);
  }
  return work;
}

/** Advances the fake clock in steps until a claim holds. What needs real time, such as a body that is read, gets some in between. */
export async function advanceUntil(claim: () => boolean, stepMs = 1): Promise<void> {
  for (let [ms, steps] = [0, 1]; !claim(); ms += stepMs, steps += 1) {
    if (ms >= longestMs) throw new Error('not so after ten minutes of fake time');
    await vi.advanceTimersByTimeAsync(stepMs);
    if (steps % 100 === 0) await realWork(1);
  }
}

/**
 * Runs work between sockets of this process. The fake clock advances only after as many turns of the event loop as bytes need
 * to reach the other end: however slow the machine is, a timeout ends only what nothing else ends.
 */
export async function overSockets<T>(work: () => PromiseLike<T>): Promise<T> {
  vi.useFakeTimers(faked);
  try {
    const state = { isSettled: false };
    const settle = (): void => void (state.isSettled = true);
    const running = work();
    running.then(settle, settle);
    for (let ms = 0; !state.isSettled; ms += 25) {
      if (ms >= longestMs) throw new Error('not settled after ten minutes of fake time');
      await realWork(40);
      await vi.advanceTimersByTimeAsync(25);
    }
    return await running;
  } finally {
    vi.useRealTimers();
  }
}
