import { TokenSource } from '../auth/token-source.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { RetryBudget } from '../retry/budget.js';
import { RecentWrites } from '../confirm/recent-writes.js';

/** Idle rate limiters are dropped when there are this many. Each token that a call passes has its own. */
const maxRateLimiters = 500;

/**
 * What all clients of one host and token share: the token, the rate limiter, the retry budget and the order of calls.
 */
export class SharedState {
  readonly tokens: TokenSource | undefined;
  readonly budget = new RetryBudget();
  readonly writes = new RecentWrites();
  readonly #baseUrl: string;
  readonly #accessToken: ResolvedOptions['accessToken'];
  readonly #rateLimiter = new RateLimiter();
  readonly #rateLimitersByToken = new Map<string | null, RateLimiter>();
  #sequence = 0;

  constructor({ baseUrl, accessToken, timeoutMs }: ResolvedOptions) {
    this.#baseUrl = baseUrl;
    this.#accessToken = accessToken;
    this.tokens = accessToken === undefined ? undefined : new TokenSource(accessToken, timeoutMs);
  }

  /** Whether a client with these options calls the same host with the same token. */
  isFor({ baseUrl, accessToken }: ResolvedOptions): boolean {
    return baseUrl === this.#baseUrl && accessToken === this.#accessToken;
  }

  /** Returns the sequence number of a new call. */
  nextSequence(): number {
    return (this.#sequence += 1);
  }

  /** Returns the rate limiter of the client's token, or of the token that a call passes. */
  rateLimiterFor(token: string | null | undefined): RateLimiter {
    if (token === undefined || token === this.#accessToken) return this.#rateLimiter;
    let rateLimiter = this.#rateLimitersByToken.get(token);
    if (!rateLimiter) {
      if (this.#rateLimitersByToken.size >= maxRateLimiters) this.#dropIdle();
      this.#rateLimitersByToken.set(token, (rateLimiter = new RateLimiter()));
    }
    return rateLimiter;
  }

  #dropIdle(): void {
    for (const [token, rateLimiter] of this.#rateLimitersByToken)
      if (rateLimiter.isIdle) this.#rateLimitersByToken.delete(token);
  }
}
