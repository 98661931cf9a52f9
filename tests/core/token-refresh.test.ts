import { AccessTokenError, ConfigurationError, GrantRevokedError, refreshingToken } from 'marketplace-seller-sdk';
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
  return { store, accessToken, ...stubbed([() => Response.json(wireQuestion)], { accessToken, maxRetries: 0 }) };
}

const expired = (): TokenSet => ({ accessToken: 'old', refreshToken: 'r-1', expiresAt: Date.now() - 1 });
const bearers = (sent: readonly Request[]) => sent.map(({ headers }) => headers.get('authorization')?.slice(7));

describe('one refresh', () => {
  const slow = () =>
    vi.fn(async (): Promise<TokenSet> => {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return { accessToken: 'new', refreshToken: 'r-2', expiresAt: Date.now() + hour };
    });

  test('serves all calls of an expired token, and is saved', async () => {
    const refresh = slow();
    const { sellerClient, store, sent } = client(expired(), { refresh });
    const calls = [1, 2, 3, 4, 5].map((question_id) => sellerClient.questions.get({ question_id }));
    await advanceUntilSettled(Promise.all(calls));
    expect([refresh.mock.calls.length, new Set(bearers(sent))]).toEqual([1, new Set(['new'])]);
    expect(store.tokens).toMatchObject({ accessToken: 'new', refreshToken: 'r-2' });
  });

  test('of a token that expires soon delays no call, and the next one has the new token', async () => {
    const refresh = slow();
    const { sellerClient, sent } = client({ ...expired(), expiresAt: Date.now() + 30_000 }, { refresh });
    for (const passedMs of [0, 4999, 1]) {
      await vi.advanceTimersByTimeAsync(passedMs);
      await sellerClient.questions.get(ask);
    }
    expect([refresh.mock.calls.length, bearers(sent)]).toEqual([1, ['old', 'old', 'new']]);
  });

  test('serves all calls that get a 401', async () => {
    const refresh = slow();
    const store = { tokens: { accessToken: 'revoked', refreshToken: 'r-1' } as TokenSet };
    const accessToken = refreshingToken({
      load: () => store.tokens,
      save: (next) => void (store.tokens = next),
      refresh,
    });
    const service = (request: Request): Response =>
      bearers([request])[0] === 'new' ? Response.json(wireQuestion) : Response.json({}, { status: 401 });
    const { sellerClient } = stubbed([service], { accessToken });
    await advanceUntilSettled(Promise.all([1, 2, 3].map((question_id) => sellerClient.questions.get({ question_id }))));
    expect(refresh).toHaveBeenCalledOnce();
  });

  test('serves two processes under one lock', async () => {
    let last: Promise<unknown> = Promise.resolve();
    const lock = <T>(work: () => Promise<T>): Promise<T> => {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    };
    const [refresh, store] = [slow(), { tokens: expired() }];
    const start = () =>
      client(expired(), { load: () => store.tokens, save: (next) => void (store.tokens = next), refresh, lock });
    const processes = [start(), start()];
    await advanceUntilSettled(Promise.all(processes.map(({ sellerClient }) => sellerClient.questions.get(ask))));
    expect(processes.map(({ sent }) => bearers(sent))).toEqual([['new'], ['new']]);
    expect(refresh).toHaveBeenCalledOnce();
  });
});

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
      onRefreshFailed: (error) => failures.push(error),
    });
    await sellerClient.questions.get(ask);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(failures).toMatchObject([{ message: 'The refresh of the access token did not finish within 30000 ms' }]);
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

  test('one that comes late and cannot be saved is no revoked grant for the next refresh', async () => {
    const first = Promise.withResolvers<TokenSet>();
    const refresh = vi.fn().mockReturnValueOnce(first.promise).mockRejectedValue(new GrantRevokedError('revoked'));
    const save = () => Promise.reject(new Error('the disk is full'));
    const { sellerClient } = client(expired(), { refresh, save });
    await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
    const second = errorOf(sellerClient.questions.get(ask));
    await vi.advanceTimersByTimeAsync(1000);
    first.resolve({ accessToken: 'late', refreshToken: 'r-2' });
    expect(await advanceUntilSettled(second)).toMatchObject({ cause: { message: 'the disk is full' } });
  });

  test('a save that ends after it leaves the next token set, which could not be saved', async () => {
    const first = Promise.withResolvers<undefined>();
    let [refreshes, saves, isAway] = [0, 0, false];
    const { sellerClient, store } = client(expired(), {
      refresh: () => ({ accessToken: `t-${(refreshes += 1)}`, refreshToken: 'r', expiresAt: Date.now() + hour }),
      save: async (tokens) => {
        if ((saves += 1) === 1) await first.promise;
        else if (isAway) throw new Error('the store is away');
        store.tokens = tokens;
      },
    });
    await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
    await advanceUntilSettled(sellerClient.questions.get(ask));
    await vi.advanceTimersByTimeAsync(hour);
    isAway = true;
    const failing = errorOf(sellerClient.questions.get(ask));
    await vi.advanceTimersByTimeAsync(50);
    first.resolve(undefined);
    expect(await advanceUntilSettled(failing)).toBeInstanceOf(AccessTokenError);
    isAway = false;
    await advanceUntilSettled(sellerClient.questions.get(ask));
    expect([store.tokens.accessToken, refreshes]).toEqual(['t-2', 2]);
  });
});

test('after close(), a token is used until its end, without a refresh that would be told as failed', async () => {
  const told: unknown[] = [];
  const soon = { ...expired(), expiresAt: Date.now() + 30_000 };
  const { sellerClient, accessToken, sent } = client(soon, { onRefreshFailed: (error) => told.push(error) });
  await accessToken.close();
  await sellerClient.questions.get(ask);
  await vi.advanceTimersByTimeAsync(1000);
  expect([bearers(sent), told]).toEqual([['old'], []]);
});

describe('a token set that could not be saved', () => {
  function withFullDisk() {
    const disk = { isFull: true, saved: [] as TokenSet[] };
    const save = (tokens: TokenSet): void => {
      if (disk.isFull) throw new Error('the disk is full');
      disk.saved.push(tokens);
    };
    return { disk, ...client(expired(), { save }) };
  }

  test('is saved before its next use', async () => {
    const { disk, sellerClient } = withFullDisk();
    const error = await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
    expect(error).toMatchObject({ name: 'AccessTokenError', cause: { message: 'the disk is full' } });
    disk.isFull = false;
    await advanceUntilSettled(sellerClient.questions.get(ask));
    expect(disk.saved).toMatchObject([{ accessToken: 'new', refreshToken: 'r-2' }]);
  });

  test('does not overwrite a newer one in the store', async () => {
    const { disk, sellerClient, store, sent } = withFullDisk();
    await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
    disk.isFull = false;
    // The seller authorises the application again, in another process.
    store.tokens = { accessToken: 'authorised', refreshToken: 'r-9', expiresAt: Date.now() + hour };
    await advanceUntilSettled(sellerClient.questions.get(ask));
    expect([disk.saved, bearers(sent).at(-1)]).toEqual([[], 'authorised']);
  });
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

describe('the refresh token is not lost', () => {
  test.each<readonly [string, unknown]>([
    ['an empty access token', { accessToken: '', refreshToken: undefined, expiresAt: 1e12 }],
    ['an access token that no header can have', { accessToken: 'a\nb', refreshToken: 'r-2' }],
    ['an access token with its type', { accessToken: 'Bearer a', refreshToken: 'r-2' }],
    ['an access token with another alphabet', { accessToken: 'é', refreshToken: 'r-2' }],
    ['no access token', { refreshToken: 'r-2' }],
    ['an access token that is not a string', { accessToken: 5, refreshToken: 'r-2' }],
    ['a refresh token that is not a string', { accessToken: 'a', refreshToken: 5 }],
    ['an expiry that is not a time', { accessToken: 'a', refreshToken: 'r-2', expiresAt: Number.NaN }],
    ['the body of an error', { error: 'temporarily_unavailable', expires_in: 1 }],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'token'],
  ])('by a refresh that returns %s', async (_, refreshed) => {
    const stored = expired();
    const { sellerClient, store, sent } = client(stored, { refresh: () => refreshed as TokenSet });
    const error = await errorOf(sellerClient.questions.get(ask));
    expect(error).toBeInstanceOf(AccessTokenError);
    expect(error.message).toContain('`refresh`');
    expect(store.tokens).toBe(stored);
    expect(sent).toEqual([]);
  });

  test.each([undefined, null, ''])('a refresh that returns %j as refresh token keeps the old one', async (value) => {
    const refreshToken = value as string | undefined;
    const { sellerClient, store } = client(expired(), { refresh: () => ({ accessToken: 'new', refreshToken }) });
    await sellerClient.questions.get(ask);
    expect(store.tokens).toEqual({ accessToken: 'new', refreshToken: 'r-1' });
  });

  test('after such a refresh, the next call tries again', async () => {
    const results = [{ accessToken: '' }, { accessToken: 'new', refreshToken: 'r-2' }];
    const { sellerClient, store } = client(expired(), { refresh: () => results.shift()! });
    await errorOf(sellerClient.questions.get(ask));
    await sellerClient.questions.get(ask);
    expect(store.tokens).toEqual({ accessToken: 'new', refreshToken: 'r-2' });
  });
});

test.each<readonly [string, unknown]>([
  ['returns nothing', (work: () => Promise<unknown>) => work().then(() => undefined)],
  ['does not wait', (work: () => Promise<unknown>): void => void work()],
  ['returns something else', async (work: () => Promise<unknown>) => !!(await work())],
  ['does not call the function', () => Promise.resolve(null)],
])('a lock that %s is named', async (_, lock) => {
  const { sellerClient, sent } = client(expired(), { lock: lock as RefreshingTokenOptions['lock'] });
  const error = await errorOf(sellerClient.questions.get(ask));
  expect(error.message).toBe('`lock` of refreshingToken did not return the result of the function that it was given');
  expect(sent).toEqual([]);
});

describe('the options are checked when the token provider is created', () => {
  const load = (): TokenSet => expired();
  const right = { load, refresh: load, save: () => undefined };
  const problemOf = (options: unknown): string => {
    try {
      refreshingToken(options as RefreshingTokenOptions);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError);
      return (error as Error).message;
    }
    throw new Error('the options were accepted');
  };

  test.each<readonly [object, string]>([
    [{ refreshes: 5 }, 'there is no option `refreshes`; did you mean `refresh`?'],
    [{ refreshBeforeMs: 5 }, 'there is no option `refreshBeforeMs`'],
    [{ refreshTimeoutMs: 5 }, 'there is no option `refreshTimeoutMs`'],
    [{ load: undefined }, '`load` is missing'],
    [{ refresh: undefined }, '`refresh` is missing'],
    [{ save: undefined }, '`save` is missing'],
    [{ load: 'tokens' }, '`load` takes a function'],
    [{ refresh: null }, '`refresh` takes a function'],
    [{ save: {} }, '`save` takes a function'],
    [{ lock: true }, '`lock` takes a function'],
    [{ onRefreshFailed: console }, '`onRefreshFailed` takes a function'],
  ])('%j', (options, problem) => {
    expect(problemOf({ ...right, ...options })).toContain(`refreshingToken: ${problem}`);
  });

  test.each([undefined, null, 'tokens', load])('%s are no options', (options) => {
    expect(problemOf(options)).toBe('refreshingToken takes an object of options');
  });

  test('all problems are named at once', () => {
    expect(problemOf({})).toBe('refreshingToken: `load` is missing; `refresh` is missing; `save` is missing');
  });

  test('an option that is undefined is omitted', () => {
    const none = { lock: undefined, onRefreshFailed: undefined };
    expect(refreshingToken({ ...right, ...none })).toBeTypeOf('function');
  });
});

test.each([[20_000], [40_000], [60_000], [hour]])(
  'a token that lives %i ms is refreshed once in its life',
  async (lifeMs) => {
    let refreshes = 0;
    const refresh = (): TokenSet => {
      refreshes += 1;
      return { accessToken: `t-${refreshes}`, refreshToken: 'r', expiresAt: Date.now() + lifeMs };
    };
    const { sellerClient } = client(expired(), { refresh });
    for (let call = 0; call < 100; call += 1) {
      await advanceUntilSettled(sellerClient.questions.get(ask));
      await vi.advanceTimersByTimeAsync(lifeMs / 20);
    }
    // 100 calls in five lives.
    expect(refreshes).toBeLessThanOrEqual(8);
  },
);

test('after a token that lives for 20 s, one that lives for an hour is refreshed a minute before its end', async () => {
  const lives = [20_000, hour, hour];
  const refresh = (): TokenSet => ({ accessToken: `t-${lives.length}`, expiresAt: Date.now() + lives.shift()! });
  const { sellerClient } = client(expired(), { refresh });
  for (const ms of [20_000, hour - 59_000, 1]) {
    await advanceUntilSettled(sellerClient.questions.get(ask));
    await vi.advanceTimersByTimeAsync(ms);
  }
  expect(lives).toEqual([]);
});

test.each([
  [1, 'theirs', 0],
  [0, 'new', 1],
  [-1, 'new', 1],
])(
  'of a token that another process has stored, and that has %i ms left: %s is sent',
  async (leftMs, token, expected) => {
    let refreshes = 0;
    const refresh = (): TokenSet => {
      refreshes += 1;
      return { accessToken: 'new', refreshToken: 'r-3', expiresAt: Date.now() + hour };
    };
    const { sellerClient, store, sent } = client({ ...expired(), expiresAt: Date.now() + 90_000 }, { refresh });
    await sellerClient.questions.get(ask);
    vi.setSystemTime(Date.now() + 90_000);
    store.tokens = { accessToken: 'theirs', refreshToken: 'r-2', expiresAt: Date.now() + leftMs };
    await sellerClient.questions.get(ask);
    expect([sent[1]?.headers.get('authorization'), refreshes]).toEqual([`Bearer ${token}`, expected]);
  },
);
