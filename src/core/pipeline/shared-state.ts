import { TokenSource } from '../auth/token-source.js';
import { RecentWrites } from '../confirm/recent-writes.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { RateLimiter } from '../rate-limit/rate-limiter.js';
import { RateLimiters } from '../rate-limit/rate-limiters.js';
import { RetryBudget } from '../retry/budget.js';

/**
 * What all clients of one host and token share: the token, the retry budget and the recent writes. With the clients of
 * other tokens that are derived from the same one, they share the rate limiters and the order of calls.
 */
export class SharedState {
  readonly tokens: TokenSource | undefined;
  readonly budget = new RetryBudget();
  readonly writes = new RecentWrites();
  readonly #baseUrl: string;
  readonly #accessToken: ResolvedOptions['accessToken'];
  readonly #rateLimiters: RateLimiters;
  readonly #rateLimitersByOrigin: Map<string, RateLimiters>;

  /** `parent` is the state of the client from which this one is derived. */
  constructor({ baseUrl, accessToken, timeoutMs }: ResolvedOptions, parent?: SharedState) {
    this.#baseUrl = baseUrl;
    this.#accessToken = accessToken;
    this.tokens = accessToken === undefined ? undefined : new TokenSource(accessToken, timeoutMs);
    this.#rateLimitersByOrigin = parent ? parent.#rateLimitersByOrigin : new Map<string, RateLimiters>();
    const { origin } = new URL(baseUrl);
    this.#rateLimiters = this.#rateLimitersByOrigin.get(origin) ?? new RateLimiters();
    this.#rateLimitersByOrigin.set(origin, this.#rateLimiters);
  }

  /** Whether a client with these options calls the same host with the same token. */
  isFor({ baseUrl, accessToken }: ResolvedOptions): boolean {
    return baseUrl === this.#baseUrl && accessToken === this.#accessToken;
  }

  /** Returns the sequence number of a new call. */
  nextSequence(): number {
    return this.#rateLimiters.nextSequence();
  }

  /** Returns the rate limiter of the client's token, or of the token that a call passes; `null` is none. */
  rateLimiterFor(token: string | null | undefined): RateLimiter {
    return this.#rateLimiters.of(token === undefined ? this.#accessToken : (token ?? undefined));
  }
}
