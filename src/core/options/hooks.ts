import type { Endpoint } from '../operation/endpoint.js';

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
export interface Attempt {
  readonly endpoint: Endpoint;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The call of this attempt: the same object in all attempts and events of the call. */
  readonly call: CallInfo;
  readonly request: Request;
}

/** Wraps every attempt: reads or changes the request, calls `next`, reads or changes the response. */
export type Middleware = (attempt: Attempt, next: (request: Request) => Promise<Response>) => Promise<Response>;

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
export type WaitReason = 'rate limit' | 'fault';

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
      readonly reason: WaitReason;
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

/** An attempt of a call, for tracing. */
export interface TracedAttempt {
  readonly call: CallInfo;
  readonly url: string;
  /** The headers of the request, with names in lower case. Headers that you add are sent. */
  readonly headers: Record<string, string>;
}

/** A delivery of a notification, for tracing. */
export interface TracedDelivery {
  readonly topic: string;
}

/** A run of the handler of a notification, for tracing. */
export interface TracedRun {
  readonly topic: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** What `wrapDelivery` passed to `next`, perhaps in another process. */
  readonly traceparent?: string | undefined;
}

/** Observes calls, e.g. `openTelemetry()` of the `./otel` entry. */
export interface Tracing {
  /** Called with each event. Its errors are ignored. */
  observe(event: CallEvent): void;
  /** Wraps every attempt; `next` sends it. Unlike a middleware, it does not prevent the use of `node:http`. */
  wrapAttempt?<T>(attempt: TracedAttempt, next: () => Promise<T>): Promise<T>;
  /** Wraps the storing of a notification; `traceparent` is stored with it. */
  wrapDelivery?<T>(delivery: TracedDelivery, next: (traceparent?: string) => Promise<T>): Promise<T>;
  /** Wraps a run of a handler, with the `traceparent` that was stored. */
  wrapHandler?<T>(run: TracedRun, next: () => Promise<T>): Promise<T>;
  /** A middleware that is innermost, so it receives the request that is sent. */
  readonly middleware?: Middleware | undefined;
}
