import type { Endpoint } from '../../core/endpoint.js';
import type { DocumentedError } from '../../core/errors/documented-error.js';
import type { Issue } from '../../core/schema/issue.js';
import type { Bearer } from '../state/accounts.js';
import type { Clock } from '../clock.js';

/** What a behaviour knows of the request beside its input. */
export interface HandlerContext {
  readonly request: Request;
  readonly endpoint: Endpoint;
  /** Who asks; `undefined` without a token. An unknown token never gets here. */
  readonly bearer: Bearer | undefined;
  readonly clock: Clock;
}

/** What the service does when an endpoint is called: gives the body of a 200, a `Reply`, or throws a `Refused`. */
export type Handler<E> = E extends Endpoint<infer In> ? (input: In, context: HandlerContext) => unknown : never;

/** A behaviour for each endpoint of a group: the compiler asks for missing ones. */
export type Handlers<Group> = {
  readonly [K in keyof Group]: Group[K] extends Endpoint ? Handler<Group[K]> : Handlers<Group[K]>;
};

/** How a group says that it did not understand an input: the documented refusal, where there is one. */
export type InvalidInputResponse = (endpoint: Endpoint, issues: readonly Issue[]) => ErrorResponse | undefined;

/** What a group of endpoints says of itself, beside its behaviours. */
export interface ResourceConventions {
  /** The refusal of an input that was not understood; a plain 400 unless given. No issues: the body was no JSON. */
  readonly onInvalidInput?: InvalidInputResponse;
  /** A sentence for each endpoint, by its name, told to who asks with OPTIONS. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

/** An answer that is not a plain 200 with a JSON body. */
export class HandlerResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** 204: done, and nothing to say. */
export const noContent = new HandlerResponse(204);

/** A refusal on its way to the client. */
export class ErrorResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** What may be said differently from the documented refusal. */
export interface ErrorWords {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: unknown;
}

/** A documented refusal as the service says it. */
export function errorResponse(refusal: Omit<DocumentedError, 'error'>, words: ErrorWords = {}): ErrorResponse {
  const { status } = refusal;
  const body = {
    message: words.message ?? refusal.message,
    error: words.code ?? refusal.code ?? codeOfStatus(status),
    status,
    cause: words.cause ?? refusal.cause ?? [],
  };
  return new ErrorResponse(status, body);
}

function codeOfStatus(status: number): string {
  const reasons: Readonly<Record<number, string>> = {
    400: 'bad_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    405: 'method_not_allowed',
    409: 'conflict',
    422: 'unprocessable_entity',
    429: 'too_many_requests',
    500: 'internal_server_error',
  };
  return reasons[status] ?? `status_${status}`;
}

/** 401: there is no token. */
const unauthorized = errorResponse({ status: 401, code: 'unauthorized', message: 'Access token is required' });
/** 403: the token's user may not do this. */
export const forbidden = (message: string): ErrorResponse => errorResponse({ status: 403, code: 'forbidden', message });

/** Who asks. @throws {ErrorResponse} 401 without a token. */
export function bearerOrThrow({ bearer }: HandlerContext): Bearer {
  if (!bearer) throw unauthorized;
  return bearer;
}
