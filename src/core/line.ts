import { TokenSource } from './access-token.js';
import { RetryBudget } from './budget.js';
import { Pace } from './pace.js';
import type { Settings } from './settings.js';

/** So many paces of tokens that single calls brought along are kept before those at rest are forgotten. */
const mostPaces = 500;

/** What all clients of one host and token share: the token, the pace, the retry budget, the order of calls. */
export class Line {
  readonly tokens: TokenSource | undefined;
  readonly budget = new RetryBudget();
  readonly #baseUrl: string;
  readonly #accessToken: Settings['accessToken'];
  readonly #pace = new Pace();
  readonly #others = new Map<string | null, Pace>();
  #turns = 0;

  constructor({ baseUrl, accessToken, timeoutMs }: Settings) {
    this.#baseUrl = baseUrl;
    this.#accessToken = accessToken;
    this.tokens = accessToken === undefined ? undefined : new TokenSource(accessToken, timeoutMs);
  }

  /** Whether a client with these settings talks to the same host with the same token. */
  serves({ baseUrl, accessToken }: Settings): boolean {
    return baseUrl === this.#baseUrl && accessToken === this.#accessToken;
  }

  /** The place of a call in the queue, kept through its repeats. */
  nextTurn(): number {
    return (this.#turns += 1);
  }

  /** The pace of the client's own token, or of one that a single call brings along. */
  paceOf(token: string | null | undefined): Pace {
    if (token === undefined || token === this.#accessToken) return this.#pace;
    let pace = this.#others.get(token);
    if (!pace) {
      if (this.#others.size >= mostPaces) this.#forgetIdle();
      this.#others.set(token, (pace = new Pace()));
    }
    return pace;
  }

  #forgetIdle(): void {
    for (const [token, pace] of this.#others) if (pace.isIdle) this.#others.delete(token);
  }
}
