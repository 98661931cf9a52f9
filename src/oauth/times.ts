/** How long a request for tokens may take, in milliseconds. Connecting may take 10 seconds of it. */
const requestMs = 15_000;
/** How long a refresh may take with its lock and its retries: two requests that hang. After it, the next call tries again. */
const refreshMs = 2 * requestMs;

/** All times of a token, in milliseconds: many are longer or shorter than another one, and each says why. */
export const times = {
  requestMs,
  /** The first pause before a request is sent again that certainly did nothing. It doubles each time. */
  firstRetryMs: 250,
  /** A longer `Retry-After` is an error at once. */
  longestRetryAfterMs: 20_000,
  refreshMs,
  /** How long before its expiry a token is refreshed in the background: longer than a refresh may take. */
  refreshBeforeMs: 2 * refreshMs,
  /** How long `close` waits: longer than a request may take, shorter than a platform waits before it kills. */
  closeMs: requestMs + 5_000,
  /** The first pause before a token set is loaded or saved again. It doubles each time. */
  firstPauseMs: 100,
  /** The last pause before it is saved again: after about six seconds. */
  longestSavePauseMs: 3_200,
  /** How long it is loaded again where there may be another process: less than a refresh may take, whose error would hide why. */
  othersMs: refreshMs - 3_000,
  /** The same where only this process has replaced the token set so far. */
  aloneMs: 2_000,
  /**
   * How long a lock lasts whose process is perhaps there: as long as a refresh that waits for its last moment, and then sends a
   * request, so that no second one begins beside it.
   */
  lockMs: refreshMs + requestMs,
  lockPollMs: 25,
  /** How long a refresh waits for the lock of another one: less than it may take, whose error would not say who holds the lock. */
  lockWaitMs: refreshMs - 10_000,
  /** How long after a first 401 a second one shows that an access token has ended: the first may be a fault of the service. */
  secondRejectionMs: 60_000,
  /** How long an authorisation may take: a person logs in, and agrees. */
  loginMs: 3_600_000,
};
