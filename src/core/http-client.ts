import { ApiPromise } from './api-promise.js';
import type { WithResponse } from './api-promise.js';
import type { Endpoint, Requester } from './endpoint.js';
import { curlOf } from './errors/curl.js';
import { ApiError, OutcomeUnknownError, TimeoutError } from './errors/errors.js';
import { responseHeaders } from './transport/response-headers.js';
import { SellerError, attachCurl } from './errors/seller-error.js';
import { emitAttemptResult, emitWait } from './observability/events.js';
import type { InternalOptions } from './options/call-options.js';
import { checkOptions, confirmRules } from './options/resolve-options.js';
import type { ResolvedOptions } from './options/resolve-options.js';
import { acquireAttempt, releaseAttempt } from './pipeline/acquire-attempt.js';
import { buildRequest } from './pipeline/build-request.js';
import { CallResult } from './pipeline/call-result.js';
import { classifyFailure, finalError } from './pipeline/classify-failure.js';
import type { FailedAttempt } from './pipeline/classify-failure.js';
import { createRuntime } from './pipeline/client-runtime.js';
import type { ClientRuntime } from './pipeline/client-runtime.js';
import { confirmLater, confirmWrite } from './confirm/confirm-write.js';
import { attachConfirm } from './confirm/confirmation.js';
import { loadExchange } from './pipeline/exchange.js';
import { downloadFrom, loadTransfer, transfersFile } from './pipeline/file-transfer.js';
import { parseResponse } from './pipeline/parse-response.js';
import { RequestContext, secretsOf } from './pipeline/request-context.js';
import { hasSucceeded, sendAttempt } from './pipeline/send-attempt.js';
import type { AttemptResult } from './pipeline/send-attempt.js';
import { SharedState } from './pipeline/shared-state.js';
import { giveUp, planRetry } from './retry/policy.js';
import type { RetryPlan } from './retry/policy.js';
import { createTransport } from './transport/create-transport.js';
import type { Transport } from './transport/transport.js';

/** How long after a failure the service may still carry out a write. It is read back for this long. */
const confirmWindowMs = 3000;

/** What to do after a failed attempt. If the call fails, an error is thrown instead. */
type NextStep = { readonly kind: 'retry' } | { readonly kind: 'return'; readonly result: CallResult };

const retry: NextStep = { kind: 'retry' };

/** Makes calls: build, acquire, send, then parse or classify and retry. All resources of a client share one. */
export class HttpClient implements Requester {
  readonly deadlineMs: number | undefined;
  readonly #runtime: ClientRuntime;
  readonly #send: Transport;

  /** `parent` is the client that this one is derived from. They share their state if host and token are the same. */
  constructor(options: ResolvedOptions, parent?: HttpClient) {
    const inherited = parent && parent.#runtime.shared;
    const shared = inherited?.isFor(options) ? inherited : new SharedState(options);
    this.#runtime = createRuntime(options, shared);
    this.#send = createTransport(options);
    this.deadlineMs = options.deadlineMs;
  }

  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options: InternalOptions = {}): ApiPromise<Out> {
    return new ApiPromise(this.#run(endpoint, input, options) as Promise<WithResponse<Out>>);
  }

  async #run(endpoint: Endpoint, input: unknown, options: InternalOptions): Promise<CallResult> {
    const startedAt = performance.now();
    const request = buildRequest(endpoint, input, options, this.#runtime);
    const context = new RequestContext(request, options, this.#runtime, startedAt);
    const { scope, emit, call } = context;
    let isStreaming = false;
    emit?.({ type: 'start', call });
    try {
      if (transfersFile(endpoint)) await scope.race(() => loadTransfer(context));
      if (endpoint.loadExchange) await scope.race(() => loadExchange(context));
      const result = await this.#executeWithRetry(context);
      isStreaming = endpoint.responseBody === 'stream';
      this.#runtime.shared.budget.deposit(context.attempts - 1);
      const { status, attempts, durationMs } = result;
      emit?.({ type: 'end', call, attempts, durationMs, status });
      return result;
    } catch (thrown) {
      const error = finalError(thrown, context);
      if (!context.outcomeUnknown) context.recentWrites?.remove(context);
      if (error instanceof SellerError) this.#attachDiagnostics(error, context);
      const status = error instanceof ApiError ? error.status : undefined;
      const durationMs = performance.now() - startedAt;
      emit?.({ type: 'end', call, attempts: context.attempts, durationMs, status, error });
      throw error;
    } finally {
      context.upload?.dispose();
      // A download is read after the call, and its deadline and signal apply until its end.
      if (!isStreaming) scope.dispose();
    }
  }

  async #executeWithRetry(context: RequestContext): Promise<CallResult> {
    context.scope.throwIfAborted();
    const token = this.#tokenFor(context);
    context.token = typeof token === 'object' ? await token : token;
    for (;;) {
      const result = await this.#executeAttempt(context);
      if (hasSucceeded(result)) return this.#deliver(context, result);
      const next = await this.#recover(context, result);
      if (next.kind === 'return') return next.result;
    }
  }

  #tokenFor({ options: { accessToken }, scope }: RequestContext): string | undefined | Promise<string> {
    if (accessToken === null) return undefined;
    return accessToken ?? this.#runtime.shared.tokens?.current(scope);
  }

  /** Waits for the limiters, and sends the request once. */
  async #executeAttempt(context: RequestContext): Promise<AttemptResult> {
    await acquireAttempt(context, this.#runtime.options);
    context.attempts += 1;
    context.emit?.({ type: 'attempt', call: context.call, attempt: context.attempts });
    const sentAt = performance.now();
    if (context.attempts === 1) {
      context.firstSentAt = sentAt;
      context.recentWrites?.add(context);
    }
    let result: AttemptResult | undefined;
    try {
      return (result = await sendAttempt(context, this.#send));
    } finally {
      const received = result?.kind === 'response' ? result : undefined;
      const response = received?.response;
      const status = received?.errorInBody?.status ?? response?.status;
      releaseAttempt(context, this.#runtime.options, { status, headers: response?.headers }, sentAt);
      emitAttemptResult(context, response, sentAt, () => secretsOf(context));
    }
  }

  #deliver(context: RequestContext, { response, download }: AttemptResult & { kind: 'response' }): CallResult {
    const { status, headers } = response;
    if (download) return new CallResult(downloadFrom(download, context), context, status, headers);
    const { value, leftOut } = parseResponse(response, context.request.output, context, this.#runtime.options);
    return new CallResult(value, context, status, headers, leftOut);
  }

  /** Decides what to do after a failed attempt: a retry, the output if the write was confirmed, or the error. */
  async #recover(context: RequestContext, result: AttemptResult): Promise<NextStep> {
    const failed = classifyFailure(result, context);
    if (await this.#replaceToken(context, failed)) return retry;
    // A retry that certainly did nothing says nothing about the attempts before it.
    context.outcomeUnknown = context.earlierOutcomeUnknown ||= failed.outcomeUnknown;
    const confirms = this.#shouldConfirm(context, failed);
    // An idempotent write may be sent again without proof, so it is read back only if no retry is left.
    const retriesFirst = !confirms || context.request.endpoint.retry === 'idempotent';
    const plan = this.#planRetry(context, failed);
    // A 429 pauses all calls. A write is read back after the pause, unless that would be too late for a retry.
    if (!confirms || plan.retry) this.#pauseAll(context, plan);
    if (retriesFirst && (await this.#waitForRetry(context, plan))) return retry;
    if (!confirms) throw failed.error;
    const { confirmation, response } = await confirmWrite(this, context, context.scope, {
      signal: context.options.signal,
      confirmWindowMs: this.#confirmWindowMs(context, failed.error),
    });
    if (confirmation.done) {
      const headers = responseHeaders(response.headers);
      return { kind: 'return', result: new CallResult(confirmation.output, context, response.status, headers) };
    }
    if (!plan.retry) this.#pauseAll(context, plan);
    const isUndone = confirmation.done === false;
    context.outcomeUnknown = context.earlierOutcomeUnknown = !isUndone;
    // Classified again, the error says what is known now.
    const { error, failure } = classifyFailure(result, context, isUndone && failed.outcomeUnknown);
    if (!isUndone) throw error;
    context.resent = true;
    if (await this.#waitForRetry(context, this.#planRetry(context, { failure }))) return retry;
    throw error;
  }

  /** After a timeout, the service may still be processing the write, so it gets at least `timeoutMs` to finish. */
  #confirmWindowMs({ timeoutMs }: RequestContext, error: unknown): number {
    const isTimeout = error instanceof OutcomeUnknownError && error.cause instanceof TimeoutError;
    return isTimeout ? Math.max(confirmWindowMs, timeoutMs) : confirmWindowMs;
  }

  /** Replaces a token that got a 401, once per call. */
  async #replaceToken(context: RequestContext, { failure }: FailedAttempt): Promise<boolean> {
    const { token, tokenReplaced, options, scope, upload } = context;
    if (failure?.status !== 401) return false;
    if (token === undefined || tokenReplaced || options.accessToken !== undefined || upload?.isReplayable === false)
      return false;
    context.outcomeUnknown = context.earlierOutcomeUnknown;
    const replacement = await this.#runtime.shared.tokens?.replace(token, scope);
    if (replacement === undefined) return false;
    context.rejectedToken = token;
    context.token = replacement;
    context.tokenReplaced = true;
    return true;
  }

  #shouldConfirm({ request, resent, outcomeUnknown }: RequestContext, { error, failure }: FailedAttempt): boolean {
    if (this.#runtime.options.onUnknownOutcome !== 'confirm' || !request.endpoint.confirm || !failure) return false;
    // A write that was sent again may fail because the first attempt was carried out nevertheless.
    return outcomeUnknown || (resent && error instanceof ApiError && error.status < 500);
  }

  #pauseAll({ rateLimiter }: RequestContext, { pauseAllMs }: RetryPlan): void {
    if (pauseAllMs !== undefined) rateLimiter.pauseFor(pauseAllMs);
  }

  /** Waits for a planned retry; `false` if there is none. */
  async #waitForRetry(context: RequestContext, plan: RetryPlan): Promise<boolean> {
    if (!plan.retry) return false;
    // This call waits like all others when it acquires its next attempt.
    if (plan.pauseAllMs !== undefined) return true;
    if (!this.#runtime.shared.budget.tryWithdraw()) return false;
    emitWait(context, plan.delayMs, 'fault');
    await context.scope.sleep(plan.delayMs);
    return true;
  }

  #planRetry(context: RequestContext, { failure }: Pick<FailedAttempt, 'failure'>): RetryPlan {
    if (!failure) return giveUp;
    const { request, options, scope, attempts, tokenReplaced, rateLimiter, upload } = context;
    const { maxRetries, maxRetryDelayMs } = this.#runtime.options;
    return planRetry({
      retry: request.endpoint.retry,
      failure,
      retries: attempts - 1 - Number(tokenReplaced),
      maxRetries: options.maxRetries ?? maxRetries,
      isReplayable: upload?.isReplayable !== false,
      remainingMs: scope.remainingMs,
      maxDelayMs: maxRetryDelayMs,
      pausesAll: context.isThrottled,
      throttleDelayMs: rateLimiter.backoffMs,
    });
  }

  #attachDiagnostics(error: SellerError, context: RequestContext): void {
    attachCurl(error, (options) => curlOf(context.request, context.token !== undefined, options));
    attachConfirm(error, (options) => {
      checkOptions(options, confirmRules);
      return confirmLater(this, context, {
        ...options,
        confirmWindowMs: options.confirmWindowMs ?? this.#confirmWindowMs(context, error),
        deadlineMs: options.deadlineMs ?? context.options.deadlineMs ?? this.deadlineMs,
      });
    });
  }
}
