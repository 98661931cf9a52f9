import type { ResponseInfo, WithResponse } from '../api-promise.js';
import { requestIdOf } from '../errors/response-errors.js';
import { redactUrl } from '../errors/redact.js';
import type { ResponseHeaders } from '../transport/response-headers.js';
import type { RequestContext } from './request-context.js';

/** The result of a call. Its response is described on use, because few callers need it. */
export class CallResult implements WithResponse<unknown> {
  readonly data: unknown;
  readonly status: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly leftOut: number;
  readonly #headers: ResponseHeaders;
  readonly #url: string;

  constructor(
    data: unknown,
    { request, attempts, startedAt }: RequestContext,
    status: number,
    headers: ResponseHeaders,
    leftOut = 0,
  ) {
    this.data = data;
    this.leftOut = leftOut;
    this.status = status;
    this.attempts = attempts;
    this.durationMs = performance.now() - startedAt;
    this.#headers = headers;
    this.#url = request.url;
  }

  get response(): ResponseInfo {
    const { status, attempts, durationMs, leftOut } = this;
    const headers = this.#headers;
    const url = this.#url;
    return {
      status,
      get headers() {
        return headers.toHeaders();
      },
      get url() {
        return redactUrl(url);
      },
      get requestId() {
        return requestIdOf(headers);
      },
      attempts,
      durationMs,
      leftOut,
    };
  }
}
