import type { ErrorInBody } from '../operation/documented-error.js';
import type { MultipartBody } from '../files/upload.js';
import { ignoreErrors } from '../scope/ignore-errors.js';
import { emitAttemptResult } from '../options/events.js';
import type { AdaptiveLimit } from '../limits/adaptive-limit.js';
import type { WriteOutcome } from '../recover/next-step.js';
import type { BodyText, OutgoingRequest, Transport, TransportResponse } from '../transport/transport.js';
import { exchangeOnce } from './exchange.js';
import { errorInBody, isOk } from '../response/parse-response.js';
import type { BufferedResponse } from '../response/parse-response.js';
import { secretsOf } from '../request/built-request.js';
import type { RequestContext } from './request-context.js';
import { reportToLimiter, waitForTurn } from './wait-for-turn.js';

/** An attempt that got a response. */
export interface AttemptResponse {
  readonly kind: 'response';
  readonly response: BufferedResponse;
  /** The error in the body of a success. */
  readonly errorInBody?: ErrorInBody | undefined;
  /** The unread body of a download. */
  readonly download?: TransportResponse | undefined;
}

/** An attempt that got no complete response. */
export interface AttemptError {
  readonly kind: 'error';
  readonly error: unknown;
  /** Whether the request had been sent. */
  readonly sent: boolean;
  /** Whether a response had begun to arrive. */
  readonly hasResponded: boolean;
  /** The status of the response whose body was lost. */
  readonly status?: number | undefined;
}

export type AttemptResult = AttemptResponse | AttemptError;

/**
 * Sends a request once, when its turn has come, and reads the response, both within `timeoutMs`. For an upload,
 * `timeoutMs` limits the time between two chunks, because the duration of the whole upload depends on the size of the
 * file.
 */
export class RequestAttempt {
  /** What was known of the attempts before. */
  readonly earlier: WriteOutcome;
  /** The limit that its 429 is about; `undefined` without a 429, or if it is random. */
  limit: AdaptiveLimit | undefined;
  /** Whether the write was read back after it. */
  isConfirmed = false;
  readonly #context: RequestContext;
  readonly #send: Transport;
  readonly #controller = new AbortController();
  /** How many requests were sent. A middleware can send several. */
  #sends = 0;
  #hasResponded = false;
  #received: TransportResponse | undefined;
  #multipart: MultipartBody | undefined;

  constructor(context: RequestContext, send: Transport) {
    this.#context = context;
    this.#send = send;
    this.earlier = context.outcome;
  }

  /** Waits for the limiters, sends the request, and reports to them how it ended. */
  async run(): Promise<AttemptResult> {
    const context = this.#context;
    const { rateLimiter, maxInFlight, runtime } = context;
    if (runtime.options.limiter || !rateLimiter.tryAcquire(maxInFlight)) await waitForTurn(context);
    const sentAt = context.beginAttempt();
    let result: AttemptResult | undefined;
    try {
      return (result = await this.#execute());
    } finally {
      this.#release(result, sentAt);
    }
  }

  #release(result: AttemptResult | undefined, sentAt: number): void {
    const context = this.#context;
    const { limiter } = context.runtime.options;
    const received = result?.kind === 'response' ? result : undefined;
    const status = received?.errorInBody?.status ?? received?.response.status;
    const says = status === undefined || status >= 500 ? 'other' : status === 429 ? 'throttled' : 'accepted';
    this.limit = context.rateLimiter.release(says, sentAt, context.maxInFlight);
    if (limiter) reportToLimiter(limiter, context, status, received?.response);
    if (context.emit) emitAttemptResult(context, received?.response, sentAt, secretsOf(context));
  }

  /** Pauses the calls that its 429 concerns. */
  pauseAll(ms: number | undefined): void {
    if (ms !== undefined) this.#context.rateLimiter.pauseFor(ms, this.limit);
  }

  async #execute(): Promise<AttemptResult> {
    const { scope, timeoutMs } = this.#context;
    try {
      return await scope.race(
        (restartTimeout) => this.#exchange(restartTimeout),
        (error) => this.#controller.abort(error),
        timeoutMs,
      );
    } catch (error) {
      return this.#failed(error);
    } finally {
      this.#multipart?.close();
    }
  }

  async #exchange(restartTimeout: () => void): Promise<AttemptResponse> {
    const { request, options, loaded } = this.#context;
    this.#multipart = await loaded.upload?.build((progress) => {
      restartTimeout();
      ignoreErrors(() => options.onUploadProgress?.(progress));
    });
    const response = await (loaded.exchange
      ? exchangeOnce(loaded.exchange, request.url, (body) => this.#receive(body))
      : this.#receive(this.#multipart?.body ?? request.body));
    if (!isOk(response.status)) return { kind: 'response', response };
    if (request.endpoint.responseBody === 'stream') return { kind: 'response', response, download: this.#received };
    return { kind: 'response', response, errorInBody: errorInBody(request.endpoint, response) };
  }

  async #receive(body: OutgoingRequest['body']): Promise<BufferedResponse> {
    const { request, runtime } = this.#context;
    const { signal } = this.#controller;
    const received = (this.#received = await this.#send(this.#outgoing(body)));
    if (signal.aborted) {
      // A `fetch` that ignores its signal may respond after the attempt has ended.
      received.discard?.();
      throw signal.reason;
    }
    // If the file could not be read completely, that is the reason of the failure, whatever the service responded.
    const uploadError = this.#multipart?.failure();
    if (uploadError) throw uploadError;
    const hasArrived = isOk(received.status);
    if (hasArrived) this.#multipart?.onArrival();
    if (hasArrived && request.endpoint.responseBody === 'stream') return buffered(received);
    return buffered(received, await received.text(runtime.options.maxResponseBytes));
  }

  #outgoing(body: OutgoingRequest['body']): OutgoingRequest {
    const { request, runtime, token, attempts, info, timeoutMs, loaded } = this.#context;
    const { endpoint, url, isSecretHeader } = request;
    const headers: Record<string, string> = { ...request.headers, ...this.#multipart?.headers };
    if (runtime.userAgent !== undefined) headers['user-agent'] ??= runtime.userAgent;
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    return {
      endpoint,
      attempt: attempts,
      call: info,
      url,
      headers,
      body,
      followRedirects: loaded.downloads?.redirectFollower(headers, isSecretHeader),
      timeoutMs,
      signal: this.#controller.signal,
      onSend: () => {
        this.#sends += 1;
        // Until the attempt has ended, nothing else is known of it.
        if (endpoint.retry !== 'safe') this.#context.outcome = 'unknown';
      },
      onHold: () => {
        this.#sends -= 1;
        if (this.#sends === 0) this.#context.outcome = this.earlier;
      },
      isSent: () => this.#sends > 0,
      onResponse: () => {
        this.#hasResponded = true;
      },
    };
  }

  #failed(error: unknown): AttemptResult {
    const received = this.#received;
    const uploadError = this.#multipart?.failure();
    // The service did not receive the end of the file, so it cannot have stored the file.
    if (uploadError) return { kind: 'error', error: uploadError, sent: false, hasResponded: this.#hasResponded };
    // The status decides the class of an error, even if the body was lost.
    if (received && !isOk(received.status) && error !== this.#context.scope.reason)
      return { kind: 'response', response: buffered(received) };
    return { kind: 'error', error, sent: this.#sends > 0, hasResponded: this.#hasResponded, status: received?.status };
  }
}

/** Whether an attempt succeeded: its status is a success, and its body contains no error. */
export function hasSucceeded(result: AttemptResult): result is AttemptResponse {
  return result.kind === 'response' && isOk(result.response.status) && !result.errorInBody;
}

const noBody: BodyText = { text: '', isTruncated: false };

function buffered({ status, headers }: TransportResponse, { text, isTruncated } = noBody): BufferedResponse {
  return { status, headers, text, isTruncated };
}
