import { ApiPromise } from './api-promise.js';
import type { ResponseInfo, WithResponse } from './api-promise.js';
import { sendAttempt } from './pipeline/send-attempt.js';
import type { AttemptResult } from './pipeline/send-attempt.js';
import { curlOf } from './errors/curl.js';
import { Download } from './files/download.js';
import type { Endpoint } from './endpoint.js';
import { secretsOf } from './pipeline/request-context.js';
import type { RequestContext, InternalOptions } from './pipeline/request-context.js';
import { ApiError, OutcomeUnknownError, requestIdOf } from './errors/errors.js';
import { classifyFailure, finalError } from './pipeline/classify-failure.js';
import type { FailedAttempt } from './pipeline/classify-failure.js';
import type { FileInput } from './files/file-source.js';
import { confirmLater, confirmWrite } from './pipeline/confirm-write.js';
import { acquireLimiter, releaseLimiter } from './rate-limit/limiter.js';
import { SharedState } from './pipeline/shared-state.js';
import type { Upload } from './files/multipart.js';
import { parseResponse } from './pipeline/parse-response.js';
import type { RateLimitSignal } from './rate-limit/rate-limiter.js';
import { noOptions, buildRequest, createRuntime } from './pipeline/build-request.js';
import type { ClientRuntime } from './pipeline/build-request.js';
import { redactUrl } from './errors/redact.js';
import { planRetry } from './retry/plan-retry.js';
import { SellerError, attachDiagnostics } from './errors/seller-error.js';
import type { ErrorDiagnostics } from './errors/seller-error.js';
import type { ResolvedOptions } from './options/resolve-options.js';
import { emitAttemptResult, emitWait } from './observability/emit.js';
import { createTransport } from './pipeline/transport.js';
import type { Transport } from './pipeline/transport.js';

/** What a resource needs to make a call. */
export interface Requester {
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
}

type ResponseResult = AttemptResult & { kind: 'answer' };

/** The life of a call: check, encode, send, repeat where that is safe, read. Shared by all resources of a client. */
export class HttpClient implements Requester {
  readonly #setup: ClientRuntime;
  readonly #send: Transport;

  /** `relative` is the client this one is derived from: they share what belongs to the same host and token. */
  constructor(settings: ResolvedOptions, relative?: HttpClient) {
    const shared =
      relative !== undefined && relative.#setup.shared.isFor(settings) ? relative.#setup.shared : undefined;
    this.#setup = createRuntime(settings, shared ?? new SharedState(settings));
    this.#send = createTransport(settings);
  }

  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options: InternalOptions = noOptions): ApiPromise<Out> {
    return new ApiPromise(this.#run(endpoint, input, options) as Promise<WithResponse<Out>>);
  }

  async #run(endpoint: Endpoint, input: unknown, options: InternalOptions): Promise<WithResponse<unknown>> {
    const errand = buildRequest(endpoint, input, options, this.#setup);
    const { scope, emit, call, startedAt } = errand;
    let handedOver = false;
    emit?.({ type: 'start', call });
    try {
      if (endpoint.requestBody === 'multipart') errand.upload = await scope.race(() => fileOf(errand));
      const result = await this.#executeWithRetry(errand);
      handedOver = endpoint.responseBody === 'stream';
      this.#setup.shared.budget.deposit(scope.attempts - 1);
      const { status, attempts, durationMs } = result.response;
      emit?.({ type: 'end', call, attempts, durationMs, status });
      return result;
    } catch (thrown) {
      const error = finalError(thrown, errand);
      if (error instanceof SellerError) attachDiagnostics(error, this.#evidenceOf(errand));
      const status = error instanceof ApiError ? error.status : undefined;
      const durationMs = performance.now() - startedAt;
      emit?.({ type: 'end', call, attempts: scope.attempts, durationMs, status, error });
      throw error;
    } finally {
      if (!handedOver) scope.dispose();
    }
  }

  async #executeWithRetry(errand: RequestContext): Promise<WithResponse<unknown>> {
    const { scope } = errand;
    scope.throwIfAborted();
    const token = this.#tokenFor(errand);
    errand.token = typeof token === 'object' ? await token : token;
    for (;;) {
      const outcome = await this.#executeAttempt(errand);
      if (outcome.kind === 'answer' && outcome.answer.status >= 200 && outcome.answer.status < 300) {
        scope.outcomeUnknown = false;
        return this.#deliver(errand, outcome);
      }
      if (await this.#renewToken(errand, outcome)) continue;
      const fate = classifyFailure(outcome, errand);
      scope.outcomeUnknown = fate.outcomeUnknown;
      const found = await this.#recover(errand, fate);
      if (found) return found;
    }
  }

  #tokenFor({ options: { accessToken }, scope }: RequestContext): string | undefined | Promise<string> {
    if (accessToken === null) return undefined;
    return accessToken ?? this.#setup.shared.tokens?.current(scope);
  }

  /** Sends the request once, when the gates let it. */
  async #executeAttempt(errand: RequestContext): Promise<AttemptResult> {
    const { scope, rateLimiter, call, emit } = errand;
    const { limiter, maxConcurrency = Infinity } = this.#setup.options;
    if (limiter) await acquireLimiter(limiter, errand);
    if (!rateLimiter.tryAcquire(maxConcurrency)) {
      await rateLimiter.acquire(scope, errand.sequence, maxConcurrency, (waitMs) => {
        emitWait(errand, waitMs, 'rate limit');
      });
    }
    scope.attempts += 1;
    emit?.({ type: 'attempt', call, attempt: scope.attempts });
    const sentAt = performance.now();
    errand.firstSentAt ||= sentAt;
    const outcome = await sendAttempt(errand, this.#send, this.#setup.options);
    rateLimiter.release(rateLimitSignal(outcome), sentAt);
    if (emit) emitAttemptResult(errand, outcome, sentAt);
    if (limiter) releaseLimiter(limiter, errand, outcome);
    return outcome;
  }

  #deliver(errand: RequestContext, { answer, response }: ResponseResult): WithResponse<unknown> {
    const { endpoint, input, output, scope, options } = errand;
    const { attempts } = scope;
    const data = response
      ? new Download(response, scope, {
          what: `${endpoint.method} ${endpoint.path}`,
          timeoutMs: options.timeoutMs ?? this.#setup.options.timeoutMs,
          onProgress: options.onDownloadProgress,
        })
      : parseResponse(
          answer,
          output,
          { endpoint, input, attempts, secrets: () => secretsOf(errand) },
          this.#setup.options,
        );
    return { data, response: responseInfo(errand, answer) };
  }

  /** Once a call, and not after a 403: a token in place of one that was refused. */
  async #renewToken(errand: RequestContext, outcome: AttemptResult): Promise<boolean> {
    const { token, renewed, options, scope, upload } = errand;
    if (outcome.kind !== 'answer' || outcome.answer.status !== 401) return false;
    if (token === undefined || renewed || options.accessToken !== undefined || upload?.isReplayable === false)
      return false;
    scope.outcomeUnknown = false;
    const other = await this.#setup.shared.tokens?.replace(token, scope);
    if (other === undefined) return false;
    errand.token = other;
    errand.renewed = true;
    return true;
  }

  /** What follows a failed attempt: the end, or a repeat after a wait, or the output where it could be read back. */
  async #recover(errand: RequestContext, fate: FailedAttempt): Promise<WithResponse<unknown> | undefined> {
    let { error, failure } = fate;
    if (this.#readsBack(errand, fate)) {
      const { confirmation, answer } = await confirmWrite(this, errand, errand.scope, {
        signal: errand.options.signal,
        confirmWindowMs: this.#setup.options.confirmWindowMs,
      });
      if (confirmation.done) return { data: confirmation.output, response: responseInfo(errand, answer) };
      if (confirmation.done !== false || !fate.outcomeUnknown) throw error;
      errand.resent = true;
      errand.scope.outcomeUnknown = false;
      // What was proved not to have been done is as good as never sent.
      failure = { kind: 'notSent' };
      if (error instanceof OutcomeUnknownError) error = error.cause;
    }
    const wait = failure && planRetry(errand, failure, this.#setup);
    if (wait === undefined) throw error;
    if (failure?.kind === 'errorResponse' && failure.status === 429) return undefined;
    emitWait(errand, wait, 'fault');
    await errand.scope.sleep(wait);
    return undefined;
  }

  #readsBack({ endpoint, resent }: RequestContext, { error, failure, outcomeUnknown }: FailedAttempt): boolean {
    if (this.#setup.options.onUnknownOutcome !== 'confirm' || !endpoint.confirm || !failure) return false;
    // A write sent again may be refused because the first one came through after all.
    return outcomeUnknown || (resent && error instanceof ApiError && error.status < 500);
  }

  #evidenceOf(errand: RequestContext): ErrorDiagnostics {
    const { confirmWindowMs } = this.#setup.options;
    return {
      curl: (options) => curlOf(errand, options),
      confirm: (options) =>
        confirmLater(this, errand, { ...options, confirmWindowMs: options.confirmWindowMs ?? confirmWindowMs }),
    };
  }
}

async function fileOf({ endpoint, parts }: RequestContext): Promise<Upload> {
  const { openUpload } = await import('./files/multipart.js');
  return openUpload(parts.body as FileInput, endpoint.maxUploadBytes);
}

function responseInfo(
  errand: RequestContext,
  { status, headers }: Pick<ResponseInfo, 'status' | 'headers'>,
): ResponseInfo {
  const { url, scope, startedAt } = errand;
  return {
    status,
    headers,
    url: redactUrl(url),
    requestId: requestIdOf(headers),
    attempts: scope.attempts,
    durationMs: performance.now() - startedAt,
  };
}

/** What an attempt tells of the service's limit. */
function rateLimitSignal(outcome: AttemptResult): RateLimitSignal {
  if (outcome.kind === 'fault' || outcome.answer.status >= 500) return 'other';
  return outcome.answer.status === 429 ? 'throttled' : 'answered';
}
