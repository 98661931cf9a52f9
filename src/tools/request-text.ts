import type { Endpoint } from '../core/operation/endpoint.js';
import { buildRequest } from '../core/request/build-request.js';
import { readQuietly } from './read-quietly.js';

const baseUrl = 'http://service';
const settings = { options: { baseUrl }, headers: {} };

/**
 * Returns the request of a call for a person to read: method, path, query, headers and body. The token is not in it.
 *
 * @throws {InvalidInputError} when the input does not fit.
 */
export function requestText(endpoint: Endpoint, given: unknown): string {
  const { input, options } = readQuietly(endpoint, given);
  const { url, headers, body } = buildRequest(endpoint, input, options, settings);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const file =
    endpoint.requestBody === 'multipart' ? [`The file ${String((input as { filename?: unknown }).filename)}`] : [];
  return visible(
    [`${endpoint.method} ${url.slice(baseUrl.length)}`, ...lines, ...file, ...(body === undefined ? [] : [body])].join(
      '\n',
    ),
  );
}

/** Shows characters that hide or reorder what stands around them, so that a person sees the text that is sent. */
function visible(text: string): string {
  return text.replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16) ?? ''}}`);
}
