import { endpointError } from '../../core/options/check-endpoint.js';
import type { DocumentedError } from '../../core/operation/documented-error.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import { FakeMarketplaceError } from '../errors.js';
import type { Call } from '../http/call.js';
import { HandlerResponse, bearerOrThrow, errorResponse } from '../http/handler.js';
import type { EndpointHandler, ErrorOverrides } from '../http/handler.js';
import { assertFields } from '../state/assert-fields.js';
import { readInput } from './read-input.js';

/** An operation of your own: an endpoint that `seller.call` takes, and how the marketplace responds to it. */
export interface Operation<In = unknown, Marketplace = unknown> {
  readonly endpoint: Endpoint<In>;
  /** Whether a call needs no token. @default false: without a token, it gets a 401 */
  readonly public?: boolean | undefined;
  /**
   * Returns the body of the response, which the endpoint's `output` must accept, or a `Response` with a status of its own.
   * To reject a call, it calls `reject`.
   */
  handle(call: OperationCall<In>, marketplace: Marketplace): unknown;
}

/** A call of an operation of your own. */
export interface OperationCall<In = unknown> extends Pick<Call, 'request' | 'path' | 'query' | 'params' | 'bearer'> {
  /** The input of the call: path, query, headers and body, checked by the endpoint's `input`. */
  readonly input: In;
  /** Ends the call with an error response; `overrides` replace some of its fields. */
  readonly reject: (error: Omit<DocumentedError, 'error'>, overrides?: ErrorOverrides) => never;
}

/** @throws {FakeMarketplaceError} when an operation is incomplete, as JavaScript code can write it */
export function assertOperation(operation: Operation): void {
  assertFields('an operation', operation, ['endpoint', 'handle', 'public']);
  const wrong = endpointError(operation.endpoint);
  if (wrong) throw new FakeMarketplaceError(wrong.message.replace('Not sent: the', 'the'));
  if (typeof operation.handle !== 'function')
    throw new FakeMarketplaceError(`the operation ${operation.endpoint.name} needs a function \`handle\``);
}

/** Creates the handler of an operation. */
export function handlerOf(operation: Operation, marketplace: unknown): EndpointHandler {
  const { endpoint } = operation;
  return async (call) => {
    if (!operation.public) bearerOrThrow(call);
    const { request, path, query, params, bearer } = call;
    const input = await readInput(endpoint, call);
    const given = { request, path, query, params, bearer, input, reject };
    try {
      return await toHandlerResponse(await operation.handle(given, marketplace));
    } catch (error) {
      if (error instanceof HandlerResponse) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new FakeMarketplaceError(`the handler of ${endpoint.name} failed: ${reason}`, { cause: error });
    }
  };
}

function reject(error: Omit<DocumentedError, 'error'>, overrides?: ErrorOverrides): never {
  throw errorResponse(error, overrides);
}

/** JSON is read, so that it is checked and recorded like any other body. */
async function toHandlerResponse(result: unknown): Promise<HandlerResponse> {
  if (!(result instanceof Response)) return new HandlerResponse(result === undefined ? 204 : 200, result);
  const { 'content-type': type = '', ...headers } = Object.fromEntries(result.headers);
  if (!type.includes('json')) return new HandlerResponse(result.status, result.body ? result : undefined, headers);
  return new HandlerResponse(result.status, await result.json(), headers);
}
