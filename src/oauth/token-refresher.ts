import { AccessTokenError, ClosedError, GrantRevokedError } from '../core/errors/errors.js';
import { withoutSecrets } from '../core/errors/redactor.js';
import type { TokenProvider } from '../core/options/hooks.js';
import { checkConfiguration, ofType, type Rule } from '../core/options/rules.js';
import { ignoreErrors, TimeLimit, wait } from '../core/scope/cancel-scope.js';
import { SingleFlight } from '../core/scope/single-flight.js';
import { checkRefreshed, checkTokenSet, isSame, remainingMs, times } from './tokens.js';
import type { RefreshingTokenOptions, TokenSet } from './tokens.js';

/** The `accessToken` of a client, which refreshes its token set. */
export interface RefreshingToken extends TokenProvider {
  /**
   * Waits until the refresh that has begun has saved its token set, up to 20 seconds. No other one begins.
   *
   * @throws {AccessTokenError} when it has not ended by then, or cannot be saved: then the grant may be lost.
   */
  readonly close: () => Promise<void>;
}

/**
 * Creates a token provider that refreshes its token set: in the background a minute before the token expires (in the last quarter
 * of its life, if that is less), and immediately after a 401. Any number of calls share one refresh, which may take 30 seconds. With
 * `lock`, it is also safe if several processes use the token set. Close it before the process ends.
 *
 * @example
 * const accessToken = refreshingToken({ load, refresh, save });
 * const seller = new SellerClient({ baseUrl, accessToken });
 * await accessToken.close();
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function refreshingToken<T extends TokenSet>(options: RefreshingTokenOptions<T>): RefreshingToken {
  checkConfiguration('refreshingToken', options, rules, ['load', 'refresh', 'save']);
  const refresher = new TokenRefresher(options);
  const token: TokenProvider = (context) => refresher.token(context);
  return Object.assign(token, { close: () => refresher.close() });
}

const rules: Readonly<Record<keyof RefreshingTokenOptions, Rule>> = {
  load: ofType('function'),
  refresh: ofType('function'),
  save: ofType('function'),
  lock: ofType('function'),
  onRefreshFailed: ofType('function'),
};

/** The share of its life in which a token is refreshed: one that lives for a minute is not refreshed by every call. */
const refreshShare = 0.25;

interface RefresherOptions<T extends TokenSet> extends RefreshingTokenOptions<T> {
  /** Called under the lock, when the grant of a token set turned out to be revoked. */
  readonly onRevoked?: ((tokens: T, error: GrantRevokedError) => Promise<void>) | undefined;
}

/** A new token set, and the one that it replaces. */
interface Unsaved<T extends TokenSet> {
  readonly tokens: T;
  readonly replaces: T;
}

/** The token set of one grant: what was loaded last, how it is refreshed, and what must not be lost of it. */
export class TokenRefresher<T extends TokenSet> {
  readonly #options: RefresherOptions<T>;
  /** The token set that this process has loaded or saved last. */
  #tokens: T | undefined;
  /** A new token set that could not be saved, and the token set that it replaces. */
  #unsaved: Unsaved<T> | undefined;
  readonly #refreshes = new SingleFlight<T>(times.refreshMs, refreshedTooLate);
  /** What must end before the process does, also after the time limit of a refresh. */
  readonly #running = new Set<Promise<unknown>>();
  /** How long the last token set lived that this process has requested. */
  #lifeMs = Infinity;
  /** Who has replaced the token set so far. */
  readonly #replacedBy = { us: false, others: false };
  /** The token set whose grant was revoked, and the error. */
  #revoked: { readonly tokens: T; readonly error: GrantRevokedError } | undefined;
  /** The access token that the service rejected last. */
  #rejected: string | undefined;
  #isClosed = false;

  constructor(options: RefresherOptions<T>) {
    this.#options = options;
  }

  async token({ rejected, signal }: Parameters<TokenProvider>[0]): Promise<string> {
    const tokens = this.#tokens ?? (await this.#load());
    this.#rejected = rejected ?? this.#rejected;
    if (tokens.accessToken === rejected || this.#unsaved || remainingMs(tokens) <= 0 || this.#isUseless(tokens)) {
      return (await this.#refreshOnce(tokens.accessToken, signal)).accessToken;
    }
    const beforeMs = Math.min(times.refreshBeforeMs, this.#lifeMs * refreshShare);
    if (remainingMs(tokens) <= beforeMs) this.#refreshInBackground(tokens.accessToken);
    return tokens.accessToken;
  }

  /**
   * Waits for what has begun, and saves what could not be saved. The refreshes are not aborted: their requests may have used the
   * refresh token.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await new TimeLimit(times.closeMs).run(() => Promise.allSettled(this.#running), closedTooLate);
    try {
      if (this.#unsaved) await this.#save(this.#unsaved);
    } catch (error) {
      throw this.#masked(error);
    }
  }

  /** Of a revoked grant, an access token may still work; one that was rejected does not. */
  #isUseless(tokens: T): boolean {
    return tokens.accessToken === this.#rejected && this.#revoked !== undefined && isSame(tokens, this.#revoked.tokens);
  }

  #refreshInBackground(oldToken: string): void {
    if (this.#refreshes.isUnderWay || this.#isClosed) return;
    this.#refreshOnce(oldToken).catch((error: unknown) => {
      ignoreErrors(() => this.#options.onRefreshFailed?.(error));
    });
  }

  /** All waiting calls share one refresh. After its time limit, the next call starts another one. */
  async #refreshOnce(oldToken: string, outer?: AbortSignal): Promise<T> {
    return this.#refreshes.run((signal) => this.#refresh(oldToken, signal), { outer });
  }

  async #refresh(oldToken: string, signal: AbortSignal): Promise<T> {
    const { lock } = this.#options;
    const work = (): Promise<T> => this.#refreshNow(oldToken, signal);
    try {
      return await (lock ? withLock(lock, work) : work());
    } catch (error) {
      throw this.#masked(error);
    }
  }

  /** @throws {AccessTokenError} after `close`. */
  #assertOpen(): void {
    if (!this.#isClosed) return;
    const cause = new ClosedError('The refreshing of this token was closed');
    throw new AccessTokenError('The access token has ended, and is not refreshed: it was closed', { cause });
  }

  /** Lets `close` wait for what would lose a grant if the process ended. */
  #run<R>(running: Promise<R>): Promise<R> {
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  async #refreshNow(oldToken: string, signal: AbortSignal): Promise<T> {
    // The lock may have come too late.
    signal.throwIfAborted();
    const stored = await this.#load();
    // Another process has stored a newer token set, which must not be overwritten.
    if (this.#unsaved && stored.accessToken !== this.#unsaved.replaces.accessToken) this.#unsaved = undefined;
    const isFresh = stored.accessToken !== oldToken && remainingMs(stored) > 0;
    if (isFresh && !this.#unsaved) return stored;
    if (this.#revoked && isSame(stored, this.#revoked.tokens)) {
      // A new error, because each call attaches itself to its own.
      return this.#tellRevoked(stored, revokedAgain(this.#revoked.error));
    }
    signal.throwIfAborted();
    this.#assertOpen();
    return this.#run(this.#next(stored, signal)).catch((error: unknown) => this.#newerThan(stored, error, signal));
  }

  /** What the functions of the user throw may show tokens, e.g. as the parameters of a statement. */
  #masked<E>(error: E): E {
    const known = [this.#tokens, this.#unsaved?.tokens, this.#unsaved?.replaces];
    const secrets = known.flatMap((tokens) => [tokens?.accessToken ?? '', tokens?.refreshToken ?? '']);
    return withoutSecrets(error, secrets) as E;
  }

  async #load(): Promise<T> {
    const loaded = checkTokenSet('load', await this.#options.load());
    if (this.#tokens && !isSame(loaded, this.#tokens)) this.#replacedBy.others = true;
    return (this.#tokens = loaded);
  }

  /**
   * Another process may have used the refresh token a moment ago, and then stores the next token set. A refresh of this
   * process may also have ended after its time limit.
   */
  async #newerThan(stored: T, error: unknown, signal: AbortSignal): Promise<T> {
    if (!(error instanceof GrantRevokedError)) throw error;
    const { lock } = this.#options;
    // A refresh of this process that was given up may still save its tokens.
    const isAlone = this.#replacedBy.us && !this.#replacedBy.others && this.#running.size === 0;
    // Under a lock, others have saved already.
    const until = performance.now() + (lock ? 0 : isAlone ? times.aloneMs : times.othersMs);
    for (let pauseMs = times.firstPauseMs; ; pauseMs *= 2) {
      if (this.#unsaved) return this.#save(this.#unsaved);
      const loaded = await this.#load();
      if (!isSame(loaded, stored)) return loaded;
      if (signal.aborted || performance.now() + pauseMs > until) break;
      this.#assertOpen();
      await wait(pauseMs, signal);
    }
    const told = this.#masked(error);
    this.#revoked = { tokens: stored, error: told };
    return this.#tellRevoked(stored, told);
  }

  async #tellRevoked(tokens: T, error: GrantRevokedError): Promise<never> {
    // The callback may fail; what the call has to know is why there is no token.
    await this.#run((async () => this.#options.onRevoked?.(tokens, error))()).catch(() => undefined);
    throw error;
  }

  /** A token set that could not be saved is saved first, because only its refresh token still works. */
  async #next(stored: T, signal: AbortSignal): Promise<T> {
    if (!this.#unsaved) {
      const tokens = checkRefreshed(stored, await this.#options.refresh(stored, { signal }));
      this.#lifeMs = remainingMs(tokens);
      this.#unsaved ??= { tokens, replaces: stored };
    }
    return this.#save(this.#unsaved);
  }

  /**
   * A store that fails for a moment is asked again before the lock is given back: another process would use the old refresh token,
   * which no longer works.
   */
  async #save(unsaved: Unsaved<T>): Promise<T> {
    for (let pauseMs = times.firstPauseMs; ; pauseMs *= 2) {
      try {
        return await this.#saveOnce(unsaved);
      } catch (error) {
        if (pauseMs > times.longestSavePauseMs) throw error;
        await wait(pauseMs, undefined);
      }
    }
  }

  /** Also after the time limit, unless somebody has stored others meanwhile, such as those of a new authorisation. */
  async #saveOnce(unsaved: Unsaved<T>): Promise<T> {
    const stored = await this.#load();
    const isReplaced = !isSame(stored, unsaved.replaces) || isSame(stored, unsaved.tokens);
    if (!isReplaced) await this.#options.save(unsaved.tokens);
    if (this.#unsaved === unsaved) this.#unsaved = undefined;
    if (isReplaced) return stored;
    this.#replacedBy.us = true;
    return (this.#tokens = unsaved.tokens);
  }
}

function closedTooLate(): AccessTokenError {
  return new AccessTokenError(
    `A refresh of the access token has not ended ${times.closeMs} ms after it was closed: if its request was carried out, the grant is lost, and the seller has to authorise again`,
  );
}

function refreshedTooLate(limitMs: number): AccessTokenError {
  return new AccessTokenError(`The refresh of the access token did not finish within ${limitMs} ms`);
}

function revokedAgain({ message, cause }: GrantRevokedError): GrantRevokedError {
  return new GrantRevokedError(message, { cause });
}

async function withLock<T extends TokenSet>(
  lock: NonNullable<RefreshingTokenOptions['lock']>,
  work: () => Promise<T>,
): Promise<T> {
  const result = (await lock(work)) as Partial<T> | undefined | null;
  if (typeof result?.accessToken === 'string') return result as T;
  throw new AccessTokenError('`lock` of refreshingToken did not return the result of the function that it was given');
}
