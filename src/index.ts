export { SellerClient } from './client.js';
export { endpoints } from './endpoints.js';
export { readJsonp } from './core/jsonp.js';
export { description, methodDescription, resourcePath } from './core/description.js';
export type { Description, MethodDescription, ResourcePath } from './core/description.js';

export { ApiPromise } from './core/api-promise.js';
export type { ResponseInfo, WithResponse } from './core/api-promise.js';
export { Paged } from './core/paging.js';
export type { Page, WalkOptions } from './core/paging.js';
export type { Reduce } from './core/attributes.js';
export type { TokenSupplier } from './core/access-token.js';
export type { Attempt, CallOptions, ClientOptions, Drift, Logger, Middleware } from './core/settings.js';

export type { Confirmation, ReadBack } from './core/confirm.js';
export type { Endpoint, RetryClass } from './core/endpoint.js';
export type { Refusal } from './core/refusal.js';
export { refusal } from './core/refusal.js';
export {
  anything,
  closedEnum,
  either,
  entity,
  flag,
  instant,
  integer,
  list,
  map,
  maybe,
  number,
  openEnum,
  optional,
  request,
  text,
  wideInteger,
} from './core/schema.js';
export type { Entity, Input, Issue, Optional, Output, Request, Schema, Shape } from './core/schema.js';
export { paging } from './core/vocabulary.js';
export type { Paging } from './core/vocabulary.js';

export {
  AccessTokenError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  NotificationError,
  OutcomeUnknownError,
  RateLimitedError,
  RequestAbortedError,
  SellerError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  UnprocessableError,
} from './core/errors.js';
export type { RefusalCause } from './core/errors.js';

export type { Questions } from './resources/questions/questions.js';
export type { Blacklist } from './resources/questions/blacklist.js';
export {
  AskLimitError,
  InvalidPostBodyError,
  InvalidQuestionError,
  ItemNotActiveError,
  NoQuestionsError,
  QuestionNotOpenError,
} from './resources/questions/errors.js';
export {
  answerOfQuestion,
  asker,
  blacklistAnswer,
  blacklisting,
  blockedUser,
  newAnswer,
  newQuestion,
  question,
  questionId,
  questionSearch,
  questionSearchAnswer,
  questionTextLimit,
  responseTime,
  responseTimeBand,
  sellerId,
  userId,
} from './resources/questions/schemas.js';
export type {
  AnswerOfQuestion,
  Asker,
  BlacklistAnswer,
  Blacklisting,
  BlockedUser,
  NewAnswer,
  NewQuestion,
  Question,
  QuestionId,
  QuestionSearch,
  QuestionSearchAnswer,
  QuestionSearchExtra,
  ResponseTime,
  ResponseTimeBand,
  SellerId,
  UserId,
} from './resources/questions/schemas.js';
