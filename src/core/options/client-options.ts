import type { TokenProvider } from '../auth/token-source.js';
import type { Endpoint } from '../endpoint.js';
import type { CallEvent, CallInfo, WaitReason } from '../observability/events.js';
import type { Limiter } from '../rate-limit/limiter.js';

/** One attempt of a call, as a middleware sees it. */
export interface Attempt {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  /** The call it belongs to: the same object in all its attempts and events. */
  readonly call: CallInfo;
  readonly request: Request;
}

/** Stands around every attempt: looks at or changes the request, calls `next`, looks at or changes the answer. */
export type Middleware = (attempt: Attempt, next: (request: Request) => Promise<Response>) => Promise<Response>;

/** A sink of the usual shape: console, pino, winston. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** An answer that strays from its documented shape, told without its values. */
export interface Drift {
  readonly endpoint: Endpoint;
  /** Where in the answer. */
  readonly path: readonly PropertyKey[];
  /** What the schema takes there, in a sentence that names the field. */
  readonly expected: string;
  /** What came: `string`, `number`, `boolean`, `object`, `list`, `null` or `nothing`. */
  readonly received: string;
}

/** A wait that a call goes through. */
export interface Wait {
  readonly endpoint: Endpoint;
  /** The attempt that is waited for. */
  readonly attempt: number;
  /** How long it will take as far as it is known, in milliseconds. */
  readonly waitMs: number;
  readonly reason: WaitReason;
}

/** Watches the life of calls, e.g. `openTelemetry()` of the `./otel` entry. */
export interface Tracing {
  /** Told of each event. What it throws is ignored. */
  observe(event: CallEvent): void;
  /** Stands innermost, around what is really sent. */
  readonly middleware?: Middleware | undefined;
}

/** How a `SellerClient` is set up. */
export interface ClientOptions {
  /** Where the service is, e.g. `https://api.example.com`. `http:` only for loopback, or with `allowInsecure`. */
  readonly baseUrl: string;
  /** The access token, or a function that supplies one: asked before each call, and again after a 401. */
  readonly accessToken?: string | TokenProvider | undefined;
  /** What sends requests; the platform's `fetch` unless given. */
  readonly fetch?: ((request: Request) => Promise<Response>) | typeof globalThis.fetch | undefined;
  /** Bounds one attempt, its body included, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Bounds a whole call with its waits, in milliseconds. Default: none. */
  readonly deadlineMs?: number | undefined;
  /** How many times a call may be repeated where that is safe. Default 2. */
  readonly maxRetries?: number | undefined;
  /** No wait between two attempts is longer, in milliseconds; a longer `Retry-After` is an error. Default 30,000. */
  readonly maxRetryDelayMs?: number | undefined;
  /**
   * What follows when the answer to a write is lost: `throw` an OutcomeUnknownError (default), or `confirm` by reading
   * back, and send again only when it was not carried out. Endpoints that cannot be read back throw all the same.
   */
  readonly onUnknownOutcome?: 'throw' | 'confirm' | undefined;
  /** For how long after a fault the service may still carry out a write, in milliseconds. Default 3,000. */
  readonly confirmWindowMs?: number | undefined;
  /** What happens to an answer of another shape: `throw` (default), `report` to `onDrift` and deliver, or `off`. */
  readonly responseValidation?: 'throw' | 'report' | 'off' | undefined;
  /** Told of each place where an answer strays; what it throws is ignored. */
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  /** Told when a call begins to wait, for how long and why; what it throws is ignored. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to every call's query. */
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  readonly logger?: Logger | undefined;
  readonly tracing?: Tracing | undefined;
  /** How many requests may be under way at once, per token. Default: no bound. */
  readonly maxConcurrency?: number | undefined;
  /** A gate of your own, e.g. one that shares a limit between machines. */
  readonly limiter?: Limiter | undefined;
  /** Allows an `http:` base URL on another host than this one. Tokens then travel in clear text. */
  readonly allowInsecure?: boolean | undefined;
}

/** What one call may say differently. */
export interface CallOptions {
  /** Ends the call at once. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Added to, and over, the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to the query as it is: the open door for undocumented parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Another token for this call; `null` sends none. */
  readonly accessToken?: string | null | undefined;
}
