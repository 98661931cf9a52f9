import type { BuiltRequest } from './built-request.js';
import { jsonBody } from './json-body.js';
import { redactUrl, redactUserText } from '../errors/redactor.js';
import { isSecretHeader } from '../errors/secrets.js';
import type { CurlOptions } from '../errors/seller-error.js';

/** Returns a request as a curl command for a POSIX shell, with its token masked. */
export function curlOf(
  { endpoint, url, headers, body, bodyValue }: BuiltRequest,
  hasToken: boolean,
  { texts = false }: CurlOptions,
): string {
  const shown = Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? '[redacted]' : value]);
  if (hasToken) shown.push(['authorization', 'Bearer [redacted]']);
  const data = texts ? body : body && jsonBody(bodyValue, redactUserText);
  return [
    `curl -X ${endpoint.method} ${quoted(redactUrl(url))}`,
    ...shown.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(data === undefined ? [] : [`--data-raw ${quoted(data)}`]),
  ].join(' \\\n  ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
