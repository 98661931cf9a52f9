import { NotFoundError, SellerClient } from 'marketplace-seller-sdk';
import { DropNotificationError, UnrecoverableError, createInbox } from 'marketplace-seller-sdk/inbox';
import type { HandlingFailure, InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { loadClientFirst } from '../support/fake-time.ts';
import { silent, silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';
import { receiving } from '../support/stubs.ts';

loadClientFirst();
afterEach(() => {
  vi.useRealTimers();
});

/** An inbox whose handler fails with an error, and the failures it reports. */
function failing(error: unknown, options: Partial<InboxOptions> = {}) {
  const failures: HandlingFailure[] = [];
  let runs = 0;
  const inbox = createInbox({
    retry: { firstDelayMs: 1, maxRetries: 2 },
    onFailure: (failure) => failures.push(failure),
    on: {
      questions: () => {
        runs += 1;
        throw error;
      },
    },
    ...options,
  });
  return { inbox, failures, runs: () => runs };
}

describe('an error that ends the attempts', () => {
  test('an UnrecoverableError makes a dead letter at once', async () => {
    const { inbox, failures, runs } = failing(new UnrecoverableError('this will never work'));
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(runs()).toBe(1);
    expect(failures).toMatchObject([{ dead: true, attempt: 1 }]);
    expect(await inbox.deadLetters.list()).toHaveLength(1);
  });

  test('a DropNotificationError forgets the notification, without a failure', async () => {
    const { inbox, failures, runs } = failing(new DropNotificationError('not ours'));
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(runs()).toBe(1);
    expect(failures).toEqual([]);
    expect(await inbox.deadLetters.list()).toEqual([]);
  });

  test('a user without a client is dropped before the handler runs', async () => {
    const handled: number[] = [];
    const inbox = createInbox({
      logger: silentLogger,
      clientFor: () => undefined,
      on: { questions: ({ question_id }) => void handled.push(question_id) },
    });
    expect(await deliver(inbox, about(1))).toBe(200);
    await untilEnded(inbox);
    expect(handled).toEqual([]);
    expect(await inbox.deadLetters.list()).toEqual([]);
  });

  test('a question that does not exist is read four times in a minute, holds no slot in between, and is dropped', async () => {
    vi.useFakeTimers();
    const marketplace = new FakeMarketplace({ now: '2026-11-20T12:00:00Z' });
    const user = marketplace.addUser({ user_id: 7 });
    let reads = 0;
    const fetch = receiving((request) => {
      reads += 1;
      return marketplace.fetch(request);
    });
    const failures: HandlingFailure[] = [];
    let running = 0;
    const inbox = createInbox({
      logger: silentLogger,
      clientFor: () => marketplace.clientFor(user, { fetch }),
      onFailure: (failure) => failures.push(failure),
      on: {
        questions: async (_, { read }) => {
          running += 1;
          try {
            await read();
          } finally {
            running -= 1;
          }
        },
      },
    });
    await deliver(inbox, about(999));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([reads, running]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(60_000);
    await untilEnded(inbox);
    expect(reads).toBe(4);
    expect(failures.map(({ dead }) => dead)).toEqual([false, false, false]);
    expect(failures[2]?.error).toBeInstanceOf(NotFoundError);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 1 });
  });

  test.each([
    [
      [500, 404, 200],
      [false, false],
    ],
    [
      [404, 500, 404, 200],
      [false, false, false],
    ],
    [
      [404, 404, 200],
      [false, false],
    ],
    [
      [404, 404, 404, 404, 200],
      [false, false, false],
    ],
    [
      [404, 404, 404, 500, 404, 404, 200],
      [false, false, false, false],
    ],
    [
      [400, 400, 200],
      [false, true],
    ],
    [
      [400, 500, 400, 400, 200],
      [false, false, false, true],
    ],
  ])(
    'of the responses %j to read(), one that lasts right after one that lasts is final, and a 404 drops after a minute',
    async (statuses, dead) => {
      vi.useFakeTimers();
      const left = [...statuses];
      const fetch = async () => {
        const status = left.shift()!;
        return Response.json(status === 200 ? { id: 1 } : { error: 'no', status }, { status });
      };
      const failures: HandlingFailure[] = [];
      const inbox = createInbox({
        logger: silentLogger,
        clientFor: () => new SellerClient({ baseUrl: 'https://api.test', accessToken: 't', maxRetries: 0, fetch }),
        onFailure: (failure) => failures.push(failure),
        on: { questions: (_, { read }) => read() },
      });
      await deliver(inbox, about(1));
      await vi.advanceTimersByTimeAsync(100_000);
      expect(failures.map((failure) => failure.dead)).toEqual(dead);
      expect(await inbox.deadLetters.list()).toHaveLength(dead.at(-1) === true ? 1 : 0);
      await inbox.close();
    },
  );

  test.each([500, 1_000, 2_000, 4_000, 19_000, 59_000])(
    'a question that can be read %i ms after its notification is handled',
    async (readableMs) => {
      vi.useFakeTimers();
      const readableAt = Date.now() + readableMs;
      const fetch = async () =>
        Date.now() < readableAt
          ? Response.json({ error: 'no', status: 404 }, { status: 404 })
          : Response.json({ id: 1 });
      const client = new SellerClient({ baseUrl: 'https://api.test', accessToken: 't', maxRetries: 0, fetch });
      const handled: number[] = [];
      const inbox = createInbox({
        clientFor: () => client,
        onFailure: silent,
        on: { questions: async (_, { read }) => void handled.push((await read()).id) },
      });
      await deliver(inbox, about(1));
      await vi.advanceTimersByTimeAsync(61_000);
      expect(handled).toEqual([1]);
      await inbox.close();
    },
  );

  test('a Retry-After is followed up to `maxDelayMs`', async () => {
    vi.useFakeTimers();
    const error = Object.assign(new Error('slow down'), { retryAfterMs: 24 * 3_600_000 });
    const { inbox, runs } = failing(error, { retry: { maxRetries: 1, maxDelayMs: 60_000 } });
    await deliver(inbox, about(1));
    await vi.advanceTimersByTimeAsync(61_000);
    await untilEnded(inbox);
    expect(runs()).toBe(2);
  });
});

describe('reports of failures', () => {
  test('a line without an error has no further argument, so that `console` prints none', async () => {
    const info = vi.fn<() => void>();
    const { inbox } = failing(new Error('no'), { logger: { ...silentLogger, info } });
    expect(await deliver(inbox, '{')).toBe(400);
    expect(info.mock.calls).toEqual([[expect.stringContaining('A delivery was rejected with 400')]]);
  });

  test('without a logger and onFailure, failures are printed with console.error', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(silent);
    const { inbox } = failing(new Error('no'), { onFailure: undefined, retry: { maxRetries: 1, firstDelayMs: 1 } });
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(print.mock.calls.map(([line]) => String(line))).toEqual([
      expect.stringMatching(/failed at attempt 1; it will be retried: Error: no$/),
      expect.stringMatching(/failed at attempt 2; it is a dead letter now: Error: no$/),
    ]);
  });

  test('with onFailure, failures of handlers are not printed', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(silent);
    const { inbox, failures } = failing(new Error('no'));
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(print).not.toHaveBeenCalled();
    expect(failures).toHaveLength(3);
  });

  test.each([
    ['throws', () => { throw new Error('the observer fails'); }], // prettier-ignore
    ['rejects', () => Promise.reject(new Error('the observer fails'))],
  ])('an onFailure that %s has no effect on the group', async (_, onFailure) => {
    const { inbox, runs } = failing(new Error('no'), { onFailure, logger: silentLogger });
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(runs()).toBe(3);
    expect(await inbox.deadLetters.list()).toHaveLength(1);
  });

  test('a logger that throws has no effect on the group', async () => {
    const broken = () => {
      throw new Error('the logger fails');
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    const { inbox, runs } = failing(new Error('no'), { logger });
    expect(await deliver(inbox, '{')).toBe(400);
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(runs()).toBe(3);
  });

  test('a log line escapes what a stranger wrote', async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const logger = { debug: write, info: write, warn: write, error: write };
    const fallback = () => {
      throw new Error('no\nERROR forged line');
    };
    const inbox = createInbox({ fallback, logger, retry: { maxRetries: 0 } });
    await deliver(inbox, about(1, { topic: 'a\n\u001b[31mERROR\u2028 everything is lost', resource: 'x' }));
    await untilEnded(inbox);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u2028]/);
  });

  test('a rejected delivery is not an error', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(silent);
    const inbox = createInbox({ on: { questions: silent } });
    expect(await deliver(inbox, '{')).toBe(400);
    expect(print).not.toHaveBeenCalled();
  });
});
