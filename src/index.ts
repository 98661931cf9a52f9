export { SellerClient } from './client.js';
export { createHttpClient } from './create-http-client.js';
export type {
  ConfirmContext,
  DescribedEndpoint,
  Endpoint,
  Reading,
  Requester,
  RetryClass,
  SentTime,
} from './core/endpoint.js';
export { readJsonp } from './core/serialization/jsonp.js';
export type { Description, MethodDescription, ResourcePath } from './core/describe.js';
export { ApiPromise, type ResponseInfo, type WithResponse } from './core/api-promise.js';
export { Paged, type PaginationOptions } from './core/pagination/paged.js';
export type { Page } from './core/pagination/page.js';
export type { ForEachOptions } from './core/pagination/for-each.js';
export type { Attributed, WithAttributes } from './core/schema/attributes.js';
export type {
  TokenProvider,
  Attempt,
  Drift,
  Logger,
  Middleware,
  TracedAttempt,
  Tracing,
  CallEvent,
  CallInfo,
  WaitReason,
} from './core/options/hooks.js';
export { refreshingToken, type RefreshingTokenOptions } from './core/auth/refreshing-token.js';
export type { TokenSet } from './core/auth/token-set.js';
export type { CallOptions } from './core/options/call-options.js';
export type { ClientOptions, HttpAgent } from './core/options/client-options.js';
export type { Limiter, AttemptReport, AttemptInfo } from './core/rate-limit/limiter.js';
export type { Confirmation, ConfirmOptions, StoredWriteOptions } from './core/confirm/confirmation.js';
export { documentedError, type DocumentedError } from './core/errors/documented-error.js';
export type { StandardSchema } from './core/schema/standard-schema.js';
export type { Issue } from './core/schema/issue.js';
export type { Paging, SearchOption } from './core/schema/fields.js';
export {
  AccessTokenError,
  ConfigurationError,
  ConnectionError,
  InvalidInputError,
  AuthorizationCallbackError,
  GrantRevokedError,
  NotificationError,
  OutcomeUnknownError,
  RequestAbortedError,
  TimeoutError,
} from './core/errors/errors.js';
export { ApiError, UnexpectedResponseError, type ApiErrorCause } from './core/errors/response-errors.js';
export { SellerError, type CurlOptions } from './core/errors/seller-error.js';
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from './core/errors/status-errors.js';
export type { Bytes } from './core/files/bytes.js';
export type { Download } from './core/files/download.js';
export type { DownloadProgress, UploadProgress } from './core/files/progress.js';
export type { ByteStream, FileSource, NeededBy } from './core/files/file-source.js';
export * from './resources.js';
