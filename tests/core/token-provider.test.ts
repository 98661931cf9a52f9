import { isNativeError } from 'node:util/types';
import { AccessTokenError, refreshingToken } from 'marketplace-seller-sdk';
import type { ClientOptions, RefreshingTokenOptions, TokenSet } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

const ask = { question_id: 1 };
const bearers = (sent: readonly Request[]): (string | null)[] =>
  sent.map(({ headers }) => headers.get('authorization'));

/** A service that takes one token. */
function client(valid: () => string, options: Partial<ClientOptions>): ReturnType<typeof stubbed> {
  const respond = (request: Request): Response =>
    request.headers.get('authorization') === `Bearer ${valid()}`
      ? Response.json(wireQuestion)
      : Response.json({ error: 'invalid_token' }, { status: 401 });
  return stubbed([respond], { maxRetries: 0, ...options });
}

describe('a function that provides the token', () => {
  test('is asked without `rejected` first, and with it after a 401', async () => {
    const provider = vi.fn(({ rejected }: { rejected?: string }) => rejected ?? 'old');
    await errorOf(client(() => 'new', { accessToken: provider }).sellerClient.questions.get(ask));
    expect(provider.mock.calls.map(([context]) => Object.keys(context))).toEqual([['signal'], ['rejected', 'signal']]);
  });

  test('that is synchronous has its token checked', async () => {
    const { sellerClient } = client(() => 'new', { accessToken: () => 'two words' });
    expect((await errorOf(sellerClient.questions.get(ask))).message).toBe(
      'The function given as accessToken returned an empty token or one with characters that no token has; it must return the token as a string',
    );
  });

  test('that returns a number is told which type it returned', async () => {
    const { sellerClient } = client(() => 'new', { accessToken: () => Promise.resolve(7 as unknown as string) });
    expect((await errorOf(sellerClient.questions.get(ask))).message).toBe(
      'The function given as accessToken returned a value of type number; it must return the token as a string',
    );
  });

  test.each([
    ['with an error', new Error(`${'x'.repeat(299)}yz`), `${'x'.repeat(299)}y`],
    ['with a value', 'a text', 'it rejected with a value that is not an error'],
  ])('that fails at once %s has the reason in the message', async (_, thrown, reason) => {
    const accessToken = (): string => {
      // oxlint-disable-next-line typescript/only-throw-error -- a function of the user may do that
      throw thrown;
    };
    const error = await errorOf(client(() => 'new', { accessToken }).sellerClient.questions.get(ask));
    expect(error).toBeInstanceOf(AccessTokenError);
    expect(error.message).toBe(`The function given as accessToken failed: ${reason}`);
  });

  test('that rejects with an error of this library has that error passed on', async () => {
    const own = new AccessTokenError('log in again');
    const { sellerClient } = client(() => 'new', { accessToken: () => Promise.reject(own) });
    expect(await errorOf(sellerClient.questions.get(ask))).toBe(own);
  });

  test.each([
    ['with an error', new Error('no')],
    ['with an error of this library', new AccessTokenError('log in again', { cause: 'revoked' })],
    [
      'with an error of a class of the user',
      new (class Own extends AccessTokenError {
        readonly seller = 7;
      })('log in again'),
    ],
  ])('that rejects %s has each waiting call reject with an error that describes its own request', async (_, reason) => {
    const { sellerClient } = client(() => 'new', { accessToken: () => Promise.reject(reason) });
    const errors = await Promise.all(
      [1, 2, 3].map((question_id) => errorOf(sellerClient.questions.get({ question_id }))),
    );
    expect(errors.map((error) => error.toCurl()?.match(/questions\/\d/)?.[0])).toEqual(
      [1, 2, 3].map((id) => `questions/${id}`),
    );
    for (const error of errors) {
      expect(error).toEqual(errors[0]);
      expect(error).toBeInstanceOf(AccessTokenError);
      expect(isNativeError(error)).toBe(true);
      expect(error).toMatchObject({ name: 'AccessTokenError', isLasting: false, stack: errors[0]!.stack });
    }
  });

  test('that hangs is aborted after timeoutMs, and asked again by the next call', async () => {
    const signals: AbortSignal[] = [];
    const accessToken = vi.fn(({ signal }: { signal: AbortSignal }): Promise<string> => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => undefined) : Promise.resolve('new');
    });
    const { sellerClient } = client(() => 'new', { accessToken, timeoutMs: 5000 });
    const error = await advanceUntilSettled(errorOf(sellerClient.questions.get(ask)));
    expect(error.message).toBe('The function given as accessToken returned no token within 5000 ms');
    expect(signals[0]!.reason).toBe(error);
    await sellerClient.questions.get(ask);
    expect(signals[1]!.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may take as long as it likes where timeoutMs is longer than any timer', async () => {
    const accessToken = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return 'new';
    };
    const { sellerClient } = client(() => 'new', { accessToken, timeoutMs: Infinity });
    await advanceUntilSettled(sellerClient.questions.get(ask));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is asked once for calls that got a 401 one after another', async () => {
    let replacements = 0;
    const accessToken = async ({ rejected }: { rejected?: string }): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, rejected === undefined ? 0 : 1000));
      if (rejected === undefined) return 'old';
      replacements += 1;
      return 'new';
    };
    const { sellerClient, sent } = client(() => 'new', { accessToken });
    await advanceUntilSettled(Promise.all([sellerClient.questions.get(ask), sellerClient.questions.get(ask)]));
    // The function still returns the old one: it is replaced without another request.
    await advanceUntilSettled(sellerClient.questions.get(ask));
    expect(replacements).toBe(1);
    expect(bearers(sent).slice(2)).toEqual(['Bearer new', 'Bearer new', 'Bearer new']);
  });

  test('is not asked again by a call whose rejected token has been replaced meanwhile', async () => {
    const asked: unknown[] = [];
    const accessToken = ({ rejected }: { rejected?: string }): string => {
      asked.push(rejected);
      return rejected === undefined ? 'old' : 'new';
    };
    let release: (response: Response) => void = () => undefined;
    const slow = new Promise<Response>((resolve) => (release = resolve));
    const unauthorized = (): Response => Response.json({}, { status: 401 });
    const ok = (): Response => Response.json(wireQuestion);
    const { sellerClient, sent } = stubbed([() => slow, unauthorized, ok], { accessToken });
    const first = sellerClient.questions.get(ask);
    await vi.advanceTimersByTimeAsync(0);
    await sellerClient.questions.get(ask);
    release(unauthorized());
    await first;
    expect(asked).toEqual([undefined, undefined, 'old']);
    expect(bearers(sent)).toEqual(['Bearer old', 'Bearer old', 'Bearer new', 'Bearer new']);
  });

  test('that is being asked for another call may bring the new token: it is not asked twice', async () => {
    const asked: unknown[] = [];
    const gives: ((token: string) => void)[] = [];
    const accessToken = ({ rejected }: { rejected?: string }): string | Promise<string> => {
      asked.push(rejected);
      return asked.length === 1 ? 'old' : new Promise<string>((resolve) => gives.push(resolve));
    };
    for (const [given, expected] of [
      ['new', [undefined, undefined]],
      ['old', [undefined, undefined, 'old']],
    ] as const) {
      asked.length = gives.length = 0;
      let release: (response: Response) => void = () => undefined;
      const steps = [() => new Promise<Response>((resolve) => (release = resolve)), () => Response.json(wireQuestion)];
      const { sellerClient } = stubbed(steps, { accessToken, maxRetries: 0 });
      const first = sellerClient.questions.get(ask);
      await vi.advanceTimersByTimeAsync(0);
      const second = sellerClient.questions.get(ask);
      release(Response.json({}, { status: 401 }));
      await vi.advanceTimersByTimeAsync(10);
      gives[0]!(given);
      await vi.advanceTimersByTimeAsync(10);
      gives[1]?.('new');
      await advanceUntilSettled(Promise.all([first, second]));
      expect(asked).toEqual(expected);
    }
  });
});

describe('refreshingToken()', () => {
  function refreshing(first: TokenSet, options: Partial<RefreshingTokenOptions> = {}) {
    const refresh = vi.fn((_: TokenSet, __: { signal: AbortSignal }): TokenSet | Promise<TokenSet> => {
      return { accessToken: 'new', expiresAt: now + 3_600_000 };
    });
    const save = vi.fn();
    return { refresh, save, provider: refreshingToken({ load: () => first, refresh, save, ...options }) };
  }
  const { signal } = new AbortController();

  test.each([
    [-1, 'new', 1],
    [0, 'new', 1],
    [1, 'old', 1],
    [60_000, 'old', 1],
    [60_001, 'old', 0],
  ])('with a token that expires in %i ms returns the %s one and refreshes %i times', async (ms, token, times) => {
    const { provider, refresh } = refreshing({ accessToken: 'old', expiresAt: now + ms });
    expect(await provider({ signal })).toBe(token);
    await vi.advanceTimersByTimeAsync(0);
    expect(refresh).toHaveBeenCalledTimes(times);
  });

  test('refreshes in the background once, however many calls there are', async () => {
    const never = vi.fn(() => new Promise<TokenSet>(() => undefined));
    const { provider } = refreshing({ accessToken: 'old', expiresAt: now + 500 }, { refresh: never });
    await Promise.all([provider({ signal }), provider({ signal }), provider({ signal })]);
    await vi.advanceTimersByTimeAsync(10);
    await provider({ signal });
    expect(never).toHaveBeenCalledTimes(1);
  });

  test('needs no onRefreshFailed', async () => {
    const failing = (): Promise<TokenSet> => Promise.reject(new Error('down'));
    const { provider } = refreshing({ accessToken: 'old', expiresAt: now + 500 }, { refresh: failing });
    expect(await provider({ signal })).toBe('old');
    await vi.advanceTimersByTimeAsync(10);
  });

  test('shared by two clients has each call reject with an error that describes its own request', async () => {
    const { provider } = refreshing(
      { accessToken: 'old' },
      { refresh: () => Promise.reject(new AccessTokenError('no')) },
    );
    const clients = [1, 2].map(() => client(() => 'new', { accessToken: provider }).sellerClient);
    const ended = clients.map((each, index) => errorOf(each.questions.get({ question_id: index })));
    const errors = await Promise.all(ended);
    expect(errors.map((error) => error.toCurl()?.match(/questions\/\d/)?.[0])).toEqual(['questions/0', 'questions/1']);
  });

  test('leaves no timer and no listener behind', async () => {
    const { provider } = refreshing({ accessToken: 'old', expiresAt: now - 1 });
    const remove = vi.spyOn(signal, 'removeEventListener');
    await provider({ signal });
    expect(vi.getTimerCount()).toBe(0);
    expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  test.each(['lock', 'load', 'refresh'] as const)(
    'stops when it is aborted during `%s`, and leaves no timer',
    async (at) => {
      const controller = new AbortController();
      const reason = new Error('enough');
      let isFirst = true;
      const load = (): TokenSet => {
        if (at === 'load' && !isFirst) controller.abort(reason);
        isFirst = false;
        return { accessToken: 'old', expiresAt: now - 1 };
      };
      const seen: AbortSignal[] = [];
      const refresh = vi.fn((_: TokenSet, context: { signal: AbortSignal }): TokenSet => {
        seen.push(context.signal);
        if (at === 'refresh') controller.abort(reason);
        return { accessToken: 'new' };
      });
      const lock = async <R>(work: () => Promise<R>): Promise<R> => {
        if (at === 'lock') controller.abort(reason);
        return work();
      };
      const { provider, save } = refreshing({ accessToken: 'old' }, { load, refresh, lock });
      await expect(provider({ signal: controller.signal })).rejects.toBe(reason);
      expect(refresh).toHaveBeenCalledTimes(at === 'refresh' ? 1 : 0);
      expect(seen.every(({ aborted }) => aborted)).toBe(true);
      // What was received is saved: it replaces a refresh token that is used up.
      expect(save).toHaveBeenCalledTimes(at === 'refresh' ? 1 : 0);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test.each([
    ['load', { load: () => ({}) as TokenSet }],
    ['load', { load: () => undefined as unknown as TokenSet }],
    ['refresh', { refresh: () => ({ accessToken: 7 }) as unknown as TokenSet }],
  ])('names `%s` where it returned no token set', async (name, options) => {
    const { provider } = refreshing({ accessToken: 'old', expiresAt: now - 1 }, options);
    await expect(provider({ signal })).rejects.toThrow(
      `\`${name}\` of refreshingToken returned no token set; it takes`,
    );
  });

  test('takes the year 1973 for a time in milliseconds', async () => {
    const { provider } = refreshing({ accessToken: 'old', expiresAt: 1e11 });
    expect(await provider({ signal })).toBe('new');
  });
});
