import { AccessTokenError, GrantRevokedError } from '../core/errors/errors.js';
import { ignoreErrors, wait } from '../core/scope/wait.js';
import type { TokenProvider } from '../core/options/hooks.js';
import { checkConfiguration, notNegative, ofType, positive } from '../core/options/rules.js';
import { longestTimerMs } from '../core/scope/cancel-scope.js';
import type { Rule } from '../core/options/rules.js';
import { checkRefreshed, checkTokenSet, remainingMs } from './token-set.js';
import type { TokenSet } from './token-set.js';

/** Options of `refreshingToken`. */
export interface RefreshingTokenOptions<T extends TokenSet = TokenSet> {
  /** Reads the stored token set. */
  readonly load: () => T | Promise<T>;
  /**
   * Requests the next token set from the authorisation server. All calls of this process share one refresh. A token set
   * without a valid access token is rejected before `save`. One without a refresh token keeps the old refresh token.
   * If it throws a `GrantRevokedError`, the token set is loaded again, because another process may have replaced it: with
   * `lock` once, otherwise with growing pauses until `refreshTimeoutMs`. After that, no call refreshes until `load`
   * returns another token set.
   */
  readonly refresh: (tokens: T, context: { readonly signal: AbortSignal }) => T | Promise<T>;
  /** Stores a new token set. It is called before the new access token is used. */
  readonly save: (tokens: T) => void | Promise<void>;
  /**
   * Runs a function while no other process does, and returns its result, e.g. with an advisory lock of a database. In
   * it the token set is loaded again, so only one of several processes refreshes it.
   *
   * @default none: only this process uses the refresh token
   */
  readonly lock?: (<R>(work: () => Promise<R>) => Promise<R>) | undefined;
  /**
   * How long before its expiry a token is refreshed in the background, in milliseconds; at most a quarter of its
   * life, which a process knows once it has requested one.
   *
   * @default 60_000
   */
  readonly refreshBeforeMs?: number | undefined;
  /**
   * The time limit of a refresh in milliseconds, including its lock. After it, the refresh is aborted, and the next
   * call tries again. A refresh that calls wait for also ends after the `timeoutMs` of the client.
   *
   * @default 30_000
   */
  readonly refreshTimeoutMs?: number | undefined;
  /**
   * Called when a refresh in the background fails. The current token stays in use. Its own errors are ignored.
   *
   * @default none
   */
  readonly onRefreshFailed?: ((error: unknown) => void) | undefined;
}

/**
 * Creates a token provider that refreshes its token set: in the background before the token expires, and immediately
 * after a 401. Any number of calls share one refresh. With `lock`, it is also safe if several processes use the token
 * set.
 *
 * @example
 * const seller = new SellerClient({ baseUrl, accessToken: refreshingToken({ load, refresh, save }) });
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function refreshingToken<T extends TokenSet>(options: RefreshingTokenOptions<T>): TokenProvider {
  checkConfiguration('refreshingToken', options, rules, ['load', 'refresh', 'save']);
  const source = new RefreshingTokenSource(options);
  return (context) => source.token(context);
}

const rules: Readonly<Record<keyof RefreshingTokenOptions, Rule>> = {
  load: ofType('function'),
  refresh: ofType('function'),
  save: ofType('function'),
  lock: ofType('function'),
  refreshBeforeMs: notNegative,
  refreshTimeoutMs: positive,
  onRefreshFailed: ofType('function'),
};

const defaultTimeoutMs = 30_000;
/** The first pause before the token set is loaded again, in milliseconds. It doubles each time. */
const firstPauseMs = 100;
/** The share of its life in which a token is refreshed: one that lives for a minute is not refreshed by every call. */
const refreshShare = 0.25;

class RefreshingTokenSource<T extends TokenSet> {
  readonly #options: RefreshingTokenOptions<T>;
  #tokens: T | undefined;
  /** A new token set that could not be saved, and the token set that it replaces. */
  #unsaved: { readonly tokens: T; readonly replaces: T } | undefined;
  #refreshing: Promise<T> | undefined;
  /** How long the last token set lived that this process has requested. */
  #lifeMs = Infinity;
  /** The token set whose grant was revoked, and the error. */
  #revoked: { readonly tokens: T; readonly error: GrantRevokedError } | undefined;
  /** The access token that the service rejected last. */
  #rejected: string | undefined;

  constructor(options: RefreshingTokenOptions<T>) {
    this.#options = options;
  }

  async token({ rejected, signal }: Parameters<TokenProvider>[0]): Promise<string> {
    const tokens = (this.#tokens ??= checkTokenSet('load', await this.#options.load()));
    this.#rejected = rejected ?? this.#rejected;
    if (tokens.accessToken === rejected || this.#unsaved || remainingMs(tokens) <= 0 || this.#isUseless(tokens)) {
      return (await this.#refreshOnce(tokens.accessToken, signal)).accessToken;
    }
    const beforeMs = Math.min(this.#options.refreshBeforeMs ?? 60_000, this.#lifeMs * refreshShare);
    if (remainingMs(tokens) <= beforeMs) this.#refreshInBackground(tokens.accessToken);
    return tokens.accessToken;
  }

  /** Of a revoked grant, an access token may still work; one that was rejected does not. */
  #isUseless(tokens: T): boolean {
    return tokens.accessToken === this.#rejected && this.#revoked !== undefined && isSame(tokens, this.#revoked.tokens);
  }

  #refreshInBackground(oldToken: string): void {
    if (this.#refreshing) return;
    this.#refreshOnce(oldToken).catch((error: unknown) => {
      ignoreErrors(() => this.#options.onRefreshFailed?.(error));
    });
  }

  /** All waiting calls share one refresh. After its time limit, the next call starts another one. */
  #refreshOnce(oldToken: string, signal?: AbortSignal): Promise<T> {
    if (this.#refreshing) return this.#refreshing;
    const limitMs = this.#options.refreshTimeoutMs ?? defaultTimeoutMs;
    const refreshing = withTimeout((own) => this.#refresh(oldToken, own), limitMs, signal).finally(() => {
      if (this.#refreshing === refreshing) this.#refreshing = undefined;
    });
    return (this.#refreshing = refreshing);
  }

  #refresh(oldToken: string, signal: AbortSignal): Promise<T> {
    const { lock, load } = this.#options;
    const work = async (): Promise<T> => {
      signal.throwIfAborted();
      const stored = checkTokenSet('load', await load());
      // Another process has stored a newer token set, which must not be overwritten.
      if (this.#unsaved && stored.accessToken !== this.#unsaved.replaces.accessToken) this.#unsaved = undefined;
      const isFresh = stored.accessToken !== oldToken && remainingMs(stored) > 0;
      if (isFresh && !this.#unsaved) return (this.#tokens = stored);
      // A new error, because each call attaches itself to its own.
      if (this.#revoked && isSame(stored, this.#revoked.tokens)) throw revokedAgain(this.#revoked.error);
      const tokens = await this.#next(stored, signal).catch((error: unknown) => this.#newerThan(stored, error, signal));
      signal.throwIfAborted();
      return (this.#tokens = tokens);
    };
    return lock ? withLock(lock, work) : work();
  }

  /**
   * Another process may have used the refresh token a moment ago, and then stores the next token set. A refresh of this
   * process may also have ended after its time limit.
   */
  async #newerThan(stored: T, error: unknown, signal: AbortSignal): Promise<T> {
    if (!(error instanceof GrantRevokedError)) throw error;
    const { lock, load, refreshTimeoutMs = defaultTimeoutMs } = this.#options;
    // Before the time limit, whose error would hide that the grant was revoked. Under a lock, others have saved already.
    const until = performance.now() + (lock ? 0 : refreshTimeoutMs * 0.9);
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      if (this.#unsaved) return this.#next(stored, signal);
      const loaded = checkTokenSet('load', await load());
      if (!isSame(loaded, stored)) return loaded;
      if (signal.aborted || performance.now() + pauseMs > until) break;
      await wait(pauseMs, signal);
    }
    this.#revoked = { tokens: stored, error };
    throw error;
  }

  /** A token set that could not be saved is saved first, because only its refresh token still works. */
  async #next(stored: T, signal: AbortSignal): Promise<T> {
    const { refresh, save } = this.#options;
    let unsaved = this.#unsaved;
    if (!unsaved) {
      unsaved = { tokens: checkRefreshed(stored, await refresh(stored, { signal })), replaces: stored };
      this.#lifeMs = remainingMs(unsaved.tokens);
      // Kept even if the time limit has passed: the next refresh saves it, unless there is another unsaved one.
      this.#unsaved ??= unsaved;
      signal.throwIfAborted();
    }
    await save(unsaved.tokens);
    if (this.#unsaved === unsaved) this.#unsaved = undefined;
    return unsaved.tokens;
  }
}

function revokedAgain({ message, cause }: GrantRevokedError): GrantRevokedError {
  return new GrantRevokedError(message, { cause });
}

function isSame(a: TokenSet, b: TokenSet): boolean {
  return a.accessToken === b.accessToken && a.refreshToken === b.refreshToken;
}

async function withLock<T extends TokenSet>(
  lock: NonNullable<RefreshingTokenOptions['lock']>,
  work: () => Promise<T>,
): Promise<T> {
  const result = (await lock(work)) as Partial<T> | undefined | null;
  if (typeof result?.accessToken === 'string') return result as T;
  throw new AccessTokenError('`lock` of refreshingToken did not return the result of the function that it was given');
}

/** Rejects when `work` takes too long or `signal` aborts, and aborts the signal that `work` receives. */
function withTimeout<R>(work: (signal: AbortSignal) => Promise<R>, limitMs: number, signal?: AbortSignal): Promise<R> {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const end = (error: Error): void => {
      controller.abort(error);
      reject(error);
    };
    const onAbort = (): void => end(signal?.reason as Error);
    const expire = (): void => {
      end(new AccessTokenError(`The refresh of the access token did not finish within ${limitMs} ms`));
    };
    const timer = setTimeout(expire, Math.min(limitMs, longestTimerMs));
    // A call that waits has a timer of its own, and a refresh that no call waits for must not keep the process alive.
    (timer as { unref?(): unknown }).unref?.();
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    work(controller.signal).then(resolve, reject).finally(settle);
    controller.signal.addEventListener('abort', settle, { once: true });
  });
}
