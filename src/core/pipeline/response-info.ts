import type { ResponseInfo } from '../api-promise.js';
import { requestIdOf } from '../errors/errors.js';
import { redactUrl } from '../errors/redact.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import type { RequestContext } from './request-context.js';

/** Describes the response behind the result of a call. */
export function responseInfo(
  { request, attempts, startedAt }: RequestContext,
  status: number,
  headers: ResponseHeaders,
): ResponseInfo {
  return {
    status,
    // Computed on use, because few callers need them.
    get headers() {
      return headers.toHeaders();
    },
    get url() {
      return redactUrl(request.url);
    },
    get requestId() {
      return requestIdOf(headers);
    },
    attempts,
    durationMs: performance.now() - startedAt,
  };
}
