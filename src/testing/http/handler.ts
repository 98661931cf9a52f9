import type { Endpoint } from '../../core/operation/endpoint.js';
import { pageOfError } from '../../core/errors/seller-error.js';
import type { DocumentedError } from '../../core/operation/documented-error.js';
import type { Bearer } from '../state/accounts.js';
import type { Call } from './call.js';

/**
 * Handles the calls of an endpoint, like the service.
 *
 * It returns the body of a 200 or a `HandlerResponse`, or throws an `ErrorResponse`.
 */
export type EndpointHandler = (call: Call) => unknown;

/** One handler per endpoint of a group. */
export type EndpointHandlers<Group> = {
  readonly [K in keyof Group]: Group[K] extends Endpoint ? EndpointHandler : EndpointHandlers<Group[K]>;
};

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
export class ErrorResponse extends HandlerResponse {
  /** The documented error by which the handler rejects, and where the documentation has it; `undefined` for what has none. */
  readonly rule: string | undefined;

  constructor(status: number, body: unknown, headers?: Readonly<Record<string, string>>, rule?: string) {
    super(status, body, headers);
    this.rule = rule;
  }
}

/** The rule by which a request was rejected. */
export const refusals = new WeakMap<Request, string>();

/** Values that replace those of a documented error. */
export interface ErrorOverrides {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

/** Creates the response of a documented error. */
export function errorResponse(
  error: Omit<DocumentedError, 'error'> & Partial<Pick<DocumentedError, 'error'>>,
  overrides: ErrorOverrides = {},
  headers?: Readonly<Record<string, string>>,
): ErrorResponse {
  const { status, error: type } = error;
  const body = {
    message: overrides.message ?? error.message,
    error: overrides.code ?? error.code ?? codeOfStatus(status),
    status,
    cause: overrides.cause ?? error.cause ?? [],
  };
  const rule = type && `${type.kind}: ${error.condition ?? error.message} (docs/errors/${pageOfError(type.kind)})`;
  return new ErrorResponse(status, body, headers, rule);
}

function codeOfStatus(status: number): string {
  const reasons: Readonly<Record<number, string>> = {
    400: 'bad_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    405: 'method_not_allowed',
    409: 'conflict',
    413: 'request_entity_too_large',
    422: 'unprocessable_entity',
    429: 'too_many_requests',
    500: 'internal_server_error',
    502: 'bad_gateway',
  };
  return reasons[status] ?? `status_${status}`;
}

/** 400: the request is invalid. */
export const badRequest = (message: string): ErrorResponse => errorResponse({ status: 400, message });
/** 401: the call has no valid token. */
export const unauthorized = (code: string, message: string): ErrorResponse =>
  errorResponse({ status: 401, code, message });
/** 403: the caller is not allowed to do this. */
export const forbidden = (message: string): ErrorResponse => errorResponse({ status: 403, message });
/** 404: it does not exist. */
export const notFound = (message: string): ErrorResponse => errorResponse({ status: 404, message });

/** Returns what was found. @throws {ErrorResponse} 404 that says what does not exist */
export function foundOrThrow<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw notFound(`${what} does not exist`);
  return found;
}

/** Returns the caller. @throws {ErrorResponse} 401 without a token */
export function bearerOrThrow({ bearer }: Pick<Call, 'bearer'>): Bearer {
  if (!bearer) throw unauthorized('unauthorized', 'Access token is required');
  return bearer;
}
