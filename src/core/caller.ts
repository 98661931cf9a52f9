import { TokenSource } from './access-token.js';
import { outputOf, refusalOf } from './answer.js';
import type { Answer, Asked } from './answer.js';
import { ApiPromise } from './api-promise.js';
import type { WithResponse } from './api-promise.js';
import { reducedOutput } from './attributes.js';
import { Bounds } from './bounds.js';
import type { Endpoint } from './endpoint.js';
import {
  ConfigurationError,
  ConnectionError,
  InvalidInputError,
  OutcomeUnknownError,
  SellerError,
  TimeoutError,
  requestIdOf,
} from './errors.js';
import { Gate } from './gate.js';
import { scrub } from './redact.js';
import { defaultRetry, mayRepeat, waitBefore, wasNeverSent } from './retry.js';
import type { Failure } from './retry.js';
import type { Schema } from './schema.js';
import type { CallOptions, Settings } from './settings.js';
import { createSend } from './transport.js';
import type { Send } from './transport.js';
import { encode } from './wire.js';
import type { Wire } from './wire.js';

/** A body that is built anew for each attempt. */
export interface Body {
  readonly body: BodyInit;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a resource may add to the caller's options. */
export interface InternalOptions extends CallOptions {
  readonly makeBody?: (() => Promise<Body>) | undefined;
  readonly onUploadProgress?: ((sentBytes: number) => void) | undefined;
}

/** What a resource needs to make a call. */
export interface Caller {
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
}

/** An answer that is handed over unread; `release` ends its bounds and must be called when the body is done with. */
export interface StreamedAnswer {
  readonly response: Response;
  readonly bounds: Bounds;
}

/** What came of one attempt. */
type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly response?: Response }
  | { readonly kind: 'fault'; readonly error: unknown; readonly timedOut: boolean };

/** Everything one call carries through its attempts. */
interface Errand {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  readonly wire: Wire;
  readonly url: string;
  readonly output: Schema;
  readonly options: InternalOptions;
  readonly bounds: Bounds;
  readonly startedAt: number;
}

/** The life of a call: check, encode, send, repeat where that is safe, read. Shared by all resources of a client. */
export class HttpCaller implements Caller {
  readonly #settings: Settings;
  readonly #send: Send;
  readonly #tokens: TokenSource | undefined;
  readonly #gate = new Gate();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#send = createSend(settings);
    this.#tokens = settings.accessToken === undefined ? undefined : new TokenSource(settings.accessToken);
  }

  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options: InternalOptions = {}): ApiPromise<Out> {
    return new ApiPromise(this.#run(endpoint, input, options) as Promise<WithResponse<Out>>);
  }

  async #run(endpoint: Endpoint, input: unknown, options: InternalOptions): Promise<WithResponse<unknown>> {
    const startedAt = performance.now();
    const checked = checkInput(endpoint, input ?? {});
    const wire = encode(endpoint, checked);
    const output = options.attributes ? reducedOutput(endpoint, options.attributes) : endpoint.output;
    const url = this.#urlOf(wire, options);
    const bounds = new Bounds(
      `${endpoint.method} ${endpoint.path}`,
      options.signal,
      options.deadlineMs ?? this.#settings.deadlineMs,
    );
    let handedOver = false;
    try {
      const result = await this.#attempts({ endpoint, input, wire, url, output, options, bounds, startedAt });
      handedOver = endpoint.answers === 'stream';
      return result;
    } finally {
      if (!handedOver) bounds.close();
    }
  }

  #urlOf(wire: Wire, { query, attributes }: CallOptions): string {
    const url = new URL(this.#settings.baseUrl + wire.target);
    if (attributes) url.searchParams.set('attributes', attributes.join(','));
    for (const [name, value] of Object.entries({ ...this.#settings.query, ...query }))
      url.searchParams.set(name, String(value));
    return url.href;
  }

  async #attempts(errand: Errand): Promise<WithResponse<unknown>> {
    const { endpoint, bounds, options } = errand;
    const retries = options.retries ?? this.#settings.retries;
    let token = await this.#tokenFor(options, bounds);
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      await this.#gate.pass(bounds);
      const outcome = await this.#attempt(errand, attempt, token);
      if (outcome.kind === 'answer' && outcome.answer.status < 300)
        return this.#deliver(errand, outcome, attempt, token);

      if (
        outcome.kind === 'answer' &&
        outcome.answer.status === 401 &&
        token !== undefined &&
        options.accessToken === undefined &&
        !renewed
      ) {
        renewed = true;
        const other = await this.#tokens?.instead(token, bounds);
        if (other !== undefined) {
          token = other;
          continue;
        }
      }
      const { error, failure } = this.#failureOf(outcome, errand, attempt, token);
      if (error instanceof SellerError && error === bounds.ended) throw this.#lastWord(error, errand, attempt);
      const wait =
        attempt <= retries && mayRepeat(endpoint.retry, failure)
          ? waitBefore(defaultRetry, attempt, failure)
          : undefined;
      if (failure.kind === 'refused' && failure.status === 429) this.#gate.close(wait ?? 0);
      if (wait === undefined || (bounds.deadline !== undefined && Date.now() + wait >= bounds.deadline))
        throw this.#lastWord(error, errand, attempt);
      this.#settings.logger?.info(
        `${endpoint.method} ${endpoint.path} waits ${Math.round(wait)} ms before attempt ${attempt + 1}`,
      );
      await bounds.sleep(wait);
    }
  }

  async #tokenFor({ accessToken }: CallOptions, bounds: Bounds): Promise<string | undefined> {
    if (accessToken === null) return undefined;
    return accessToken ?? (await this.#tokens?.current(bounds));
  }

  async #attempt(errand: Errand, attempt: number, token: string | undefined): Promise<Outcome> {
    const { endpoint, wire, url, options, bounds } = errand;
    const made = await options.makeBody?.();
    const body = made?.body ?? (wire.body === undefined ? undefined : JSON.stringify(wire.body));
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(body !== undefined && !made && { 'content-type': 'application/json; charset=utf-8' }),
      ...lowered(this.#settings.headers),
      ...lowered(options.headers),
      ...wire.headers,
      ...made?.headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const controller = new AbortController();
    const { signal } = controller;
    const send = async (): Promise<Outcome> => {
      const response = await this.#send({
        endpoint,
        attempt,
        url,
        headers,
        body,
        signal,
        onUploadProgress: options.onUploadProgress,
      });
      if (signal.aborted) await response.body?.cancel().catch(() => undefined);
      const streamed = endpoint.answers === 'stream' && response.ok;
      const text = streamed ? '' : await response.text();
      const answer: Answer = { status: response.status, headers: response.headers, text, url };
      return { kind: 'answer', answer, ...(streamed && { response }) };
    };
    const limit = options.timeoutMs ?? this.#settings.timeoutMs;
    try {
      return await bounds.race(
        send,
        (error) => {
          controller.abort(error);
        },
        limit,
      );
    } catch (error) {
      return { kind: 'fault', error, timedOut: error instanceof TimeoutError };
    }
  }

  #deliver(
    errand: Errand,
    outcome: Outcome & { kind: 'answer' },
    attempts: number,
    token: string | undefined,
  ): WithResponse<unknown> {
    const { endpoint, input, output, startedAt, bounds } = errand;
    const { answer, response } = outcome;
    const asked: Asked = { endpoint, input, secrets: secretsOf(token), attempts };
    const data = response
      ? ({ response, bounds } satisfies StreamedAnswer)
      : outputOf(answer, output, asked, this.#settings);
    return {
      data,
      response: {
        status: answer.status,
        headers: answer.headers,
        url: answer.url,
        requestId: requestIdOf(answer.headers),
        attempts,
        durationMs: performance.now() - startedAt,
      },
    };
  }

  #failureOf(
    outcome: Outcome,
    errand: Errand,
    attempts: number,
    token: string | undefined,
  ): { error: unknown; failure: Failure } {
    const { endpoint, input } = errand;
    if (outcome.kind === 'fault') {
      if (outcome.timedOut) return { error: outcome.error, failure: { kind: 'lost' } };
      const failure: Failure = { kind: wasNeverSent(outcome.error) ? 'unreachable' : 'lost' };
      return { error: faultOf(outcome.error, endpoint, attempts, secretsOf(token)), failure };
    }
    const { error, refusal } = refusalOf(outcome.answer, { endpoint, input, secrets: secretsOf(token), attempts });
    const { status, retryAfterMs } = error;
    return { error, failure: { kind: 'refused', status, retryAfterMs, passing: refusal?.passing === true } };
  }

  /** The error a call ends with: a write whose answer was lost says that its outcome is unknown. */
  #lastWord(error: unknown, { endpoint }: Errand, attempts: number): unknown {
    if (endpoint.retry === 'read' || !(error instanceof ConnectionError) || wasNeverSent(error.cause)) return error;
    return new OutcomeUnknownError(
      `${endpoint.method} ${endpoint.path} was sent and its answer was lost (${error.message}): it may or may not have been carried out. Read back before repeating it.`,
      { cause: error, attempts },
    );
  }
}

function checkInput(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const parsed = endpoint.input.safeParse(input);
  if (!parsed.success) throw new InvalidInputError(parsed.error.issues);
  return parsed.data as Record<string, unknown>;
}

function faultOf(fault: unknown, endpoint: Endpoint, attempts: number, secrets: readonly string[]): unknown {
  if (fault instanceof SellerError) return fault;
  const raw = fault instanceof Error && fault.name === 'NetworkError' ? (fault.cause ?? fault) : fault;
  const inner = raw instanceof Error ? raw.cause : undefined;
  const code = inner instanceof Error ? ((inner as NodeJS.ErrnoException).code ?? inner.message) : undefined;
  const why =
    raw instanceof Error ? raw.message + (code ? ` (${code})` : '') : 'fetch rejected with something that is no error';
  return new ConnectionError(scrub(`${endpoint.method} ${endpoint.path} got no answer: ${why}`, secrets), {
    cause: raw,
    attempts,
  });
}

function secretsOf(token: string | undefined): string[] {
  return token === undefined ? [] : [token];
}

/** @throws {ConfigurationError} when a header cannot be sent. */
function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
        throw new ConfigurationError('`headers` holds a name that no header can have');
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
        throw new ConfigurationError(`the header \`${name}\` holds characters that no header can carry`);
      return [name.toLowerCase(), value];
    }),
  );
}
