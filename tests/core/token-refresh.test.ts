import { AccessTokenError, refreshingToken } from 'marketplace-seller-sdk';
import type { RefreshingTokenOptions, TokenSet } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const ask = { question_id: 1 };

/** A client over a token set in a store that other processes may change. */
function client(first: TokenSet, options: Partial<RefreshingTokenOptions>) {
  const store = { tokens: first };
  const accessToken = refreshingToken({
    load: () => store.tokens,
    save: (tokens) => void (store.tokens = tokens),
    refresh: () => ({ accessToken: 'new', refreshToken: 'r-2', expiresAt: Date.now() + hour }),
    ...options,
  });
  return { store, ...stubbed([() => Response.json(wireQuestion)], { accessToken, maxRetries: 0 }) };
}

const expired = (): TokenSet => ({ accessToken: 'old', refreshToken: 'r-1', expiresAt: Date.now() - 1 });

describe('a refresh that hangs is bounded, aborted and forgotten', () => {
  test.each(['refresh', 'lock', 'load', 'save'] as const)('%s', async (name) => {
    let isHanging = true;
    const signals: AbortSignal[] = [];
    const tokens = { accessToken: 'new', refreshToken: 'r-2', expiresAt: Date.now() + 10 * hour };
    const hanging: Record<typeof name, Partial<RefreshingTokenOptions>> = {
      refresh: {
        refresh: (_, { signal }) => {
          signals.push(signal);
          return isHanging ? never() : tokens;
        },
      },
      lock: { lock: (work) => (isHanging ? never() : work()) },
      load: { load: () => (isHanging ? never() : expired()) },
      save: { save: () => (isHanging ? never() : undefined) },
    };
    const { sellerClient, sent } = client(expired(), hanging[name]);
    const started = Date.now();
    const error = await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
    expect(error).toBeInstanceOf(AccessTokenError);
    expect(Date.now() - started).toBeLessThanOrEqual(31_000);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    isHanging = false;
    await advanceUntilSettled(sellerClient.questions.get(ask));
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer new');
  });

  test('in the background, without a call that waits for it', async () => {
    const failures: unknown[] = [];
    const soon = { accessToken: 'old', expiresAt: Date.now() + 30_000 };
    const { sellerClient } = client(soon, {
      refresh: () => never(),
      refreshTimeoutMs: 5000,
      onRefreshFailed: (error) => failures.push(error),
    });
    await sellerClient.questions.get(ask);
    await vi.advanceTimersByTimeAsync(6000);
    expect(failures).toMatchObject([{ message: 'The refresh of the access token did not finish within 5000 ms' }]);
  });

  test('a token set that comes after the time limit is not lost', async () => {
    let deliver: (tokens: TokenSet) => void = () => undefined;
    let refreshes = 0;
    const { sellerClient, store } = client(expired(), {
      refresh: () => {
        refreshes += 1;
        return new Promise((resolve) => (deliver = resolve));
      },
    });
    await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
    deliver({ accessToken: 'late', refreshToken: 'r-2', expiresAt: Date.now() + hour });
    await advanceUntilSettled(sellerClient.questions.get(ask));
    expect(store.tokens.accessToken).toBe('late');
    expect(refreshes).toBe(1);
  });
});

test('a newer token set in the store is not overwritten by an older one', async () => {
  let isFull = true;
  const saved: TokenSet[] = [];
  const { sellerClient, store, sent } = client(expired(), {
    save: (tokens) => {
      if (isFull) throw new Error('the disk is full');
      saved.push(tokens);
    },
  });
  await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
  isFull = false;
  // The seller authorises the application again, in another process.
  store.tokens = { accessToken: 'authorised', refreshToken: 'r-9', expiresAt: Date.now() + hour };
  await advanceUntilSettled(sellerClient.questions.get(ask));
  expect(saved).toEqual([]);
  expect(sent.at(-1)!.headers.get('authorization')).toBe('Bearer authorised');
});

describe('expiresAt is a time in milliseconds', () => {
  test.each([1_790_000_000, 21_600, Number.NaN, '2026-03-01T18:00:00Z', new Date(0)])(
    '%s is noticed',
    async (value) => {
      const tokens = { accessToken: 'a', expiresAt: value as number };
      const { sellerClient, sent } = client(tokens, {});
      const error = await errorOf(sellerClient.questions.get(ask));
      expect(error.message).toContain('`expiresAt` of `load` is not a time in milliseconds since 1970');
      expect(sent).toEqual([]);
    },
  );

  test.each([undefined, null])('%s is a time that is not known', async (value) => {
    const { sellerClient, sent } = client({ accessToken: 'a', expiresAt: value as undefined }, {});
    await sellerClient.questions.get(ask);
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer a');
  });
});

test('the message of an AccessTokenError has the words of its cause, without a token', async () => {
  const { sellerClient } = client(expired(), {
    refresh: () => Promise.reject(new Error('invalid_grant: refresh_token=TG-123456 is used up')),
  });
  const error = await errorOf(sellerClient.questions.get(ask));
  expect(error.message).toBe(
    'The function given as accessToken failed: invalid_grant: refresh_token=[redacted] is used up',
  );
});
