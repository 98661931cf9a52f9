import type { Endpoint } from '../endpoint.js';
import { secretsIn, secretsInUrl } from '../errors/redact.js';
import type { Upload } from '../files/upload.js';
import type { openDownload, redirectFollower } from '../files/open-download.js';
import type { Emit } from '../observability/events.js';
import type { InternalOptions } from '../options/call-options.js';
import type { CallInfo } from '../options/hooks.js';
import type { RecentWrites } from '../retry/recent-writes.js';
import type { RateLimiter } from '../rate-limit/rate-limiter.js';
import { CancelScope } from '../retry/cancel-scope.js';
import type { StandardSchema } from '../schema/standard-schema.js';
import type { IsSecretName } from '../errors/secret-names.js';
import type { ClientRuntime } from './client-runtime.js';

/** A request as data: checked, encoded, without its token. */
export interface BuiltRequest {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Recognises those of the headers whose values are secret. */
  readonly isSecretHeader: IsSecretName;
  /** The JSON text of the body; `undefined` for none, and for a multipart body. */
  readonly body: string | undefined;
  /** The value of the body before it was encoded: of a multipart body, its file. */
  readonly bodyValue: unknown;
  /** The schema of the response. */
  readonly output: StandardSchema;
}

/** Everything that one call carries through its attempts, and all that changes during it. */
export class RequestContext {
  readonly request: BuiltRequest;
  readonly options: InternalOptions;
  readonly scope: CancelScope;
  readonly rateLimiter: RateLimiter;
  /** The place of the call in the queue, kept through its retries. */
  readonly sequence: number;
  /** A time of `performance.now()`, like all times of a context. */
  readonly startedAt: number;
  readonly call: CallInfo;
  /** Where a write is recorded that `confirm()` could take for another one. */
  readonly recentWrites: RecentWrites | undefined;
  /** Where its events go; `undefined` where nothing observes them. */
  readonly emit: Emit | undefined;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** The `user-agent` of a request that has none of its own. */
  readonly userAgent: string | undefined;
  /** A 503 with `Retry-After` proves that the service did nothing. */
  readonly trusts503: boolean;
  /** The file of a multipart body, once it has been opened. */
  upload: Upload | undefined;
  /** What reads a download, once it has been loaded. */
  downloads: { openDownload: typeof openDownload; redirectFollower: typeof redirectFollower } | undefined;
  token: string | undefined;
  /** The token that a 401 rejected: the service may still echo it. */
  rejectedToken: string | undefined;
  /** How many times the request has been sent. */
  attempts = 0;
  /** A write was sent, and it is not known whether it was carried out. */
  outcomeUnknown = false;
  /** When the first attempt was sent. */
  firstSentAt = 0;
  /** The last attempt got a 429 that concerns all calls. */
  isThrottled = false;
  /** The token was replaced after a 401, which is done once. */
  tokenReplaced = false;
  /** A write was sent again after reading back that it had not been carried out. */
  resent = false;

  constructor(request: BuiltRequest, options: InternalOptions, runtime: ClientRuntime, startedAt: number) {
    const { endpoint } = request;
    const { baseUrl, deadlineMs, timeoutMs, maxResponseBytes, retryWritesAfter503 = false } = runtime.options;
    this.request = request;
    this.options = options;
    this.startedAt = startedAt;
    this.rateLimiter = runtime.shared.rateLimiterFor(options.accessToken);
    this.sequence = runtime.shared.nextSequence();
    this.call = { endpoint, baseUrl };
    this.recentWrites = endpoint.confirm && endpoint.retry === 'unsafe' ? runtime.shared.writes : undefined;
    this.emit = runtime.events.sink;
    this.timeoutMs = options.timeoutMs ?? timeoutMs;
    this.maxResponseBytes = maxResponseBytes;
    this.userAgent = runtime.userAgent;
    this.trusts503 = retryWritesAfter503;
    this.scope = new CancelScope({
      what: `${endpoint.method} ${endpoint.path}`,
      signal: options.signal,
      deadlineMs: options.deadlineMs ?? deadlineMs,
      progress: this,
    });
  }
}

/** What a response is read with. */
export interface ResponseContext {
  readonly request: Pick<BuiltRequest, 'endpoint' | 'input' | 'url' | 'headers' | 'isSecretHeader'>;
  readonly token: string | undefined;
  readonly rejectedToken?: string | undefined;
  readonly attempts: number;
  readonly trusts503?: boolean;
}

/** What must be in no error, log line or trace. */
export function secretsOf({ token, rejectedToken, request }: ResponseContext): string[] {
  const { headers, url, isSecretHeader } = request;
  const tokens = [token, rejectedToken].filter((each) => each !== undefined);
  return [...tokens, ...secretsIn(headers, isSecretHeader), ...secretsInUrl(url)];
}
