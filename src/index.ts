export { SellerClient, type RequestOptions } from './client.js';
export { createHttpClient } from './create-http-client.js';
export type { DescribedEndpoint, Endpoint, EndpointMethod, RetryClass } from './core/operation/endpoint.js';
export { defineEndpoint } from './core/request/define-endpoint.js';
export type { EndpointDefinition, PathInput, RequestLine } from './core/request/define-endpoint.js';
export { readJsonp } from './core/response/jsonp.js';
export type { Description, MethodDescription, ResourcePath } from './resources/describe.js';
export {
  ApiPromise,
  type Attributed,
  type ResponseInfo,
  type WithAttributes,
  type WithResponse,
} from './core/operation/api-promise.js';
export { Paged } from './core/paging/paged.js';
export type { Page } from './core/paging/page-reader.js';
export type {
  TokenProvider,
  MiddlewareContext,
  Drift,
  Logger,
  Middleware,
  Tracing,
  CallEvent,
} from './core/options/hooks.js';
export type { RefreshingTokenOptions, TokenSet } from './oauth/tokens.js';
export { refreshingToken, type RefreshingToken } from './oauth/token-refresher.js';
export type { CallOptions, DownloadProgress, UploadProgress } from './core/scope/call-options.js';
export type { LimiterAttempt, ClientOptions, Fetch, FetchInit, Limiter } from './core/options/client-options.js';
export type { Confirmation, ConfirmOptions, SentWriteOptions } from './core/errors/seller-error.js';
export { documentedError, type DocumentedError } from './core/operation/documented-error.js';
export type { StandardSchema } from './core/schema/schema.js';
export type { Issue } from './core/errors/errors.js';
export type { SearchOption } from './resources/fields.js';
export {
  AccessTokenError,
  ClosedError,
  ConfigurationError,
  ConnectionError,
  EarlierWriteOpenError,
  EarlierWriteUnknownError,
  InvalidInputError,
  AuthorizationCallbackError,
  GrantRevokedError,
  NotificationError,
  OutcomeUnknownError,
  RequestAbortedError,
  TimeoutError,
} from './core/errors/errors.js';
export {
  ApiError,
  UnexpectedResponseError,
  type ApiErrorCause,
  type ApiErrorDetails,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from './core/errors/response-errors.js';
export { SellerError, type CurlOptions } from './core/errors/seller-error.js';
export type { Download } from './core/files/download.js';
export type { Bytes, FileSource } from './core/files/file-source.js';
export * from './resources.js';
