import { ConnectionError } from '../errors/errors.js';
import { isSecretHeader, redactorOf, redactUrl } from '../errors/redactor.js';
import { RateLimitError } from '../errors/response-errors.js';
import { parseRetryAfter } from '../errors/response-headers.js';
import { SellerError } from '../errors/seller-error.js';
import type { MultipartBody } from '../files/upload.js';
import { groupOf, type AcquireRejection } from '../limits/limits.js';
import type { LimiterAttempt, Limiter } from '../options/client-options.js';
import { emitAttemptResult, emitWait } from '../options/hooks.js';
import type { AttemptResult } from '../recover/failure.js';
import { userOf } from '../recover/token-source.js';
import { BufferedResponse, errorInBody } from '../response/body.js';
import { warningOf } from '../response/read-error.js';
import { ignoreErrors, type CancelScope } from '../scope/cancel-scope.js';
import { isOk, type Exchange, type OutgoingRequest } from '../transport/transport.js';
import type { RequestDelivery, TransportResponse } from '../transport/transport.js';
import { exchangeOnce, type ClientCall } from './call.js';

/**
 * Sends a request once, when its turn has come, and reads the response, both within `timeoutMs`. For an upload,
 * `timeoutMs` limits the time between two chunks, because the duration of the whole upload depends on the size of the
 * file.
 */
export class RequestAttempt {
  /** Whether it got a 429 for which all calls of its queue wait. */
  isQueueThrottled = false;
  readonly #call: ClientCall;
  readonly #controller = new AbortController();
  #exchange: Exchange | undefined;
  #received: TransportResponse | undefined;
  #form: MultipartBody | undefined;

  constructor(call: ClientCall) {
    this.#call = call;
  }

  /** Whether the request may have reached the service, as far as is known now. */
  get delivery(): RequestDelivery {
    return this.#exchange?.delivery ?? 'never';
  }

  /** Closes the connection, whose responses do not belong to its requests. */
  dropConnection(): void {
    this.#received?.drop?.();
  }

  /** Waits for the limiters, sends the request, and reports to them how it ended. */
  async run(): Promise<AttemptResult> {
    const { turnQueue, runtime, scope, timeoutMs } = this.#call;
    const { limiter } = runtime.options;
    if (!turnQueue.tryAcquire()) await waitInTurnQueue(this.#call, this.#call.attempts > 0);
    if (limiter) await waitForLimiter(limiter, this.#call);
    const sentAt = this.#call.begin(this);
    let result: AttemptResult | undefined;
    try {
      result = await scope.race(
        (restartTimeout) => this.#readResponse(restartTimeout),
        (error) => this.#controller.abort(error),
        timeoutMs,
      );
    } catch (error) {
      result = this.#failed(error);
    } finally {
      this.#form?.close();
      this.#release(result, sentAt);
    }
    return result;
  }

  #release(result: AttemptResult | undefined, sentAt: number): void {
    const call = this.#call;
    const { limiter } = call.runtime.options;
    const response = result?.response;
    const status = result?.errorInBody?.status ?? response?.status;
    if (response) this.#learn(response, sentAt);
    if (limiter) reportToLimiter(limiter, call, status, response);
    if (response && status === 429) this.isQueueThrottled = releaseThrottled(call, response, sentAt);
    else call.turnQueue.release(status === undefined || status >= 500 ? 'other' : 'accepted', sentAt);
    if (call.emit) emitAttemptResult(call, response, sentAt, redactorOf(call));
  }

  /** What the headers of any response say beside the call: the time of the service, and the end of the endpoint. */
  #learn({ headers }: BufferedResponse, sentAt: number): void {
    const { shared, options, notices } = this.#call.runtime;
    const { logger } = options;
    // A `fetch` of the user may return any headers, and a logger may throw.
    ignoreErrors(() =>
      shared.writes.clock.observe(Date.now() - (performance.now() - sentAt), headers, (aheadMs) =>
        logger?.warn(toldOf(aheadMs, options.baseUrl)),
      ),
    );
    const { endpoint } = this.#call.request;
    if (logger)
      ignoreErrors(() => notices.observe(endpoint, headers, (text) => logger.warn(text, { endpoint: endpoint.name })));
  }

  async #readResponse(restartTimeout: () => void): Promise<AttemptResult> {
    const { request, options, loaded, decision } = this.#call;
    const { endpoint } = request;
    if (decision) await decision.beforeSend();
    if (loaded.upload)
      this.#form = await loaded.upload.build((progress) => {
        restartTimeout();
        ignoreErrors(() => options.onUploadProgress?.(progress));
      });
    const response = await (loaded.exchange
      ? exchangeOnce(loaded.exchange, request.url, (body) => this.#receive(body))
      : this.#receive(this.#form?.body ?? request.body));
    if (!isOk(response.status)) return { delivery: 'maybe', response };
    if (endpoint.responseBody === 'stream')
      return { delivery: 'maybe', isSuccess: true, response, download: this.#received };
    const inBody = errorInBody(endpoint, response);
    if (inBody) return { delivery: 'maybe', response, errorInBody: inBody };
    return { delivery: 'maybe', isSuccess: true, response };
  }

  async #receive(body: OutgoingRequest['body']): Promise<BufferedResponse> {
    const { request, runtime } = this.#call;
    const { maxResponseBytes, tracing } = runtime.options;
    const { signal } = this.#controller;
    const outgoing = this.#outgoing(body);
    const received = (this.#received = await (tracing?.wrapAttempt
      ? tracing.wrapAttempt(outgoing, async () => this.#open(outgoing))
      : this.#open(outgoing)));
    if (signal.aborted) {
      // A `fetch` that ignores its signal may respond after the attempt has ended.
      received.discard?.();
      throw signal.reason;
    }
    // If the file could not be read completely, that is the reason of the failure, whatever the service responded.
    const uploadError = this.#form?.failure();
    if (uploadError) throw uploadError;
    const hasArrived = isOk(received.status);
    if (hasArrived) this.#form?.onArrival();
    if (hasArrived && request.endpoint.responseBody === 'stream') return new BufferedResponse(received);
    const { text, isTruncated } = await received.text(maxResponseBytes);
    return new BufferedResponse(received, text, isTruncated);
  }

  #open(outgoing: OutgoingRequest): Promise<TransportResponse> {
    // Tracing may be late: the attempt has ended, and the request may have been sent again.
    outgoing.signal.throwIfAborted();
    return (this.#exchange = this.#call.runtime.transport(outgoing)).response;
  }

  #outgoing(body: OutgoingRequest['body']): OutgoingRequest {
    const { request, runtime, token, attempts, info, timeoutMs, loaded } = this.#call;
    const { endpoint, url } = request;
    const headers: Record<string, string> = { ...request.headers, ...this.#form?.headers };
    if (runtime.userAgent !== undefined) headers['user-agent'] ??= runtime.userAgent;
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const redirects = loaded.downloads?.redirectsOf(headers, isSecretHeader);
    const { signal } = this.#controller;
    return { endpoint, attempt: attempts, call: info, url, headers, body, redirects, timeoutMs, signal };
  }

  #failed(error: unknown): AttemptResult {
    const received = this.#received;
    const uploadError = this.#form?.failure();
    // The service did not receive the end of the file, so it cannot have stored the file.
    if (uploadError) return { delivery: 'never', error: uploadError };
    // The status decides the class of an error, even if the body was lost.
    if (received && !isOk(received.status) && error !== this.#call.scope.reason)
      return { delivery: 'maybe', response: new BufferedResponse(received) };
    return { delivery: this.delivery, error, status: received?.status };
  }
}

/** The line of a log that says that two clocks differ. */
function toldOf(aheadMs: number, baseUrl: string): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  return `The clock of this machine is ${seconds} s ${where} that of ${new URL(baseUrl).origin}. Set it: otherwise less can be proved of a write whose response is lost`;
}

/** Waits for the user's limiter, with a place in the queue: last, just before the attempt is sent. */
async function waitForLimiter(limiter: Limiter, call: ClientCall): Promise<void> {
  const { turnQueue, scope } = call;
  const next = limitedAttempt(call, call.attempts + 1);
  for (;;) {
    try {
      await acquireLimiter(limiter, next, scope);
    } catch (error) {
      turnQueue.giveBack();
      throw error;
    }
    if (turnQueue.pausedMs === 0) return;
    // A pause began meanwhile. Nothing is held during it.
    turnQueue.giveBack();
    releaseLimiter(limiter, next);
    await waitInTurnQueue(call, true);
  }
}

/**
 * Waits for a place in the queue of the call, which has none.
 *
 * @throws {RateLimitError} when the service asked the seller to wait for longer than `maxRetryDelayMs`, or has responded
 * only 429 for as long as the retries of the call would take.
 */
async function waitInTurnQueue(call: ClientCall, isRetry: boolean): Promise<void> {
  const { turnQueue, scope, startedAt, maxRetries, runtime } = call;
  const rejection = await turnQueue.acquire(scope, {
    isRetry,
    startedAt,
    maxRetries,
    maxPauseMs: runtime.options.maxRetryDelayMs,
    onWait: (waitMs) => emitWait(call, waitMs, 'rate limit'),
  });
  if (rejection) throw notSentError(call, rejection);
}

/** Reports the result of an attempt to the user's limiter. */
function reportToLimiter(
  limiter: Limiter,
  call: ClientCall,
  status: number | undefined,
  response: BufferedResponse | undefined,
): void {
  const retryAfterMs = response && parseRetryAfter(response.headers, Date.now());
  releaseLimiter(limiter, limitedAttempt(call, call.attempts), status, retryAfterMs);
}

/**
 * Gives back the place of an attempt that got a 429.
 *
 * @returns whether all calls of its queue wait.
 */
function releaseThrottled(call: ClientCall, { headers }: BufferedResponse, sentAt: number): boolean {
  const { turnQueue, maxRetries, faultRetries, runtime } = call;
  const isEvent = turnQueue.release('throttled', sentAt, {
    retryAfterMs: parseRetryAfter(headers, Date.now()),
    isLast: faultRetries >= Math.max(maxRetries, 1),
    doublings: Math.max(0, maxRetries - 1),
    maxPauseMs: runtime.options.maxRetryDelayMs,
  });
  // After the row of 429s has begun to which it belongs.
  call.throttledAt.push(performance.now());
  return isEvent;
}

function limitedAttempt(call: ClientCall, attempt: number): LimitedAttempt {
  const { endpoint, baseUrl } = call.info;
  const user = userOf(endpoint, call.request.input, call.token);
  return { endpoint, attempt, host: new URL(baseUrl).host, user, ...groupOf(endpoint) };
}

/** An attempt that needs the permission of a limiter. */
type LimitedAttempt = Omit<LimiterAttempt, 'signal'>;

/** Waits until the user's limiter permits the attempt. The deadline and the signal of the call end the wait. */
async function acquireLimiter(limiter: Limiter, attempt: LimitedAttempt, scope: CancelScope): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  let permission: Promise<void> | undefined;
  try {
    await scope.race(
      () => (permission = (async () => limiter.acquire({ ...attempt, signal }))()),
      (error) => controller.abort(error),
    );
  } catch (error) {
    // A limiter that ignores the signal may permit the attempt later, although it is no longer sent.
    if (error === scope.reason)
      permission?.then(
        () => releaseLimiter(limiter, attempt),
        () => undefined,
      );
    if (error instanceof SellerError) throw error;
    const { method, path } = attempt.endpoint;
    const message = `${method} ${path} was not sent: the limiter rejected it; see \`cause\``;
    throw new ConnectionError(message, { cause: error, attempts: attempt.attempt - 1 });
  }
}

/** Reports the result of an attempt to the user's limiter. Without a report, the attempt was not sent. */
function releaseLimiter(limiter: Limiter, attempt: LimitedAttempt, status?: number, retryAfterMs?: number): void {
  ignoreErrors(() => limiter.release?.({ ...attempt, status, retryAfterMs }));
}

/** The error of a call that is not sent because of the 429s of other calls. */
function notSentError(call: ClientCall, { reason, retryAfterMs }: AcquireRejection): RateLimitError {
  const { request, attempts, outcomeUnknown } = call;
  const { endpoint } = request;
  const seconds = retryAfterMs === undefined ? undefined : String(Math.ceil(retryAfterMs / 1000));
  const why =
    reason === 'exhausted'
      ? 'the service has responded with a 429 to all calls for as long as its retries would take'
      : `after a 429 the service asked to wait, for ${seconds} s more`;
  const what = `${endpoint.method} ${endpoint.path} was not sent${attempts > 0 ? ' again' : ''}`;
  return new RateLimitError(`${what}: ${why}${warningOf(endpoint, false, outcomeUnknown)}`, {
    status: 429,
    headers: new Headers(seconds === undefined ? {} : { 'retry-after': seconds }),
    body: undefined,
    url: redactUrl(request.url),
    endpoint,
    attempts,
    causes: [],
    retryAfterMs,
    outcomeUnknown,
  });
}
