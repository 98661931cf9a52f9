import { platform } from '#platform';
import { ApiError } from '../errors/response-errors.js';
import { responseHeaders } from '../errors/response-headers.js';
import { SellerError, attachCall, cannotConfirm } from '../errors/seller-error.js';
import type { Confirmation, SentWriteOptions } from '../errors/seller-error.js';
import { ApiPromise, type WithResponse, type Requester } from '../operation/api-promise.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { Drift } from '../options/hooks.js';
import { endpointError } from '../options/rules.js';
import type { RequestedEndpoints } from '../request/define-endpoint.js';
import { checkOptions, confirmRules, storedWriteRules, type ResolvedOptions } from '../options/client-options.js';
import { confirmLater, confirmWindowMs, confirmWrite } from '../recover/confirm-write.js';
import { withUnknownOutcome, type AttemptResult, type FailedAttempt } from '../recover/failure.js';
import { hookOf, type InsideOfClient, type WriteHook } from '../recover/write-hook.js';
import { buildRequest, curlOf } from '../request/build-request.js';
import { readOutput } from '../response/read-output.js';
import type { InternalOptions } from '../scope/call-options.js';
import { ignoreErrors } from '../scope/cancel-scope.js';
import { RequestAttempt } from './attempt.js';
import { ClientCall, createRuntime, downloadFrom, loadParts } from './call.js';
import type { CallResult, ClientRuntime } from './call.js';
import { userOfToken } from '../recover/token-source.js';
import { askHook, recover, confirmStored } from './recover.js';

/** Makes calls: build, send, then read the output, or recover and send again. All resources of a client share one. */
export class HttpClient implements Requester {
  readonly deadlineMs: number | undefined;
  readonly requested: RequestedEndpoints;
  readonly #runtime: ClientRuntime;

  constructor(runtime: ClientRuntime) {
    this.#runtime = runtime;
    this.deadlineMs = runtime.options.deadlineMs;
    this.requested = runtime.requested;
  }

  /** Returns a client with other options. */
  withOptions(options: ResolvedOptions): HttpClient {
    return new HttpClient(createRuntime(options, this.#runtime));
  }

  /** Returns the same client, whose writes a hook decides about. */
  withHook(writeHook: WriteHook): HttpClient {
    return new HttpClient({ ...this.#runtime, writeHook });
  }

  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out> {
    return new ApiPromise(this.#run(endpoint, input, options) as Promise<WithResponse<Out>>);
  }

  /** See `InsideOfClient`. */
  get inside(): Omit<InsideOfClient, 'withHook'> {
    const { options, shared } = this.#runtime;
    const token = typeof options.accessToken === 'function' ? shared.tokens?.latest : options.accessToken;
    return {
      user: userOfToken(token ?? ''),
      service: shared.writes,
      baseUrl: platform.addressOf(options.baseUrl),
      aheadMs: shared.writes.clock.aheadMs,
    };
  }

  onDrift(drift: Drift): void {
    const { onDrift, logger } = this.#runtime.options;
    const { endpoint, expected } = drift;
    ignoreErrors(() => onDrift?.(drift));
    ignoreErrors(() => logger?.warn(`${endpoint.method} ${endpoint.path}: ${expected}`, { endpoint: endpoint.name }));
  }

  /** Reads back a write of another process, or of this one before it was restarted. */
  async confirm(endpoint: Endpoint, input: unknown, options: SentWriteOptions): Promise<Confirmation> {
    const wrong = endpointError(endpoint);
    if (wrong) throw wrong;
    const given: Partial<SentWriteOptions> = { ...options };
    const checked = checkOptions({ ...given, sentAt: given.sentAt ?? NaN }, storedWriteRules);
    const { sentAt, signal, deadlineMs } = checked;
    if (!endpoint.confirm) return cannotConfirm;
    const request = buildRequest(endpoint, input, undefined, this.#runtime);
    const limits = { signal, deadlineMs: deadlineMs ?? this.deadlineMs };
    return confirmLater(endpoint, limits, { attempts: 1, outcomeUnknown: true }, async (scope) => {
      const token = await this.#tokenOf({ scope, options: {} });
      return confirmStored(this, { request, token, sentAt }, this.#runtime, scope, checked);
    });
  }

  async #run(endpoint: Endpoint, input: unknown, options: InternalOptions | undefined): Promise<CallResult> {
    const startedAt = performance.now();
    const request = buildRequest(endpoint, input, options, this.#runtime);
    const call = new ClientCall(request, this.#runtime, startedAt);
    const { emit, info } = call;
    const { budget } = this.#runtime.shared;
    let result: CallResult | undefined;
    emit?.({ type: 'start', call: info });
    try {
      result = await this.#resultOf(call);
      if (call.isBooked) await call.endWrite({ state: 'done', output: result.data });
      if (budget.spent > 0) budget.deposit(call.faultRetries);
      emit?.({ type: 'end', call: info, ...result.told });
      return result;
    } catch (thrown) {
      const error = call.outcomeUnknown ? withUnknownOutcome(thrown, call) : thrown;
      await call.endWrite(call.outcomeUnknown ? { state: 'sent' } : { state: 'rejected', error });
      if (error instanceof SellerError) this.#attachCall(error, call);
      const status = error instanceof ApiError ? error.status : undefined;
      const durationMs = performance.now() - startedAt;
      emit?.({ type: 'end', call: info, attempts: call.attempts, durationMs, status, error });
      throw error;
    } finally {
      call.end(result !== undefined && endpoint.responseBody === 'stream');
    }
  }

  /** Sends the request until it succeeds. An error ends the call. */
  async #resultOf(call: ClientCall): Promise<CallResult> {
    const { scope, request } = call;
    const { loadExchange, requestBody, responseBody } = request.endpoint;
    if (loadExchange || requestBody === 'multipart' || responseBody === 'stream')
      call.loaded = await scope.race(() => loadParts(call));
    scope.throwIfAborted();
    const token = this.#tokenOf(call);
    call.token = typeof token === 'object' ? await token : token;
    const hook = call.isBooked ? hookOf(this.#runtime.writeHook) : undefined;
    if (hook) {
      const decision = await askHook(hook, call, this);
      if (decision.isDone)
        return call.resultOf(decision.output, { status: 200, headers: responseHeaders(new Headers()) });
      call.decision = decision;
    }
    for (;;) {
      const attempt = new RequestAttempt(call);
      const result = await attempt.run();
      const delivered = result.isSuccess ? this.#deliver(call, attempt, result) : result;
      if ('data' in delivered) return delivered;
      const found = await recover(call, attempt, delivered, this);
      if (found) return found;
    }
  }

  #tokenOf({ scope, options }: Pick<ClientCall, 'scope' | 'options'>): string | undefined | Promise<string> {
    const { accessToken = this.#runtime.options.accessToken } = options;
    return typeof accessToken === 'function' ? this.#runtime.shared.tokens?.current(scope) : (accessToken ?? undefined);
  }

  /** Returns the output. If the response to a write belongs to another request, nothing is known of the write. */
  #deliver(call: ClientCall, attempt: RequestAttempt, { response, download }: Success): CallResult | FailedAttempt {
    if (download) return call.resultOf(downloadFrom(download, call), response);
    const { value, leftOut, ofAnother } = readOutput(response, call.request.output, call, this.#runtime.options);
    if (!ofAnother) return call.resultOf(value, response, leftOut);
    attempt.dropConnection();
    if (call.request.endpoint.retry === 'safe') throw ofAnother;
    return { delivery: 'maybe', error: ofAnother };
  }

  #attachCall(error: SellerError, call: ClientCall): void {
    attachCall(error, {
      isRepeatable: !call.isBooked,
      toCurl: (options) => curlOf(call.request, call.token !== undefined, options),
      confirm: (options) => {
        const { signal, deadlineMs, confirmWindowMs: given } = checkOptions(options, confirmRules);
        const limits = { signal, deadlineMs: deadlineMs ?? call.options.deadlineMs ?? this.deadlineMs };
        const windowMs = given ?? call.options.confirmWindowMs ?? confirmWindowMs(error.cause, call.timeoutMs);
        return confirmLater(call.request.endpoint, limits, call, (scope) =>
          confirmWrite(this, call, scope, { signal, confirmWindowMs: windowMs }),
        );
      },
    });
  }
}

type Success = Extract<AttemptResult, { isSuccess: true }>;
