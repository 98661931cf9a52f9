import { redactUrl } from '../errors/redactor.js';
import { requestIdOf } from '../errors/response-errors.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import type { openDownload, redirectsOf } from '../files/open-download.js';
import type { Upload } from '../files/upload.js';
import type { TurnQueue } from '../limits/limits.js';
import type { ResponseInfo, WithResponse } from '../operation/api-promise.js';
import type { EndpointExchange } from '../operation/endpoint.js';
import type { Emit } from '../options/events.js';
import type { CallInfo } from '../options/hooks.js';
import { BookView } from '../recover/book-view.js';
import { RememberedWrite } from '../recover/memory-book.js';
import type { CallState, WriteOutcome } from '../recover/next-step.js';
import type { WriteResult, WriteTurn } from '../recover/write-hook.js';
import type { BuiltRequest } from '../request/built-request.js';
import type { InternalOptions } from '../scope/call-options.js';
import { CancelScope } from '../scope/cancel-scope.js';
import type { RequestDelivery } from '../transport/transport.js';
import type { ClientRuntime } from './client-runtime.js';

/** What a call needs beyond JSON. It is loaded before the first attempt, because other calls do not need it. */
export interface LoadedParts {
  /** The opened file of a multipart body. */
  readonly upload?: Upload | undefined;
  /** The module that reads downloads. */
  readonly downloads?: { openDownload: typeof openDownload; redirectsOf: typeof redirectsOf } | undefined;
  /** The exchange of the endpoint. */
  readonly exchange?: EndpointExchange | undefined;
}

/** What is known of the response to a call. */
interface Received extends Omit<ResponseInfo, 'headers' | 'requestId'> {
  readonly headers: ResponseHeaders;
}

/** The result of a call. Its response is described on use, because few callers need it. */
export class CallResult implements WithResponse<unknown> {
  readonly data: unknown;
  readonly received: Received;

  constructor(data: unknown, received: Received) {
    this.data = data;
    this.received = received;
  }

  get response(): ResponseInfo {
    const { headers, url, ...others } = this.received;
    const requestId = requestIdOf(headers);
    return {
      ...others,
      url: redactUrl(url),
      requestId,
      get headers() {
        return headers.toHeaders();
      },
    };
  }
}

/** The state of one call, which all its attempts share. */
export class ClientCall {
  readonly request: BuiltRequest;
  readonly options: InternalOptions;
  readonly runtime: ClientRuntime;
  readonly scope: CancelScope;
  /** A time of `performance.now()`, like all times of a context. */
  readonly startedAt: number;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** Where it waits for its turn. */
  readonly turnQueue: TurnQueue;
  /** Whether its write is entered in the book, and a hook is asked. Other writes may be repeated. */
  readonly isBooked: boolean;
  /** Identifies the call in its events. */
  readonly info: CallInfo;
  /** Receives the events of the call; `undefined` if nothing observes them. */
  readonly emit: Emit | undefined;
  loaded: LoadedParts = {};
  token: string | undefined;
  /** The token that was rejected with 401 and replaced. It stays secret, because the service may still echo it. */
  rejectedToken: string | undefined;
  /** How many times the request has been sent. */
  attempts = 0;
  /** How many retries followed a fault. Those after a 429 for which the queue waits, or with a new token, do not count. */
  faultRetries = 0;
  /** When it got a 429. */
  readonly throttledAt: number[] = [];
  /** When the first attempt was sent. */
  firstSentAt = 0;
  /** When the first attempt was sent that may have been carried out. */
  sentAt = 0;
  /** What is known of the attempts that have ended. */
  outcome: WriteOutcome = 'none';
  /** What the hook has decided about the write. */
  turn: Extract<WriteTurn, { isDone: false }> | undefined;
  readonly #calledAt = Date.now();
  /** The write in the book, when it was sent. */
  #write: RememberedWrite | undefined;
  /** The attempt that is being sent. */
  #current: { readonly delivery: RequestDelivery } | undefined;

  constructor(request: BuiltRequest, runtime: ClientRuntime, startedAt: number) {
    const { endpoint, options } = request;
    const { baseUrl, deadlineMs, timeoutMs, maxRetries, maxConcurrency = Infinity } = runtime.options;
    const { accessToken = runtime.options.accessToken } = options;
    this.request = request;
    this.options = options;
    this.runtime = runtime;
    this.startedAt = startedAt;
    this.timeoutMs = options.timeoutMs ?? timeoutMs;
    this.maxRetries = options.maxRetries ?? maxRetries;
    this.isBooked = endpoint.retry === 'unsafe' && !endpoint.isHarmless;
    this.info = { endpoint, baseUrl };
    this.emit = runtime.emit;
    this.scope = new CancelScope({
      what: `${endpoint.method} ${endpoint.path}`,
      signal: options.signal,
      deadlineMs: options.deadlineMs ?? deadlineMs,
      progress: this,
    });
    this.turnQueue = runtime.shared.limits.of(accessToken ?? undefined, endpoint, maxConcurrency);
  }

  /** Frees what the call holds. A download is read after the call, and its deadline and signal apply until its end. */
  end(isStreaming = false): void {
    this.turnQueue.leave();
    this.loaded.upload?.dispose();
    if (!isStreaming) this.scope.dispose();
  }

  /** Whether the write may have been carried out: by an attempt that has ended, or by the one that is being sent. */
  get outcomeUnknown(): boolean {
    if (this.outcome === 'unknown') return true;
    return this.#current?.delivery === 'maybe' && this.request.endpoint.retry !== 'safe';
  }

  /** See `UnconfirmedCall`. */
  get aheadMs(): number {
    return this.runtime.shared.writes.clock.aheadMs;
  }

  get isReplayable(): boolean {
    return this.loaded.upload?.isReplayable !== false;
  }

  /** Records what is known of the write after an attempt that failed. */
  endAttempt(outcome: WriteOutcome): void {
    this.#current = undefined;
    this.outcome = outcome;
  }

  /** Records that an attempt is sent. Returns the time. */
  begin(attempt: { readonly delivery: RequestDelivery }): number {
    this.#current = attempt;
    const now = performance.now();
    this.attempts += 1;
    this.emit?.({ type: 'attempt', call: this.info, attempt: this.attempts });
    if (this.attempts === 1) this.firstSentAt = now;
    if (this.outcome === 'unknown') return now;
    this.sentAt = now;
    if (this.#write) this.#write.sentAt = Date.now();
    else if (this.isBooked) this.#write = this.runtime.shared.writes.add(this.described(true));
    return now;
  }

  /** Enters how the write ended, and tells the hook. */
  endWrite(result: WriteResult): Promise<void> | undefined {
    const entry = this.#write && this.runtime.shared.writes.end(this.#write, result);
    return this.turn?.end(result.state === 'done' ? { ...result, entry } : result);
  }

  /** The write of this call, as a book describes it. */
  described(isInFlight = false): RememberedWrite {
    const { endpoint, input } = this.request;
    const { token, turn } = this;
    return new RememberedWrite({ endpoint, input, token, calledAt: this.#calledAt, id: turn?.id, isInFlight });
  }

  /** What the books know for the write of this call. */
  get view(): BookView {
    const { request, runtime, timeoutMs } = this;
    const write = this.#write ?? this.described();
    return new BookView({ endpoint: request.endpoint, write, memory: runtime.shared.writes, timeoutMs });
  }

  resultOf(data: unknown, { status, headers }: Pick<Received, 'status' | 'headers'>, leftOut = 0): CallResult {
    const { attempts, request, startedAt } = this;
    const durationMs = performance.now() - startedAt;
    return new CallResult(data, { status, headers, url: request.url, attempts, durationMs, leftOut });
  }

  /** How many retries were sent since the last success of the queue. */
  get #retriesInRow(): number {
    return Math.max(0, this.throttledAt.filter((at) => at >= this.turnQueue.bucket.rowBeganAt).length - 1);
  }

  /** What `nextStep` has to know after an attempt that failed. */
  stateAfter({ isQueueThrottled }: { readonly isQueueThrottled: boolean }, isConfirmed: boolean): CallState {
    const { request, options, token, rejectedToken, maxRetries } = this;
    const { endpoint } = request;
    const { maxRetryDelayMs, unknownOutcome } = this.runtime.options;
    return {
      retry: endpoint.retry,
      outcome: this.outcome,
      canReplaceToken: token !== undefined && rejectedToken === undefined && options.accessToken === undefined,
      canConfirm: unknownOutcome === 'confirm' && endpoint.confirm !== undefined,
      isConfirmed,
      retries: isQueueThrottled ? this.#retriesInRow : this.faultRetries,
      maxRetries,
      hasBudget: this.runtime.shared.budget.isEnough,
      isReplayable: this.isReplayable,
      elapsedMs: performance.now() - this.firstSentAt,
      remainingMs: this.scope.remainingMs,
      maxWaitMs: maxRetryDelayMs,
      queuePausedMs: isQueueThrottled ? this.turnQueue.pausedMs : undefined,
    };
  }
}
