import { platform } from '#platform';
import { ConnectionError, InvalidInputError, type Issue } from '../errors/errors.js';
import { redactUrl } from '../errors/redactor.js';
import { requestIdOf } from '../errors/response-errors.js';
import { EndNotices, type ResponseHeaders } from '../errors/response-headers.js';
import type { Download } from '../files/download.js';
import type { FileInput } from '../files/file-source.js';
import type { openDownload, redirectsOf } from '../files/open-download.js';
import type { Upload } from '../files/upload.js';
import { Limits, type TurnQueue } from '../limits/limits.js';
import type { ResponseInfo, WithResponse } from '../operation/api-promise.js';
import type { EndpointExchange } from '../operation/endpoint.js';
import type { ResolvedOptions } from '../options/client-options.js';
import { emitterOf, type CallInfo, type Emit } from '../options/hooks.js';
import { bookOf, BookView, RememberedWrite, type MemoryBook } from '../recover/memory-book.js';
import { RetryBudget, type CallState, type WriteOutcome } from '../recover/next-step.js';
import { TokenSource } from '../recover/token-source.js';
import type { WriteHook, WriteResult, WriteDecision } from '../recover/write-hook.js';
import { lowerCaseNames, userAgentOf, type BuiltRequest } from '../request/build-request.js';
import { RequestedEndpoints } from '../request/define-endpoint.js';
import type { BufferedResponse } from '../response/body.js';
import type { InternalOptions } from '../scope/call-options.js';
import { CancelScope, ignoreErrors } from '../scope/cancel-scope.js';
import { isOk, type RequestDelivery, type Transport, type TransportResponse } from '../transport/transport.js';

/** What a call needs beyond JSON. It is loaded before the first attempt, because other calls do not need it. */
interface LoadedParts {
  /** The opened file of a multipart body. */
  readonly upload?: Upload | undefined;
  /** The module that reads downloads. */
  readonly downloads?: { openDownload: typeof openDownload; redirectsOf: typeof redirectsOf } | undefined;
  /** The exchange of the endpoint. */
  readonly exchange?: EndpointExchange | undefined;
}

/** The result of a call. */
export interface CallResult extends WithResponse<unknown> {
  /** What the end of the call is told with. */
  readonly told: Pick<ResponseInfo, 'status' | 'attempts' | 'durationMs'>;
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
  decision: Extract<WriteDecision, { isDone: false }> | undefined;
  readonly #calledAt = Date.now();
  /** The write in the book, when it was sent. */
  #write: RememberedWrite | undefined;
  /** The attempt that is being sent. */
  #current: { readonly delivery: RequestDelivery } | undefined;

  constructor(request: BuiltRequest, runtime: ClientRuntime, startedAt: number) {
    const { endpoint, options } = request;
    const { baseUrl, deadlineMs, timeoutMs, maxRetries, concurrency = Infinity } = runtime.options;
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
    this.turnQueue = runtime.shared.limits.of(accessToken ?? undefined, endpoint, concurrency);
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
    return this.decision?.end(result.state === 'done' ? { ...result, entry } : result);
  }

  /** The write of this call, as a book describes it. */
  described(isInFlight = false): RememberedWrite {
    const { endpoint, input } = this.request;
    const { token, decision } = this;
    return new RememberedWrite({ endpoint, input, token, calledAt: this.#calledAt, id: decision?.id, isInFlight });
  }

  /** What the books know for the write of this call. */
  get view(): BookView {
    const { request, runtime, timeoutMs } = this;
    const write = this.#write ?? this.described();
    return new BookView({ endpoint: request.endpoint, write, memory: runtime.shared.writes, timeoutMs });
  }

  /** The result of this call. Its response is described on use, because few callers need it. */
  resultOf(
    data: unknown,
    { status, headers }: { readonly status: number; readonly headers: ResponseHeaders },
    leftOut = 0,
  ): CallResult {
    const { attempts, request, startedAt } = this;
    const told = { status, attempts, durationMs: performance.now() - startedAt };
    return {
      data,
      told,
      get response() {
        return {
          ...told,
          leftOut,
          url: redactUrl(request.url),
          requestId: requestIdOf(headers),
          get headers() {
            return headers.toHeaders();
          },
        };
      },
    };
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

/**
 * What all clients of one host and token share: the token and the retry budget. With the clients of other tokens that are
 * derived from the same one, they share the limits.
 */
export class SharedState {
  /** Present if the token comes from a function. */
  readonly tokens: TokenSource | undefined;
  readonly budget = new RetryBudget();
  /** The writes of this process, which all clients of the host share. */
  readonly writes: MemoryBook;
  readonly limits: Limits;
  readonly #baseUrl: string;
  readonly #accessToken: ResolvedOptions['accessToken'];
  readonly #limitsByOrigin: Map<string, Limits>;

  /** `parent` is the state of the client from which this one is derived. */
  constructor(options: ResolvedOptions, parent?: SharedState) {
    const { baseUrl, accessToken, timeoutMs } = options;
    this.writes = parent && parent.#baseUrl === baseUrl ? parent.writes : bookOf(options);
    if (!parent) warnIfApart(options, this.writes);
    this.#baseUrl = baseUrl;
    this.#accessToken = accessToken;
    this.tokens = typeof accessToken === 'function' ? new TokenSource(accessToken, timeoutMs) : undefined;
    this.#limitsByOrigin = parent ? parent.#limitsByOrigin : new Map<string, Limits>();
    const { origin } = new URL(baseUrl);
    this.limits = this.#limitsByOrigin.get(origin) ?? new Limits();
    this.#limitsByOrigin.set(origin, this.limits);
  }

  /** Whether a client with these options calls the same host with the same token. */
  isFor({ baseUrl, accessToken }: ResolvedOptions): boolean {
    return baseUrl === this.#baseUrl && accessToken === this.#accessToken;
  }
}

/** Says in the log that a client was made apart from another one of the same service, so that each learns its limits alone. */
function warnIfApart({ logger, baseUrl }: ResolvedOptions, writes: MemoryBook): void {
  if (writes.hasClient)
    ignoreErrors(() =>
      logger?.warn(
        `There is another SellerClient for ${new URL(baseUrl).origin}, and the two do not share rate limits. Make one, and derive the others with withOptions({ accessToken })`,
      ),
    );
  writes.hasClient = true;
}

/** What all calls of a client share. */
export interface ClientRuntime {
  readonly options: ResolvedOptions;
  readonly shared: SharedState;
  /** Receives the events of calls; `undefined` if nothing observes them. */
  readonly emit: Emit | undefined;
  /** Headers of every request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `user-agent`, unless `headers` have one; `undefined` if the platform sends its own. */
  readonly userAgent: string | undefined;
  readonly transport: Transport;
  /** Decides about the writes of this client, and of those that are derived from it. */
  readonly writeHook: WriteHook | undefined;
  /** Shared with the clients that are derived with the same logger. */
  readonly notices: EndNotices;
  /** Shared with all clients that are derived from one. */
  readonly requested: RequestedEndpoints;
}

/** Creates what all calls of a client share. A client that is derived from one has its limits, and with the same token all its state. */
export function createRuntime(options: ResolvedOptions, parent?: ClientRuntime): ClientRuntime {
  const { logger, tracing } = options;
  const inherited = parent?.shared;
  return {
    options,
    shared: inherited?.isFor(options) ? inherited : new SharedState(options, inherited),
    emit: emitterOf(logger, tracing),
    headers: { accept: 'application/json', ...lowerCaseNames(options.headers ?? {}) },
    userAgent: userAgentOf(),
    transport: platform.chooseTransport(options),
    writeHook: parent?.writeHook,
    notices: parent && parent.options.logger === logger ? parent.notices : new EndNotices(),
    requested: parent?.requested ?? new RequestedEndpoints(),
  };
}

/** Loads the modules of files and of the exchange of an endpoint, and opens the file that is sent. */
export async function loadParts(call: ClientCall): Promise<LoadedParts> {
  const { endpoint, bodyValue } = call.request;
  const reject = (issues: Issue | readonly Issue[], prefix?: string): Error =>
    new InvalidInputError([issues].flat<readonly (Issue | readonly Issue[])[]>(), prefix);
  if (endpoint.loadExchange) return { exchange: await endpoint.loadExchange(bodyValue, reject) };
  if (endpoint.responseBody === 'stream') return { downloads: await import('../files/open-download.js') };
  listenForErrors((bodyValue as FileInput).file);
  const uploads = await platform.loadUploads();
  const upload = await uploads.openUpload(bodyValue as FileInput, reject, endpoint.maxUploadBytes);
  // The call has ended meanwhile.
  if (call.scope.reason) upload.dispose();
  return { upload };
}

/** Without a listener, a stream that cannot open its file ends the process before it is read here. Reading it fails then. */
function listenForErrors(file: unknown): void {
  ignoreErrors(() => {
    const { on } = (file ?? {}) as { on?: unknown };
    if (typeof on === 'function') on.call(file, 'error', () => undefined);
  });
}

/** Makes one attempt with the exchange of the endpoint. `send` sends a body and receives the response. */
export async function exchangeOnce(
  exchange: EndpointExchange,
  url: string,
  send: (body: string) => Promise<BufferedResponse>,
): Promise<BufferedResponse> {
  let response: BufferedResponse | undefined;
  try {
    const value = await exchange(url, async (text) => {
      response = await send(text);
      // The call creates the error of this response, or retries.
      if (!isOk(response.status) || response.isTruncated) throw new Error('no result');
      return response.text;
    });
    if (!response) throw new TypeError('the exchange of the endpoint sent nothing');
    response.result = { value };
    return response;
  } catch (error) {
    if (!response) throw error;
    // The error of the exchange is not kept: that of graphql-request prints the whole request.
    response.result = 'unreadable';
    return response;
  }
}

/** The file in a response; `undefined` if the call is not a download. */
export function downloadFrom(response: TransportResponse, call: ClientCall): Download | undefined {
  const { request, scope, options, timeoutMs, loaded } = call;
  return loaded.downloads?.openDownload(response, scope, {
    what: `${request.endpoint.method} ${request.endpoint.path}`,
    timeoutMs,
    onProgress: (progress) => ignoreErrors(() => options.onDownloadProgress?.(progress)),
    lost: (message, cause) => new ConnectionError(message, { cause }),
    reject: (issue, prefix) => new InvalidInputError([issue], prefix),
  });
}
