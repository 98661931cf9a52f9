import type { Endpoint } from '../../core/endpoint.js';
import type { DocumentedError } from '../../core/errors/documented-error.js';
import type { Issue } from '../../core/schema/issue.js';
import type { Bearer } from '../state/accounts.js';
import type { Clock } from '../clock.js';

/** What a handler receives beside its input. */
export interface HandlerInfo {
  readonly request: Request;
  readonly endpoint: Endpoint;
  /** The caller; `undefined` without a token. An unknown token fails before the handler. */
  readonly bearer: Bearer | undefined;
  readonly clock: Clock;
}

/** Handles the calls of an endpoint. Returns the body of a 200 or a `HandlerResponse`, or throws an `ErrorResponse`. */
export type EndpointHandler<E> = E extends Endpoint<infer In> ? (input: In, context: HandlerInfo) => unknown : never;

/** One handler per endpoint of a group. */
export type EndpointHandlers<Group> = {
  readonly [K in keyof Group]: Group[K] extends Endpoint ? EndpointHandler<Group[K]> : EndpointHandlers<Group[K]>;
};

/** Returns the documented error for an invalid input; `undefined` where there is none. */
export type InvalidInputResponse = (endpoint: Endpoint, issues: readonly Issue[]) => ErrorResponse | undefined;

/** What a group of endpoints has in common. */
export interface ResourceConventions {
  /** Chooses the error for an invalid input; no issues mean that the body is not JSON. @default a plain 400 */
  readonly onInvalidInput?: InvalidInputResponse;
  /** One sentence per endpoint name, for the response to OPTIONS. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

/** A response other than a plain 200 with a JSON body. */
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

/** 204 without a body. */
export const noContent = new HandlerResponse(204);

/** An error response; handlers throw it. */
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

/** Values that replace those of a documented error. */
export interface ErrorOverrides {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: unknown;
}

/** Creates the response of a documented error. */
export function errorResponse(error: Omit<DocumentedError, 'error'>, overrides: ErrorOverrides = {}): ErrorResponse {
  const { status } = error;
  const body = {
    message: overrides.message ?? error.message,
    error: overrides.code ?? error.code ?? codeOfStatus(status),
    status,
    cause: overrides.cause ?? error.cause ?? [],
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

/** 401: the call carries no token. */
const unauthorized = errorResponse({ status: 401, code: 'unauthorized', message: 'Access token is required' });
/** 403: the caller is not allowed to do this. */
export const forbidden = (message: string): ErrorResponse => errorResponse({ status: 403, code: 'forbidden', message });

/** Returns the caller. @throws {ErrorResponse} 401 without a token */
export function bearerOrThrow({ bearer }: HandlerInfo): Bearer {
  if (!bearer) throw unauthorized;
  return bearer;
}
