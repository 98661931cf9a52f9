import type { Endpoint, EndpointExchange } from '../endpoint.js';
import { secretsIn, secretsInUrl } from '../errors/redact.js';
import type { Upload } from '../files/upload.js';
import type { openDownload, redirectFollower } from '../files/open-download.js';
import type { Emit } from '../observability/events.js';
import type { InternalOptions } from '../options/call-options.js';
import type { CallInfo } from '../options/hooks.js';
import type { RecentWrites } from '../confirm/recent-writes.js';
import type { RateLimiter } from '../rate-limit/rate-limiter.js';
import { CancelScope } from '../scope/cancel-scope.js';
import type { StandardSchema } from '../schema/standard-schema.js';
import type { IsSecretName } from '../errors/secret-names.js';
import type { ClientRuntime } from './client-runtime.js';

/** A request as data: checked and encoded, without its token. */
export interface BuiltRequest {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Recognises the headers whose values are secret. */
  readonly isSecretHeader: IsSecretName;
  /** The JSON text of the body; `undefined` if there is no body or it is multipart. */
  readonly body: string | undefined;
  /** The value of the body before it is encoded. For a multipart body, the fields of the file. */
  readonly bodyValue: unknown;
  /** The schema of the response. */
  readonly output: StandardSchema;
}

/** The state of one call, which all its attempts share. */
export class RequestContext {
  readonly request: BuiltRequest;
  readonly options: InternalOptions;
  readonly scope: CancelScope;
  readonly rateLimiter: RateLimiter;
  /** The position of the call in the queue. Its retries keep it. */
  readonly sequence: number;
  /** A time of `performance.now()`, like all times of a context. */
  readonly startedAt: number;
  readonly call: CallInfo;
  /** Records the writes that `confirm()` could confuse with each other. */
  readonly recentWrites: RecentWrites | undefined;
  /** Receives the events of the call; `undefined` if nothing observes them. */
  readonly emit: Emit | undefined;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** The `user-agent` of requests without this header. */
  readonly userAgent: string | undefined;
  /** The exchange of the endpoint, if it has one. */
  exchange: EndpointExchange | undefined;
  /** The opened file of a multipart body. */
  upload: Upload | undefined;
  /** The module that reads downloads, if it is loaded. */
  downloads: { openDownload: typeof openDownload; redirectFollower: typeof redirectFollower } | undefined;
  token: string | undefined;
  /** The token that was rejected with 401. It stays secret, because the service may still echo it. */
  rejectedToken: string | undefined;
  /** How many times the request has been sent. */
  attempts = 0;
  /** Whether a write was sent and it is not known whether it was carried out. */
  outcomeUnknown = false;
  /** Whether an attempt that has ended may have been carried out. Only reading back can prove that it was not. */
  earlierOutcomeUnknown = false;
  /** When the first attempt was sent. */
  firstSentAt = 0;
  /** Whether the last attempt got a 429 that concerns all calls. */
  isThrottled = false;
  /** Whether the token was replaced after a 401. This is done only once. */
  tokenReplaced = false;
  /** Whether a write was sent again after reading back showed that it was not carried out. */
  resent = false;

  constructor(request: BuiltRequest, options: InternalOptions, runtime: ClientRuntime, startedAt: number) {
    const { endpoint } = request;
    const { baseUrl, deadlineMs, timeoutMs, maxResponseBytes } = runtime.options;
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
    this.scope = new CancelScope({
      what: `${endpoint.method} ${endpoint.path}`,
      signal: options.signal,
      deadlineMs: options.deadlineMs ?? deadlineMs,
      progress: this,
    });
  }
}

/** The part of a call that is needed to read its response. */
export interface ResponseContext {
  readonly request: Pick<BuiltRequest, 'endpoint' | 'input' | 'url' | 'headers' | 'isSecretHeader'>;
  readonly token: string | undefined;
  readonly rejectedToken?: string | undefined;
  readonly attempts: number;
  readonly earlierOutcomeUnknown?: boolean;
}

/** The secrets of a call, which errors, logs and traces must not contain. */
export function secretsOf({ token, rejectedToken, request }: ResponseContext): string[] {
  const { headers, url, isSecretHeader } = request;
  const tokens = [token, rejectedToken].filter((each) => each !== undefined);
  return [...tokens, ...secretsIn(headers, isSecretHeader), ...secretsInUrl(url)];
}
