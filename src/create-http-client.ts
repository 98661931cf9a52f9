import type { SellerClient } from './client.js';
import { createRuntime } from './core/client/call.js';
import { HttpClient } from './core/client/http-client.js';
import type { Requester } from './core/operation/api-promise.js';
import { resolveOptions, type ClientOptions } from './core/options/client-options.js';
import { callChecked } from './core/options/rules.js';

/**
 * Creates the HTTP client that a resource needs. It is for applications that use few resources and need a small bundle.
 *
 * @example
 * const questions = new Questions(createHttpClient({ baseUrl: 'https://api.example.com', accessToken }));
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function createHttpClient(options: ClientOptions): Pick<SellerClient, 'call'> {
  const http = new HttpClient(createRuntime(resolveOptions(options)));
  const requester: Requester = {
    deadlineMs: http.deadlineMs,
    call: (endpoint, input, given) => callChecked(http, endpoint, input, given),
  };
  return requester;
}
