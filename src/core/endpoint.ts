import type { Confirmation, ReadBack } from './confirm.js';
import type { Refusal, RefusedWithin } from './refusal.js';
import type { Schema } from './schema.js';

/**
 * When a call may be repeated after a fault.
 *
 * - `read`: nothing changes; repeated after any transient fault.
 * - `idempotent`: a write that leaves the same state however often it is sent; repeated like a read.
 * - `write`: repeated only where the service certainly did nothing.
 */
export type RetryClass = 'read' | 'idempotent' | 'write';

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
  readonly sends?: 'json' | 'multipart';
  /** The most bytes a `multipart` file may have. */
  readonly maxUploadBytes?: number;
  /** What a success carries; `json` unless said. A `stream` is delivered unread, as a `Download`. */
  readonly answers?: 'json' | 'stream';
  /** The documented refusals. */
  readonly errors: readonly Refusal[];
  /** Finds the refusal in a success whose body is one: GraphQL answers its errors with status 200. */
  readonly refusedWithin?: (body: unknown) => RefusedWithin | undefined;
  /** What of the answer an `attributes` call option may pick; absent where it may not. */
  readonly reducible?: true;
  /**
   * Finds out, by reading back, whether a write whose answer was lost was carried out. It looks once; the caller looks
   * again for as long as the service may still be at it. What it throws counts as "unknown".
   */
  confirm?(input: In, back: ReadBack): Promise<Confirmation<Out>>;
}
