import type { RequestContext } from '../pipeline/request-context.js';
import { isPrivateHeader, redactUrl, redactUserTexts } from './redact.js';
import type { CurlOptions } from './seller-error.js';

/** A request as a curl command for a POSIX shell, with its token masked. */
export function curlOf(errand: RequestContext, { texts = false }: CurlOptions): string {
  const { endpoint, url, headers, token, parts } = errand;
  const shown = Object.entries(headers).map(([name, value]) => [name, isPrivateHeader(name) ? '[redacted]' : value]);
  if (token !== undefined) shown.push(['authorization', 'Bearer [redacted]']);
  const body = texts ? errand.body : errand.body && JSON.stringify(redactUserTexts(parts.body));
  return [
    `curl -X ${endpoint.method} ${quoted(redactUrl(url))}`,
    ...shown.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
