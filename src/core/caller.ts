import { ApiPromise } from './api-promise.js';
import type { ResponseInfo, WithResponse } from './api-promise.js';
import { attempt } from './attempt.js';
import type { Outcome } from './attempt.js';
import { curlOf } from './curl.js';
import { Download } from './download.js';
import type { Endpoint } from './endpoint.js';
import { secretsOf } from './errand.js';
import type { Errand, InternalOptions } from './errand.js';
import { ApiError, OutcomeUnknownError, requestIdOf } from './errors.js';
import { fateOf, lastWord } from './fate.js';
import type { Fate } from './fate.js';
import type { GivenFile } from './file-source.js';
import { confirmLater, findOut } from './find-out.js';
import { enterGate, leaveGate } from './gate.js';
import { Line } from './line.js';
import type { Upload } from './multipart.js';
import { outputOf } from './output.js';
import type { Result } from './pace.js';
import { noOptions, prepare, setUp } from './prepare.js';
import type { Setup } from './prepare.js';
import { shownUrl } from './redact.js';
import { waitToRepeat } from './repeat.js';
import { SellerError, attachEvidence } from './seller-error.js';
import type { Evidence } from './seller-error.js';
import type { Settings } from './settings.js';
import { tellOutcome, tellWait } from './telling.js';
import { createSend } from './transport.js';
import type { Send } from './transport.js';

/** What a resource needs to make a call. */
export interface Caller {
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
}

type Answered = Outcome & { kind: 'answer' };

/** The life of a call: check, encode, send, repeat where that is safe, read. Shared by all resources of a client. */
export class HttpCaller implements Caller {
  readonly #setup: Setup;
  readonly #send: Send;

  /** `relative` is the client this one is derived from: they share what belongs to the same host and token. */
  constructor(settings: Settings, relative?: HttpCaller) {
    const shared = relative !== undefined && relative.#setup.line.serves(settings) ? relative.#setup.line : undefined;
    this.#setup = setUp(settings, shared ?? new Line(settings));
    this.#send = createSend(settings);
  }

  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options: InternalOptions = noOptions): ApiPromise<Out> {
    return new ApiPromise(this.#run(endpoint, input, options) as Promise<WithResponse<Out>>);
  }

  async #run(endpoint: Endpoint, input: unknown, options: InternalOptions): Promise<WithResponse<unknown>> {
    const errand = prepare(endpoint, input, options, this.#setup);
    const { bounds, emit, call, startedAt } = errand;
    let handedOver = false;
    emit?.({ type: 'start', call });
    try {
      if (endpoint.sends === 'multipart') errand.upload = await bounds.race(() => fileOf(errand));
      const result = await this.#attempts(errand);
      handedOver = endpoint.answers === 'stream';
      this.#setup.line.budget.earn(bounds.attempts - 1);
      const { status, attempts, durationMs } = result.response;
      emit?.({ type: 'end', call, attempts, durationMs, status });
      return result;
    } catch (thrown) {
      const error = lastWord(thrown, errand);
      if (error instanceof SellerError) attachEvidence(error, this.#evidenceOf(errand));
      const status = error instanceof ApiError ? error.status : undefined;
      const durationMs = performance.now() - startedAt;
      emit?.({ type: 'end', call, attempts: bounds.attempts, durationMs, status, error });
      throw error;
    } finally {
      if (!handedOver) bounds.close();
    }
  }

  async #attempts(errand: Errand): Promise<WithResponse<unknown>> {
    const { bounds } = errand;
    bounds.throwIfEnded();
    const token = this.#tokenFor(errand);
    errand.token = typeof token === 'object' ? await token : token;
    for (;;) {
      const outcome = await this.#attempt(errand);
      if (outcome.kind === 'answer' && outcome.answer.status >= 200 && outcome.answer.status < 300) {
        bounds.inDoubt = false;
        return this.#deliver(errand, outcome);
      }
      if (await this.#renewToken(errand, outcome)) continue;
      const fate = fateOf(outcome, errand);
      bounds.inDoubt = fate.doubt;
      const found = await this.#recover(errand, fate);
      if (found) return found;
    }
  }

  #tokenFor({ options: { accessToken }, bounds }: Errand): string | undefined | Promise<string> {
    if (accessToken === null) return undefined;
    return accessToken ?? this.#setup.line.tokens?.current(bounds);
  }

  /** Sends the request once, when the gates let it. */
  async #attempt(errand: Errand): Promise<Outcome> {
    const { bounds, pace, call, emit } = errand;
    const { gate, maxConcurrency = Infinity } = this.#setup.settings;
    if (gate) await enterGate(gate, errand);
    if (!pace.tryEnter(maxConcurrency)) {
      await pace.enter(bounds, errand.turn, maxConcurrency, (waitMs) => {
        tellWait(errand, waitMs, 'rate limit');
      });
    }
    bounds.attempts += 1;
    emit?.({ type: 'attempt', call, attempt: bounds.attempts });
    const sentAt = performance.now();
    errand.firstSentAt ||= sentAt;
    const outcome = await attempt(errand, this.#send, this.#setup.settings);
    pace.leave(resultOf(outcome), sentAt);
    if (emit) tellOutcome(errand, outcome, sentAt);
    if (gate) leaveGate(gate, errand, outcome);
    return outcome;
  }

  #deliver(errand: Errand, { answer, response }: Answered): WithResponse<unknown> {
    const { endpoint, input, output, bounds, options } = errand;
    const { attempts } = bounds;
    const data = response
      ? new Download(response, bounds, {
          what: `${endpoint.method} ${endpoint.path}`,
          timeoutMs: options.timeoutMs ?? this.#setup.settings.timeoutMs,
          onProgress: options.onDownloadProgress,
        })
      : outputOf(answer, output, { endpoint, input, attempts, secrets: () => secretsOf(errand) }, this.#setup.settings);
    return { data, response: responseInfo(errand, answer) };
  }

  /** Once a call, and not after a 403: a token in place of one that was refused. */
  async #renewToken(errand: Errand, outcome: Outcome): Promise<boolean> {
    const { token, renewed, options, bounds, upload } = errand;
    if (outcome.kind !== 'answer' || outcome.answer.status !== 401) return false;
    if (token === undefined || renewed || options.accessToken !== undefined || upload?.once) return false;
    bounds.inDoubt = false;
    const other = await this.#setup.line.tokens?.instead(token, bounds);
    if (other === undefined) return false;
    errand.token = other;
    errand.renewed = true;
    return true;
  }

  /** What follows a failed attempt: the end, or a repeat after a wait, or the output where it could be read back. */
  async #recover(errand: Errand, fate: Fate): Promise<WithResponse<unknown> | undefined> {
    let { error, failure } = fate;
    if (this.#readsBack(errand, fate)) {
      const { confirmation, answer } = await findOut(this, errand, errand.bounds, {
        signal: errand.options.signal,
        settleMs: this.#setup.settings.settleMs,
      });
      if (confirmation.done) return { data: confirmation.output, response: responseInfo(errand, answer) };
      if (confirmation.done !== false || !fate.doubt) throw error;
      errand.resent = true;
      errand.bounds.inDoubt = false;
      // What was proved not to have been done is as good as never sent.
      failure = { kind: 'unreachable' };
      if (error instanceof OutcomeUnknownError) error = error.cause;
    }
    const wait = failure && waitToRepeat(errand, failure, this.#setup);
    if (wait === undefined) throw error;
    if (failure?.kind === 'refused' && failure.status === 429) return undefined;
    tellWait(errand, wait, 'fault');
    await errand.bounds.sleep(wait);
    return undefined;
  }

  #readsBack({ endpoint, resent }: Errand, { error, failure, doubt }: Fate): boolean {
    if (this.#setup.settings.onUnknownOutcome !== 'confirm' || !endpoint.confirm || !failure) return false;
    // A write sent again may be refused because the first one came through after all.
    return doubt || (resent && error instanceof ApiError && error.status < 500);
  }

  #evidenceOf(errand: Errand): Evidence {
    const { settleMs } = this.#setup.settings;
    return {
      curl: (options) => curlOf(errand, options),
      confirm: (options) => confirmLater(this, errand, { ...options, settleMs: options.settleMs ?? settleMs }),
    };
  }
}

async function fileOf({ endpoint, wire }: Errand): Promise<Upload> {
  const { openUpload } = await import('./multipart.js');
  return openUpload(wire.body as GivenFile, endpoint.maxUploadBytes);
}

function responseInfo(errand: Errand, { status, headers }: Pick<ResponseInfo, 'status' | 'headers'>): ResponseInfo {
  const { url, bounds, startedAt } = errand;
  return {
    status,
    headers,
    url: shownUrl(url),
    requestId: requestIdOf(headers),
    attempts: bounds.attempts,
    durationMs: performance.now() - startedAt,
  };
}

/** What an attempt tells of the service's limit. */
function resultOf(outcome: Outcome): Result {
  if (outcome.kind === 'fault' || outcome.answer.status >= 500) return 'other';
  return outcome.answer.status === 429 ? 'throttled' : 'answered';
}
