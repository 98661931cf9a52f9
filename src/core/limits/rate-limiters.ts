import { ApplicationLimit } from './application-limit.js';
import { RateLimiter } from './rate-limiter.js';

/** Idle rate limiters are dropped when there are this many. Each token has its own. */
const maxRateLimiters = 500;

/** The rate limiters of an application at one service: one for each token. */
export class RateLimiters {
  readonly #application = new ApplicationLimit();
  readonly #byToken = new Map<unknown, RateLimiter>();
  #mostBeforeDrop = maxRateLimiters;

  /** Returns the rate limiter of a token, or of the function that returns it. */
  of(token: unknown): RateLimiter {
    let rateLimiter = this.#byToken.get(token);
    if (!rateLimiter) {
      if (this.#byToken.size >= this.#mostBeforeDrop) this.#dropIdle();
      this.#byToken.set(token, (rateLimiter = new RateLimiter(this.#application)));
    }
    return rateLimiter;
  }

  #dropIdle(): void {
    for (const [token, rateLimiter] of this.#byToken) if (rateLimiter.isIdle) this.#byToken.delete(token);
    // Otherwise each new token would search all that are in use.
    this.#mostBeforeDrop = Math.max(maxRateLimiters, 2 * this.#byToken.size);
  }
}
