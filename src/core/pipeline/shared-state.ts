import { TokenSource } from '../auth/token-source.js';
import { RetryBudget } from '../retry/budget.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import type { ResolvedOptions } from '../options/resolve-options.js';

/** So many paces of tokens that single calls brought along are kept before those at rest are forgotten. */
const mostPaces = 500;

/** What all clients of one host and token share: the token, the pace, the retry budget, the order of calls. */
export class SharedState {
  readonly tokens: TokenSource | undefined;
  readonly budget = new RetryBudget();
  readonly #baseUrl: string;
  readonly #accessToken: ResolvedOptions['accessToken'];
  readonly #pace = new RateLimiter();
  readonly #others = new Map<string | null, RateLimiter>();
  #turns = 0;

  constructor({ baseUrl, accessToken, timeoutMs }: ResolvedOptions) {
    this.#baseUrl = baseUrl;
    this.#accessToken = accessToken;
    this.tokens = accessToken === undefined ? undefined : new TokenSource(accessToken, timeoutMs);
  }

  /** Whether a client with these settings talks to the same host with the same token. */
  isFor({ baseUrl, accessToken }: ResolvedOptions): boolean {
    return baseUrl === this.#baseUrl && accessToken === this.#accessToken;
  }

  /** The place of a call in the queue, kept through its repeats. */
  nextSequence(): number {
    return (this.#turns += 1);
  }

  /** The pace of the client's own token, or of one that a single call brings along. */
  rateLimiterFor(token: string | null | undefined): RateLimiter {
    if (token === undefined || token === this.#accessToken) return this.#pace;
    let pace = this.#others.get(token);
    if (!pace) {
      if (this.#others.size >= mostPaces) this.#forgetIdle();
      this.#others.set(token, (pace = new RateLimiter()));
    }
    return pace;
  }

  #forgetIdle(): void {
    for (const [token, pace] of this.#others) if (pace.isIdle) this.#others.delete(token);
  }
}
