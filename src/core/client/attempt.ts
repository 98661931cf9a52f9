import { redactorOf } from '../errors/redactor.js';
import { isSecretHeader } from '../errors/secrets.js';
import type { MultipartBody } from '../files/upload.js';
import { emitAttemptResult } from '../options/events.js';
import type { AttemptResult } from '../recover/failure.js';
import { BufferedResponse, isOk } from '../response/body.js';
import { errorInBody } from '../response/error-in-body.js';
import { ignoreErrors } from '../scope/wait.js';
import type {
  RequestDelivery,
  Exchange,
  OutgoingRequest,
  Transport,
  TransportResponse,
} from '../transport/transport.js';
import type { ClientCall } from './call.js';
import { exchangeOnce } from './loaded-parts.js';
import { releaseThrottled, reportToLimiter, waitForTurn } from './wait-for-turn.js';

/**
 * Sends a request once, when its turn has come, and reads the response, both within `timeoutMs`. For an upload,
 * `timeoutMs` limits the time between two chunks, because the duration of the whole upload depends on the size of the
 * file.
 */
export class RequestAttempt {
  /** Whether it got a 429 for which all calls of its queue wait. */
  isQueueThrottled = false;
  readonly #call: ClientCall;
  readonly #transport: Transport;
  readonly #controller = new AbortController();
  #exchange: Exchange | undefined;
  #received: TransportResponse | undefined;
  #form: MultipartBody | undefined;

  constructor(call: ClientCall, transport: Transport) {
    this.#call = call;
    this.#transport = transport;
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
    if (runtime.options.limiter || !turnQueue.tryAcquire()) await waitForTurn(this.#call);
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
    if (response) this.#learnTime(response, sentAt);
    if (limiter) reportToLimiter(limiter, call, status, response);
    if (response && status === 429) this.isQueueThrottled = releaseThrottled(call, response, sentAt);
    else call.turnQueue.release(status === undefined || status >= 500 ? 'other' : 'accepted', sentAt);
    if (call.emit) emitAttemptResult(call, response, sentAt, redactorOf(call));
  }

  #learnTime({ headers }: BufferedResponse, sentAt: number): void {
    const { shared, options } = this.#call.runtime;
    // A `fetch` of the user may return any headers, and a logger may throw.
    ignoreErrors(() =>
      shared.writes.clock.observe(Date.now() - (performance.now() - sentAt), headers, (aheadMs) =>
        options.logger?.warn(toldOf(aheadMs, options.baseUrl)),
      ),
    );
  }

  async #readResponse(restartTimeout: () => void): Promise<AttemptResult> {
    const { request, options, loaded, turn } = this.#call;
    const { endpoint } = request;
    if (turn) await turn.beforeSend();
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
    return (this.#exchange = this.#transport(outgoing)).response;
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
