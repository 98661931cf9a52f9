import type { Confirmation, ConfirmContext } from './retry/confirm.js';
import type { DocumentedError, ErrorInBody } from './errors/documented-error.js';
import type { Schema } from './schema/schema.js';

/**
 * When a call may be repeated after a fault.
 *
 * - `safe`: nothing changes; repeated after any transient fault.
 * - `idempotent`: a write that leaves the same state however often it is sent; repeated like a read.
 * - `unsafe`: repeated only where the service certainly did nothing.
 */
export type RetryClass = 'safe' | 'idempotent' | 'unsafe';

/**
 * An operation of the service, described once, as data. The client calls it, the fake marketplace answers it, the
 * OpenAPI document prints it, and the law tests check it.
 */
export interface Endpoint<In = unknown, Out = unknown> {
  /** Its name in `endpoints`, e.g. `questions.answer`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** The path template: `{field}` is one segment, `{field*}` may hold several. */
  readonly path: `/${string}`;
  /** The fields of the input: those in the path go there, the rest is the query (GET, DELETE) or the JSON body. */
  readonly input: Schema<unknown, In>;
  readonly output: Schema<Out>;
  readonly retry: RetryClass;
  /** Fields that go to the query although the method has a body. */
  readonly inQuery?: readonly string[];
  /** Fields that go to a header, and its name. */
  readonly inHeader?: Readonly<Record<string, string>>;
  /** What is always in the query. */
  readonly query?: Readonly<Record<string, string>>;
  /** How the body travels; `json` unless said. A `multipart` body is the input's `file`, streamed. */
  readonly requestBody?: 'json' | 'multipart';
  /** The most bytes a `multipart` file may have. */
  readonly maxUploadBytes?: number;
  /** What a success carries; `json` unless said. A `stream` is delivered unread, as a `Download`. */
  readonly responseBody?: 'json' | 'stream';
  /** The documented refusals. */
  readonly errors: readonly DocumentedError[];
  /** Finds the refusal in a success whose body is one: GraphQL answers its errors with status 200. */
  readonly errorInBody?: (body: unknown) => ErrorInBody | undefined;
  /** What of the answer an `attributes` call option may pick; absent where it may not. */
  readonly supportsAttributes?: true;
  /**
   * Finds out, by reading back, whether a write whose answer was lost was carried out. It looks once; the caller looks
   * again for as long as the service may still be at it. What it throws counts as "unknown".
   */
  confirm?(input: In, back: ConfirmContext): Promise<Confirmation<Out>>;
}
