import { redactUrl } from '../errors/redactor.js';
import { requestIdOf } from '../errors/response-errors.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import type { ResponseInfo, WithResponse } from '../operation/api-promise.js';

/** The result of a call. Its response is described on use, because few callers need it. */
export class CallResult implements WithResponse<unknown> {
  readonly data: unknown;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly attempts: number;
  readonly durationMs: number;
  readonly #url: string;
  readonly #leftOut: number;

  constructor(ended: {
    readonly data: unknown;
    readonly status: number;
    readonly headers: ResponseHeaders;
    readonly url: string;
    readonly attempts: number;
    readonly leftOut: number;
    /** A time of `performance.now()`. */
    readonly startedAt: number;
  }) {
    this.data = ended.data;
    this.status = ended.status;
    this.headers = ended.headers;
    this.attempts = ended.attempts;
    this.durationMs = performance.now() - ended.startedAt;
    this.#url = ended.url;
    this.#leftOut = ended.leftOut;
  }

  get response(): ResponseInfo {
    const { status, headers, attempts, durationMs } = this;
    return {
      status,
      get headers() {
        return headers.toHeaders();
      },
      url: redactUrl(this.#url),
      requestId: requestIdOf(headers),
      attempts,
      durationMs,
      leftOut: this.#leftOut,
    };
  }
}
