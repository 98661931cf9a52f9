import { ApiPromise } from '../operation/api-promise.js';
import type { WithResponse } from '../operation/api-promise.js';
import type { Endpoint, Requester } from '../operation/endpoint.js';
import { curlOf } from '../request/curl.js';
import { ApiError } from '../errors/response-errors.js';
import { responseHeaders } from '../errors/response-headers.js';
import { SellerError, attachCall } from '../errors/seller-error.js';
import { emitWait } from '../options/events.js';
import { ignoreErrors } from '../scope/ignore-errors.js';
import type { InternalOptions } from '../scope/call-options.js';
import { endpointError } from '../options/check-endpoint.js';
import { checkOptions, confirmRules, storedWriteRules } from '../options/resolve-options.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { RequestAttempt, hasSucceeded } from './attempt.js';
import type { AttemptResponse, AttemptResult } from './attempt.js';
import { buildRequest } from '../request/build-request.js';
import { classifyFailure, withUnknownOutcome } from './classify-failure.js';
import { SharedState, createRuntime } from './client-runtime.js';
import type { ClientRuntime } from './client-runtime.js';
import { cannotConfirm, confirmLater, confirmWindowAfter, confirmWrite } from '../recover/confirm-write.js';
import type { UnconfirmedCall } from '../recover/confirm-write.js';
import type { Confirmation, StoredWriteOptions } from '../errors/confirmation.js';
import { sentWriteOf } from '../recover/recent-writes.js';
import { loadExchange } from './exchange.js';
import { downloadFrom, loadTransfer } from './file-transfer.js';
import { parseResponse } from '../response/parse-response.js';
import { RequestContext } from './request-context.js';
import type { CallResult } from './request-context.js';
import { mayHaveSucceeded } from '../response/failure.js';
import { nextStep } from '../recover/next-step.js';
import { copyOf } from '../schema/readable.js';
import { createTransport } from '../transport/create-transport.js';
import type { Transport } from '../transport/transport.js';

/** Makes calls: build, acquire, send, then parse, or do what `nextStep` says. All resources of a client share one. */
export class HttpClient implements Requester {
  readonly deadlineMs: number | undefined;
  readonly #runtime: ClientRuntime;
  readonly #send: Transport;

  /** `parent` is the client that this one is derived from. They share the rate limiters, and with one token all state. */
  constructor(options: ResolvedOptions, parent?: HttpClient) {
    const inherited = parent && parent.#runtime.shared;
    const shared = inherited?.isFor(options) ? inherited : new SharedState(options, inherited);
    this.#runtime = createRuntime(options, shared);
    this.#send = createTransport(options);
    this.deadlineMs = options.deadlineMs;
  }

  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out> {
    return new ApiPromise(this.#run(endpoint, input, options) as Promise<WithResponse<Out>>);
  }

  onEarlyEnd({ endpoint, delivered, total }: Parameters<NonNullable<Requester['onEarlyEnd']>>[0]): void {
    const { onDrift, logger } = this.#runtime.options;
    const expected = `\`total\` is ${total}, but the list ended after ${delivered} entries`;
    ignoreErrors(() => onDrift?.({ endpoint, path: ['total'], expected, received: 'number' }));
    ignoreErrors(() => logger?.warn(`${endpoint.method} ${endpoint.path}: ${expected}`, { endpoint: endpoint.name }));
  }

  /** Reads back a write of another process, or of this one before it was restarted. */
  async confirm(endpoint: Endpoint, input: unknown, options: StoredWriteOptions): Promise<Confirmation> {
    const given: Partial<StoredWriteOptions> = copyOf(options);
    const checked = checkOptions({ ...given, sentAt: given.sentAt ?? NaN }, storedWriteRules);
    const { sentAt, signal, deadlineMs, confirmWindowMs } = checked;
    const wrong = endpointError(endpoint);
    if (wrong) throw wrong;
    if (!endpoint.confirm) return cannotConfirm;
    const { shared, options: client } = this.#runtime;
    const request = buildRequest(endpoint, input, undefined, this.#runtime);
    const ageMs = Date.now() - sentAt;
    const firstSentAt = performance.now() - ageMs;
    const limits = { signal, deadlineMs: deadlineMs ?? this.deadlineMs };
    return confirmLater(endpoint, limits, { attempts: 1, outcomeUnknown: true }, async (scope) => {
      const token = await this.#tokenOf({ scope, options: {} });
      const equalWrites = shared.writes.count(sentWriteOf(request));
      const call: UnconfirmedCall = { request, options: {}, token, firstSentAt, equalWrites };
      // The service gives up a write in the end, and what it has not done by then it will not do.
      const usualMs = ageMs > client.timeoutMs ? 0 : confirmWindowAfter(undefined, 0);
      return confirmWrite(this, call, scope, { signal, confirmWindowMs: confirmWindowMs ?? usualMs });
    });
  }

  async #run(endpoint: Endpoint, input: unknown, options: InternalOptions | undefined): Promise<CallResult> {
    const startedAt = performance.now();
    const request = buildRequest(endpoint, input, options, this.#runtime);
    const context = new RequestContext(request, this.#runtime, startedAt);
    const { scope, emit, info: call } = context;
    const isDownload = endpoint.responseBody === 'stream';
    let isStreaming = false;
    emit?.({ type: 'start', call });
    try {
      if (isDownload || endpoint.requestBody === 'multipart') await scope.race(() => loadTransfer(context));
      if (endpoint.loadExchange) await scope.race(() => loadExchange(context));
      const result = await this.#executeWithRetry(context);
      isStreaming = isDownload;
      this.#runtime.shared.budget.deposit(context.faultRetries);
      const { status, attempts, durationMs } = result;
      emit?.({ type: 'end', call, attempts, durationMs, status });
      return result;
    } catch (thrown) {
      const error = context.outcomeUnknown ? withUnknownOutcome(thrown, context) : thrown;
      if (!context.outcomeUnknown) context.forgetWrite();
      if (error instanceof SellerError) this.#attachDiagnostics(error, context);
      const status = error instanceof ApiError ? error.status : undefined;
      const durationMs = performance.now() - startedAt;
      emit?.({ type: 'end', call, attempts: context.attempts, durationMs, status, error });
      throw error;
    } finally {
      context.end(isStreaming);
    }
  }

  async #executeWithRetry(context: RequestContext): Promise<CallResult> {
    context.scope.throwIfAborted();
    const token = this.#tokenOf(context);
    context.token = typeof token === 'object' ? await token : token;
    for (;;) {
      const attempt = new RequestAttempt(context, this.#send);
      const result = await attempt.run();
      if (hasSucceeded(result)) return this.#deliver(context, result);
      const found = await this.#recover(context, attempt, result);
      if (found) return found;
    }
  }

  #tokenOf({ scope, options }: Pick<RequestContext, 'scope' | 'options'>): string | undefined | Promise<string> {
    if (options.accessToken === null) return undefined;
    return options.accessToken ?? this.#runtime.shared.tokens?.current(scope);
  }

  #deliver(context: RequestContext, { response, download }: AttemptResponse): CallResult {
    if (download) return context.resultOf(downloadFrom(download, context), response);
    const { value, leftOut } = parseResponse(response, context.request.output, context, this.#runtime.options);
    return context.resultOf(value, response, leftOut);
  }

  /**
   * Does what `nextStep` says after a failed attempt.
   *
   * @returns the output of a write that was read back; `undefined` if the request is to be sent again.
   */
  async #recover(
    context: RequestContext,
    attempt: RequestAttempt,
    result: AttemptResult,
  ): Promise<CallResult | undefined> {
    const earlierUnknown = attempt.earlier === 'unknown';
    let { error, failure } = classifyFailure(result, context, { earlierUnknown, isUndone: false });
    const isUnknown = mayHaveSucceeded(context.request.endpoint.retry, failure);
    // A retry that certainly did nothing says nothing about the attempts before it.
    context.outcome = isUnknown ? 'unknown' : attempt.earlier;
    for (;;) {
      const step = nextStep(failure, context.stateAfter(attempt));
      switch (step.kind) {
        case 'replaceToken':
          if (await this.#replaceToken(context)) return undefined;
          break;
        case 'confirm': {
          attempt.pauseAll(step.pauseBeforeMs);
          const windowMs = step.isRenewed ? 0 : confirmWindowAfter(error, context.timeoutMs);
          const found = await this.#confirm(context, windowMs);
          if (found) return found;
          attempt.pauseAll(step.pauseAfterMs);
          attempt.isConfirmed = true;
          const { outcome } = context;
          // Classified again, the error says what is known now.
          const known = { earlierUnknown: outcome === 'unknown', isUndone: outcome === 'undone' && isUnknown };
          ({ error, failure } = classifyFailure(result, context, known));
          break;
        }
        case 'retry':
          attempt.pauseAll(step.pauseAllMs);
          await this.#wait(context, step.waitMs);
          return undefined;
        case 'throw':
          attempt.pauseAll(step.pauseAllMs);
          throw error;
      }
    }
  }

  /** Replaces a token that got a 401; `false` if there is no other. */
  async #replaceToken(context: RequestContext): Promise<boolean> {
    const rejected = context.token;
    if (rejected === undefined) return false;
    context.rejectedToken = rejected;
    const replacement = await this.#runtime.shared.tokens?.replace(rejected, context.scope);
    if (replacement === undefined) return false;
    context.token = replacement;
    return true;
  }

  /** Reads back a write, and returns its output if it was carried out. */
  async #confirm(context: RequestContext, confirmWindowMs: number): Promise<CallResult | undefined> {
    const { scope, options } = context;
    const { confirmation, response } = await confirmWrite(this, context, scope, {
      signal: options.signal,
      confirmWindowMs,
    });
    if (confirmation.done)
      return context.resultOf(confirmation.output, {
        status: response.status,
        headers: responseHeaders(response.headers),
      });
    context.outcome = confirmation.done === false ? 'undone' : 'unknown';
    return undefined;
  }

  /** Waits before a retry. Where all calls pause, this call waits like the others when it acquires its next attempt. */
  async #wait(context: RequestContext, waitMs: number | undefined): Promise<void> {
    if (waitMs === undefined) return;
    context.faultRetries += 1;
    this.#runtime.shared.budget.withdraw();
    emitWait(context, waitMs, 'fault');
    await context.scope.sleep(waitMs);
  }

  #attachDiagnostics(error: SellerError, context: RequestContext): void {
    attachCall(error, {
      toCurl: (options) => curlOf(context.request, context.token !== undefined, options),
      confirm: (options) => {
        const { signal, deadlineMs, confirmWindowMs } = checkOptions(options, confirmRules);
        const limits = { signal, deadlineMs: deadlineMs ?? context.options.deadlineMs ?? this.deadlineMs };
        const windowMs = confirmWindowMs ?? confirmWindowAfter(error, context.timeoutMs);
        return confirmLater(context.request.endpoint, limits, context, (scope) =>
          confirmWrite(this, context, scope, { signal, confirmWindowMs: windowMs }),
        );
      },
    });
  }
}
