import type { ApiPromise } from './api-promise.js';
import type { Confirmation } from './errors/confirmation.js';
import type { DocumentedError, ErrorInBody } from './errors/documented-error.js';
import type { CallOptions, InternalOptions } from './options/call-options.js';
import type { StandardSchema } from './schema/standard-schema.js';

/**
 * When a call may be retried after a failure.
 *
 * - `safe`: the request changes nothing; it is retried after any transient failure.
 * - `idempotent`: a write that leaves the same state however often it is sent; it is retried like a read.
 * - `unsafe`: it is retried only where the service certainly did nothing.
 */
export type RetryClass = 'safe' | 'idempotent' | 'unsafe';

/**
 * An operation of the service, described once, as data. The client calls it, the fake marketplace answers it, the
 * OpenAPI document prints it, and the contract tests check it.
 */
export interface Endpoint<In = unknown, Out = unknown> {
  /** Its name in `endpoints`, e.g. `questions.answer`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** The path template: `{field}` is one segment, `{field*}` may hold several. */
  readonly path: `/${string}`;
  /** The fields of the input: those in the path fill it, the rest is the query (GET, DELETE) or the JSON body. */
  readonly input: StandardSchema<unknown, In>;
  readonly output: StandardSchema<Out, unknown>;
  readonly retry: RetryClass;
  /** Fields that go to the query although the method has a body. */
  readonly inQuery?: readonly string[];
  /** Fields that go to a header, and its name. */
  readonly inHeader?: Readonly<Record<string, string>>;
  /** Query parameters that every request has. */
  readonly query?: Readonly<Record<string, string>>;
  /**
   * How the body is sent. A `multipart` body is the input's `file`, streamed.
   *
   * @default 'json'
   */
  readonly requestBody?: 'json' | 'multipart';
  /**
   * The largest size of a `multipart` file, in bytes.
   *
   * @default no limit
   */
  readonly maxUploadBytes?: number;
  /**
   * What a success contains. A `stream` is delivered unread, as a `Download`.
   *
   * @default 'json'
   */
  readonly responseBody?: 'json' | 'stream';
  /** The documented errors. */
  readonly errors: readonly DocumentedError[];
  /** Finds the error in the body of a success: GraphQL reports its errors with status 200. */
  readonly errorInBody?: (body: unknown) => ErrorInBody | undefined;
  /** Present where an `attributes` call option may select fields of the response. */
  readonly supportsAttributes?: true;
  /**
   * Finds out, by reading back, whether a write whose response was lost was carried out. It looks once; the client looks
   * again while the service may still carry it out. An error that it throws counts as "unknown".
   */
  confirm?(input: In, context: ConfirmContext): Promise<Confirmation<Out>>;
}

/** Makes the calls of a resource. */
export interface Requester {
  /** The deadline of a call that states none, in milliseconds; operations of several calls keep it as a whole. */
  readonly deadlineMs?: number | undefined;
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
}

/** What an endpoint's `confirm` may use to find out. */
export interface ConfirmContext {
  /** Makes a call with the token and headers of the write. */
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: CallOptions): ApiPromise<Out>;
  /** When the write was sent, in milliseconds since 1970 by the service's clock, read from the headers of a response. */
  sentAt(headers: Headers): number;
  /** How many equal writes this client has sent lately whose outcome was success or is unknown, this one included. */
  readonly equalWrites: number;
  /** The user whom the access token names; `undefined` where it names none. */
  readonly userId: string | undefined;
}
