import { outputOf } from './answer.js';
import { ApiPromise } from './api-promise.js';
import type { ResponseInfo, WithResponse } from './api-promise.js';
import { attempt } from './attempt.js';
import type { Outcome } from './attempt.js';
import { reducedOutput } from './attributes.js';
import { Bounds } from './bounds.js';
import { curlOf } from './curl.js';
import { Download } from './download.js';
import type { DownloadProgress } from './download.js';
import type { Endpoint } from './endpoint.js';
import { secretsOf } from './errand.js';
import type { Errand } from './errand.js';
import {
  ApiError,
  InvalidInputError,
  OutcomeUnknownError,
  SellerError,
  attachEvidence,
  requestIdOf,
} from './errors.js';
import type { Evidence } from './errors.js';
import { Events } from './events.js';
import { fateOf, lastWord } from './fate.js';
import type { Fate } from './fate.js';
import { confirmLater, findOut } from './find-out.js';
import type { GivenFile } from './file-source.js';
import { enterGate, leaveGate } from './gate.js';
import { Line } from './line.js';
import type { Upload, UploadProgress } from './multipart.js';
import type { Result } from './pace.js';
import { shownUrl } from './redact.js';
import { mayRepeat, waitBefore } from './retry.js';
import type { Failure } from './retry.js';
import { checkCallOptions } from './settings.js';
import type { CallOptions, Settings } from './settings.js';
import { tellOutcome, tellWait } from './telling.js';
import { createSend } from './transport.js';
import type { Send } from './transport.js';
import { encode } from './wire.js';
import type { Wire } from './wire.js';

/** What a resource may add to the caller's options. */
export interface InternalOptions extends CallOptions {
  /** The fields to ask for and deliver; a method that offers this says which there are. */
  readonly attributes?: readonly string[] | undefined;
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly onDownloadProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** What a resource needs to make a call. */
export interface Caller {
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
}

type Answered = Outcome & { kind: 'answer' };

/** The first wait before a repeat is at most so long, in milliseconds. */
const baseMs = 500;
const noOptions: InternalOptions = {};

/** The life of a call: check, encode, send, repeat where that is safe, read. Shared by all resources of a client. */
export class HttpCaller implements Caller {
  readonly #settings: Settings;
  readonly #send: Send;
  readonly #line: Line;
  readonly #events: Events;
  readonly #headers: Readonly<Record<string, string>>;

  /** `relative` is the client this one is derived from: they share what belongs to the same host and token. */
  constructor(settings: Settings, relative?: HttpCaller) {
    this.#settings = settings;
    this.#send = createSend(settings);
    this.#line = relative !== undefined && relative.#line.serves(settings) ? relative.#line : new Line(settings);
    this.#events = new Events(settings);
    this.#headers = { accept: 'application/json', ...lowered(settings.headers) };
  }

  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options: InternalOptions = noOptions): ApiPromise<Out> {
    return new ApiPromise(this.#run(endpoint, input, options) as Promise<WithResponse<Out>>);
  }

  async #run(endpoint: Endpoint, input: unknown, options: InternalOptions): Promise<WithResponse<unknown>> {
    const errand = this.#errandOf(endpoint, input, options);
    const { bounds, emit, call, startedAt } = errand;
    let handedOver = false;
    emit?.({ type: 'start', call });
    try {
      if (endpoint.sends === 'multipart') errand.upload = await bounds.race(() => fileOf(errand));
      const result = await this.#attempts(errand);
      handedOver = endpoint.answers === 'stream';
      this.#line.budget.earn(bounds.attempts - 1);
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

  #errandOf(endpoint: Endpoint, given: unknown, options: InternalOptions): Errand {
    const startedAt = performance.now();
    if (options !== noOptions) checkCallOptions(options);
    const input = checkInput(endpoint, given ?? {});
    const wire = encode(endpoint, input);
    const output = options.attributes ? reducedOutput(endpoint, options.attributes) : endpoint.output;
    const body = wire.body === undefined || endpoint.sends === 'multipart' ? undefined : JSON.stringify(wire.body);
    const headers = {
      ...this.#headers,
      ...(endpoint.answers === 'stream' && { accept: '*/*' }),
      ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
      ...lowered(options.headers),
      ...wire.headers,
    };
    const { baseUrl, deadlineMs } = this.#settings;
    return {
      ...{ endpoint, input, wire, url: this.#urlOf(wire, options), headers, body, output, options, startedAt },
      bounds: new Bounds(`${endpoint.method} ${endpoint.path}`, options.signal, options.deadlineMs ?? deadlineMs),
      pace: this.#line.paceOf(options.accessToken),
      turn: this.#line.nextTurn(),
      call: { endpoint, baseUrl },
      emit: this.#events.sink,
      ...{ upload: undefined, token: undefined, firstSentAt: 0, renewed: false, resent: false },
    };
  }

  #urlOf(wire: Wire, { query, attributes }: InternalOptions): string {
    const { baseUrl, query: always } = this.#settings;
    if (!attributes && !query && !always) return baseUrl + wire.target;
    const url = new URL(baseUrl + wire.target);
    if (attributes) url.searchParams.set('attributes', attributes.join(','));
    for (const [name, value] of Object.entries({ ...always, ...query })) url.searchParams.set(name, String(value));
    return url.href;
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
    return accessToken ?? this.#line.tokens?.current(bounds);
  }

  /** Sends the request once, when the gates let it. */
  async #attempt(errand: Errand): Promise<Outcome> {
    const { bounds, pace, call, emit } = errand;
    const { gate, maxConcurrency = Infinity } = this.#settings;
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
    const outcome = await attempt(errand, this.#send, this.#settings);
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
          timeoutMs: options.timeoutMs ?? this.#settings.timeoutMs,
          onProgress: options.onDownloadProgress,
        })
      : outputOf(answer, output, { endpoint, input, attempts, secrets: () => secretsOf(errand) }, this.#settings);
    return { data, response: responseInfo(errand, answer) };
  }

  /** Once a call, and not after a 403: a token in place of one that was refused. */
  async #renewToken(errand: Errand, outcome: Outcome): Promise<boolean> {
    const { token, renewed, options, bounds, upload } = errand;
    if (outcome.kind !== 'answer' || outcome.answer.status !== 401) return false;
    if (token === undefined || renewed || options.accessToken !== undefined || upload?.once) return false;
    bounds.inDoubt = false;
    const other = await this.#line.tokens?.instead(token, bounds);
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
        settleMs: this.#settings.settleMs,
      });
      if (confirmation.done) return { data: confirmation.output, response: responseInfo(errand, answer) };
      if (confirmation.done !== false || !fate.doubt) throw error;
      errand.resent = true;
      errand.bounds.inDoubt = false;
      // What was proved not to have been done is as good as never sent.
      failure = { kind: 'unreachable' };
      if (error instanceof OutcomeUnknownError) error = error.cause;
    }
    const wait = failure && this.#waitBefore(errand, failure);
    if (wait === undefined) throw error;
    if (failure?.kind === 'refused' && failure.status === 429) return undefined;
    tellWait(errand, wait, 'fault');
    await errand.bounds.sleep(wait);
    return undefined;
  }

  /** How long to wait before a repeat; `undefined` where there is none. A 429 makes everybody wait at the gate. */
  #waitBefore({ endpoint, options, bounds, renewed, pace, upload }: Errand, failure: Failure): number | undefined {
    const { maxWaitMs, retries } = this.#settings;
    const throttled = failure.kind === 'refused' && failure.status === 429;
    const asked = failure.kind === 'refused' ? failure.retryAfterMs : undefined;
    const repeats = bounds.attempts - 1 - Number(renewed);
    const mayGoOn = repeats < (options.retries ?? retries) && mayRepeat(endpoint.retry, failure) && !upload?.once;
    const wait = throttled
      ? (asked ?? Math.min(pace.patienceMs, maxWaitMs))
      : waitBefore({ baseMs, capMs: maxWaitMs }, repeats + 1, failure);
    if (wait === undefined || wait > maxWaitMs) return undefined;
    if (throttled && (mayGoOn || asked !== undefined)) pace.close(wait);
    if (!mayGoOn || wait >= bounds.leftMs) return undefined;
    return throttled || this.#line.budget.take() ? wait : undefined;
  }

  #readsBack({ endpoint, resent }: Errand, { error, failure, doubt }: Fate): boolean {
    if (this.#settings.onUnknownOutcome !== 'confirm' || !endpoint.confirm || !failure) return false;
    // A write sent again may be refused because the first one came through after all.
    return doubt || (resent && error instanceof ApiError && error.status < 500);
  }

  #evidenceOf(errand: Errand): Evidence {
    const { settleMs } = this.#settings;
    return {
      curl: (options) => curlOf(errand, options),
      confirm: (options) => confirmLater(this, errand, { ...options, settleMs: options.settleMs ?? settleMs }),
    };
  }
}

function checkInput(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const parsed = endpoint.input.safeParse(input);
  if (!parsed.success) throw new InvalidInputError(parsed.error.issues);
  return parsed.data as Record<string, unknown>;
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

function lowered(headers: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
