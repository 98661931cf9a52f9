import type { Bounds } from './bounds.js';
import type { DownloadProgress } from './download.js';
import type { Endpoint } from './endpoint.js';
import type { CallInfo, Emit } from './events.js';
import type { UploadProgress } from './file-reading.js';
import type { Upload } from './multipart.js';
import type { CallOptions } from './options.js';
import type { Pace } from './pace.js';
import { secretsIn } from './redact.js';
import type { Schema } from './schema.js';
import type { Wire } from './wire.js';

/** What a resource may add to the caller's options. */
export interface InternalOptions extends CallOptions {
  /** The fields to ask for and deliver; a method that offers this says which there are. */
  readonly attributes?: readonly string[] | undefined;
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly onDownloadProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** Everything one call carries through its attempts. */
export interface Errand {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  readonly wire: Wire;
  readonly url: string;
  /** Without the token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly output: Schema;
  readonly options: InternalOptions;
  readonly bounds: Bounds;
  readonly pace: Pace;
  readonly turn: number;
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
export function secretsOf({ token, headers, url }: Pick<Errand, 'token' | 'headers' | 'url'>): string[] {
  const inQuery = /[?&]access_token=([^&#]*)/.exec(url)?.[1];
  return [
    ...(token === undefined ? [] : [token]),
    ...secretsIn(headers),
    ...(inQuery === undefined ? [] : [inQuery, decodeURIComponent(inQuery)]),
  ];
}
