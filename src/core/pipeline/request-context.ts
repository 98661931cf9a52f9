import type { CancelScope } from '../retry/cancel-scope.js';
import type { DownloadProgress } from '../files/download.js';
import type { Endpoint } from '../endpoint.js';
import type { CallInfo, Emit } from '../observability/events.js';
import type { UploadProgress } from '../files/upload-reader.js';
import type { Upload } from '../files/multipart.js';
import type { CallOptions } from '../options/client-options.js';
import type { RateLimiter } from '../rate-limit/rate-limiter.js';
import { secretsIn } from '../errors/redact.js';
import type { Schema } from '../schema/schema.js';
import type { RequestParts } from '../serialization/request.js';

/** What a resource may add to the caller's options. */
export interface InternalOptions extends CallOptions {
  /** The fields to ask for and deliver; a method that offers this says which there are. */
  readonly attributes?: readonly string[] | undefined;
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly onDownloadProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** Everything one call carries through its attempts. */
export interface RequestContext {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  readonly parts: RequestParts;
  readonly url: string;
  /** Without the token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly output: Schema;
  readonly options: InternalOptions;
  readonly scope: CancelScope;
  readonly rateLimiter: RateLimiter;
  readonly sequence: number;
  /** As `performance.now()` told it, like all times of an errand. */
  readonly startedAt: number;
  readonly call: CallInfo;
  /** Where its events go; `undefined` when nobody looks. */
  readonly emit: Emit | undefined;
  /** The file of a multipart body, once it has been looked at. */
  upload: Upload | undefined;
  token: string | undefined;
  /** When the first attempt went out. */
  firstSentAt: number;
  /** Whether the token has been renewed after a 401: that is done once. */
  renewed: boolean;
  /** Whether a write was sent again after reading back that it had not been carried out. */
  resent: boolean;
}

/** What must be in no error, log line or trace. */
export function secretsOf({ token, headers, url }: Pick<RequestContext, 'token' | 'headers' | 'url'>): string[] {
  const inQuery = /[?&]access_token=([^&#]*)/.exec(url)?.[1];
  return [
    ...(token === undefined ? [] : [token]),
    ...secretsIn(headers),
    ...(inQuery === undefined ? [] : [inQuery, decodeURIComponent(inQuery)]),
  ];
}
