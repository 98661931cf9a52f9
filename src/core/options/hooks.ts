import type { Redactor } from '../errors/redactor.js';
import { requestIdOf } from '../errors/response-errors.js';
import type { Endpoint } from '../operation/endpoint.js';
import { ignoreErrors } from '../scope/cancel-scope.js';

/** Returns an access token. `rejected` is the token that the service has just rejected with 401. */
export type TokenProvider = (context: {
  readonly rejected?: string;
  /** Aborts when the token is no longer awaited: the provider took longer than `timeoutMs`. */
  readonly signal: AbortSignal;
}) => string | Promise<string>;

/** Identifies a call: the same object in all its events. It contains no token, no body and no query. */
export interface CallInfo {
  readonly endpoint: Endpoint;
  readonly baseUrl: string;
}

/** An attempt of a call, for a middleware. */
export interface MiddlewareContext {
  readonly endpoint: Endpoint;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The call of this attempt: the same object in all attempts and events of the call. */
  readonly call: CallInfo;
  readonly request: Request;
}

/** Wraps every attempt: reads or changes the request, calls `next`, reads or changes the response. */
export type Middleware = (
  attempt: MiddlewareContext,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>;

/** A logger with the usual methods: console, pino, winston. Its errors are ignored. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/**
 * A difference between a response and its documented shape: a value of another JSON type, a required field that is
 * missing, or a list that ends before its total. Unknown fields, enum values that are new or in another case, digits for
 * an integer, an integer for an id that is text, and `null` for what is optional are no drift. It does not contain the value.
 */
export interface Drift {
  readonly endpoint: Endpoint;
  /** The place in the response body. */
  readonly path: readonly PropertyKey[];
  /** What the schema expects there, as a sentence that names the field. */
  readonly expected: string;
  /** What the service sent: `string`, `number`, `boolean`, `object`, `list`, `null` or `nothing`. */
  readonly received: string;
}

/** Why a call waits: for the rate limit of the service, or before a retry after a failed attempt. */
type WaitReason = Extract<CallEvent, { readonly type: 'wait' }>['reason'];

/** An event of a call. */
export type CallEvent =
  | { readonly type: 'start'; readonly call: CallInfo }
  | { readonly type: 'attempt'; readonly call: CallInfo; readonly attempt: number }
  | {
      readonly type: 'response';
      readonly call: CallInfo;
      readonly attempt: number;
      readonly status: number;
      readonly requestId: string | undefined;
      readonly durationMs: number;
    }
  /** The attempt got no response; the `end` event has the error, if the call fails. */
  | { readonly type: 'error'; readonly call: CallInfo; readonly attempt: number }
  | {
      readonly type: 'wait';
      readonly call: CallInfo;
      /** The number of the attempt after the wait. */
      readonly attempt: number;
      /** The duration of the wait as far as it is known, in milliseconds. */
      readonly waitMs: number;
      readonly reason: 'rate limit' | 'fault';
    }
  | {
      readonly type: 'end';
      readonly call: CallInfo;
      readonly attempts: number;
      readonly durationMs: number;
      /** The error with which the call rejects; absent if it succeeds. */
      readonly error?: unknown;
      readonly status?: number | undefined;
    };

/** Observes calls, e.g. `openTelemetry()` of the `./otel` entry. */
export interface Tracing {
  /** Called with each event. Its errors are ignored. */
  observe(event: CallEvent): void;
  /** Wraps every attempt; `next` sends it. Unlike a middleware, it does not prevent the use of `node:http`. */
  wrapAttempt?<T>(
    attempt: {
      readonly call: CallInfo;
      readonly url: string;
      /** The headers of the request, with names in lower case. Headers that you add are sent. */
      readonly headers: Record<string, string>;
    },
    next: () => Promise<T>,
  ): Promise<T>;
  /** Wraps the storing of a notification; `traceparent` is stored with it. */
  wrapDelivery?<T>(
    delivery: {
      readonly topic: string;
    },
    next: (traceparent?: string) => Promise<T>,
  ): Promise<T>;
  /** Wraps a run of a handler, with the `traceparent` that was stored. */
  wrapHandler?<T>(
    run: {
      readonly topic: string;
      /** 1 for the first attempt. */
      readonly attempt: number;
      /** What `wrapDelivery` passed to `next`, perhaps in another process. */
      readonly traceparent?: string | undefined;
    },
    next: () => Promise<T>,
  ): Promise<T>;
  /** A middleware that is innermost, so it receives the request that is sent. */
  readonly middleware?: Middleware | undefined;
}

/** Receives the events of calls. */
export type Emit = (event: CallEvent) => void;

/** An observer of the user. It may be asynchronous; its result is not awaited. */
type Sink = (event: CallEvent) => unknown;

/** The part of a call that its events need. */
interface EmittingCall {
  readonly info: CallInfo;
  readonly attempts: number;
  readonly emit: Emit | undefined;
}

/** Emits that a call waits before its next attempt. */
export function emitWait({ info, attempts, emit }: EmittingCall, waitMs: number, reason: WaitReason): void {
  emit?.({ type: 'wait', call: info, attempt: attempts + 1, waitMs, reason });
}

/**
 * Emits the result of an attempt; without a `response`, the attempt failed. `sentAt` is a time of `performance.now()`.
 */
export function emitAttemptResult(
  { info: call, attempts: attempt, emit }: EmittingCall,
  response: { readonly status: number; readonly headers: Pick<Headers, 'get'> } | undefined,
  sentAt: number,
  redactor: Redactor,
): void {
  if (!response) {
    emit?.({ type: 'error', call, attempt });
    return;
  }
  const { status, headers } = response;
  const durationMs = performance.now() - sentAt;
  const echoed = requestIdOf(headers);
  const requestId = echoed && redactor.secrets(echoed);
  emit?.({ type: 'response', call, attempt, status, requestId, durationMs });
}

/** Returns what passes the events of a client on to its logger and its tracing; `undefined` if it has neither. */
export function emitterOf(logger: Logger | undefined, tracing: Tracing | undefined): Emit | undefined {
  const all: readonly (Sink | undefined)[] = [logger && logSink(logger), tracing?.observe.bind(tracing)];
  const sinks = all.filter((sink) => sink !== undefined);
  if (sinks.length === 0) return undefined;
  return (event) => {
    for (const sink of sinks) ignoreErrors(() => sink(event));
  };
}

/** A logger whose methods may be asynchronous. */
type AnyLogger = Readonly<Record<keyof Logger, (message: string, fields: object) => unknown>>;

function logSink(logger: AnyLogger): Sink {
  return (event) => {
    const { endpoint } = event.call;
    const what = `${endpoint.method} ${endpoint.path}`;
    switch (event.type) {
      case 'response': {
        const { attempt, status, requestId } = event;
        const durationMs = Math.round(event.durationMs);
        const fields = { endpoint: endpoint.name, attempt, status, requestId, durationMs };
        return logger.debug(`${what} responded ${status} after ${durationMs} ms`, fields);
      }
      case 'wait': {
        const { attempt, reason } = event;
        const waitMs = Math.round(event.waitMs);
        const why = reason === 'fault' ? 'after a fault' : 'for the rate limit';
        const fields = { endpoint: endpoint.name, attempt, waitMs, reason };
        return logger.info(`${what} waits ${waitMs} ms ${why}, before attempt ${attempt}`, fields);
      }
      case 'end': {
        if (!(event.error instanceof Error)) return undefined;
        const { attempts: attempt, status } = event;
        const durationMs = Math.round(event.durationMs);
        const { name: error, message } = event.error;
        return logger.warn(message, { endpoint: endpoint.name, error, attempt, status, durationMs });
      }
      default:
        return undefined;
    }
  };
}
