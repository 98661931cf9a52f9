import type { Endpoint } from '../endpoint.js';

/** Supplies an access token; `rejected` is the token that the service has just answered with 401. */
export type TokenProvider = (context: {
  readonly rejected?: string;
  /** Aborts when the token is no longer awaited: the provider took longer than `timeoutMs`. */
  readonly signal: AbortSignal;
}) => string | Promise<string>;

/** One call, as its events identify it: the same object in all of them. It holds no token, no body and no query. */
export interface CallInfo {
  readonly endpoint: Endpoint;
  readonly baseUrl: string;
}

/** One attempt of a call, as a middleware receives it. */
export interface Attempt {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  /** The call it belongs to: the same object in all its attempts and events. */
  readonly call: CallInfo;
  readonly request: Request;
}

/** Wraps every attempt: reads or changes the request, calls `next`, reads or changes the response. */
export type Middleware = (attempt: Attempt, next: (request: Request) => Promise<Response>) => Promise<Response>;

/** A logger with the usual methods: console, pino, winston. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** One place where a response differs from its documented shape, without its value. */
export interface Drift {
  readonly endpoint: Endpoint;
  /** Where in the response body. */
  readonly path: readonly PropertyKey[];
  /** What the schema takes there, in a sentence that names the field. */
  readonly expected: string;
  /** What came: `string`, `number`, `boolean`, `object`, `list`, `null` or `nothing`. */
  readonly received: string;
}

/** Why a call waits: for the rate limit of the service, or before a retry after a failed attempt. */
export type WaitReason = 'rate limit' | 'fault';

/** A call that begins to wait. */
export interface Wait {
  readonly endpoint: Endpoint;
  /** The attempt that follows the wait. */
  readonly attempt: number;
  /** How long the wait takes as far as that is known, in milliseconds. */
  readonly waitMs: number;
  readonly reason: WaitReason;
}

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
      readonly type: 'delay';
      readonly call: CallInfo;
      /** The attempt that follows the wait. */
      readonly attempt: number;
      readonly waitMs: number;
      readonly reason: WaitReason;
    }
  | {
      readonly type: 'end';
      readonly call: CallInfo;
      readonly attempts: number;
      readonly durationMs: number;
      /** What the call rejects with; absent where it succeeds. */
      readonly error?: unknown;
      readonly status?: number | undefined;
    };

/** One attempt of a call, as tracing receives it. */
export interface TracedAttempt {
  readonly call: CallInfo;
  readonly url: string;
  /** What is added here is sent. Names are in lower case. */
  readonly headers: Record<string, string>;
}

/** Observes calls, e.g. `openTelemetry()` of the `./otel` entry. */
export interface Tracing {
  /** Called with each event. Errors that it throws are ignored. */
  observe(event: CallEvent): void;
  /** Wraps every attempt; `next` sends it. It needs no `Request`, so `node:http` can still send the call. */
  wrapAttempt?<T>(attempt: TracedAttempt, next: () => Promise<T>): Promise<T>;
  /** The innermost middleware: it wraps what is really sent. */
  readonly middleware?: Middleware | undefined;
}
