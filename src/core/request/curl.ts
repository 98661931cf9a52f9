import { jsonBody } from './json-body.js';
import { redactUrl, redactUserText } from '../errors/redactor.js';
import type { IsSecretName } from '../errors/secrets.js';
import type { CurlOptions } from '../errors/seller-error.js';

/** A request that can be printed as a curl command. */
interface PrintableRequest {
  readonly endpoint: { readonly method: string };
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isSecretHeader: IsSecretName;
  /** The body as text, and the value that it was serialized from. */
  readonly body: string | undefined;
  readonly bodyValue: unknown;
}

/** Returns a request as a curl command for a POSIX shell, with its token masked. */
export function curlOf(
  { endpoint, url, headers, isSecretHeader, body, bodyValue }: PrintableRequest,
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
