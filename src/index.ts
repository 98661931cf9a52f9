export { SellerClient, type RequestOptions } from './client.js';
export { createHttpClient } from './create-http-client.js';
export type { DescribedEndpoint, Endpoint, EndpointMethod, RetryClass } from './core/operation/endpoint.js';
export { defineEndpoint } from './core/request/define-endpoint.js';
export type { EndpointDefinition, PathInput, RequestLine } from './core/request/define-endpoint.js';
export { readJsonp } from './core/response/jsonp.js';
export type { Description, MethodDescription } from './resources/describe.js';
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

// About resources. Names are listed: `export type *` would also declare the schemas that stand beside the types, which this entry does
// not have, and `export *` would export the rows of errors.

export type { Selected, Selection } from './resources/flex/graphql/selection.js';
export { deliverySettings, type DeliverySettings, type DeliverySettingsV2, type Flex } from './resources/flex/flex.js';
export { flexCoverageAreas } from './resources/flex/schemas.js';
export {
  DriverNotFoundError,
  InvalidQueryError,
  InvalidServiceIdError,
  InvalidSiteError,
  InvalidUserIdError,
  ResourceAccessError,
  SubscriptionNotFoundError,
  UserNotFoundError,
} from './resources/flex/errors.js';
export type {
  ConfigurationType,
  ConfiguredSubscription,
  DeliveryRange,
  DeliveryRanges,
  DriverAssignment,
  FlexAddress,
  FlexAvailables,
  FlexConfiguration,
  FlexSubscription,
  FlexZone,
  TrainingSpan,
  TrainingTimes,
  WeightPrice,
  ZoneCutoff,
  ZonePrice,
  ZonePricing,
} from './resources/flex/schemas.js';

export { Questions } from './resources/questions/questions.js';
export {
  AskLimitError,
  InvalidPostBodyError,
  InvalidQuestionError,
  ItemNotActiveError,
  NoQuestionsError,
  QuestionNotOpenError,
} from './resources/questions/errors.js';
export { askerId, hasStatus, isAnswerable } from './resources/questions/question-facts.js';
export { questionTextLimit } from './resources/questions/schemas.js';
export type {
  AnswerOfQuestion,
  Asker,
  DeletionResponse,
  Question,
  QuestionFilters,
  QuestionSearchParams,
  QuestionSearchExtra,
  ResponseTime,
  ResponseTimeBand,
} from './resources/questions/schemas.js';

export type { Blacklist, BlockedUser } from './resources/blacklist/blacklist.js';

export {
  AlreadyInFlexError,
  ItemDownError,
  ItemLockedError,
  ItemNotFoundError,
  NotInFlexError,
  type FlexItems,
  type DisableItemParams,
  type EnableItemParams,
} from './resources/flex-items/flex-items.js';

export type { FlexItemsV2, FlexV2 } from './resources/flex-v2/flex-v2.js';
export { ShipmentTakenError } from './resources/flex-v2/errors.js';
export type {
  AvailableZone,
  FlexCapabilities,
  FlexDeliveryRanges,
  FlexHolidays,
  FlexRadius,
  FlexSubscriptionV2,
  FlexZones,
  HolidayToSet,
  ItemInFlex,
  ZoneCutoffToSet,
  ZoneToSet,
} from './resources/flex-v2/schemas.js';

export type { Contacts, PhoneViews, QuestionContacts } from './resources/contacts/contacts.js';
export type { ContactInterval, ContactTotal, ContactWindow } from './resources/contacts/schemas.js';

export type { Items, ItemStatus } from './resources/items/items.js';

export type { Sites, Listing, SiteSearchExtra } from './resources/sites/sites.js';

export type { Currencies, Currency } from './resources/currencies/currencies.js';

export {
  AccessTokenRequiredError,
  ApplicationIdRequiredError,
  ConversationBlockedError,
  ExceptedCaseError,
  PackAccessError,
} from './resources/post-sale/errors.js';
export {
  originalOf,
  type AttachmentsValidations,
  type Participant,
  type Message,
  type SentMessage,
  type MessageAttachment,
  type MessageDate,
  type MessageModeration,
  type MessageResource,
  type ModerationReason,
  messageTextLimit,
  unsupportedCharacters,
} from './resources/post-sale/message.js';
export { moderationOf, moderationReasonOf, type ModerationResult } from './resources/post-sale/moderation.js';
export { packOf, type OrderOfPack } from './resources/post-sale/conversation.js';

export type { ActionGuide } from './resources/action-guide/action-guide.js';
export {
  CapExhaustedError,
  OptionNotOfferedError,
  InvalidTemplateError,
  InvalidTextError,
  ActionGuideLockedError,
} from './resources/action-guide/errors.js';
export type {
  ActionGuideResponse,
  ActionGuideOption,
  BillingInfoRequest,
  DeliveryHours,
  DeliveryPromise,
  InvoiceLink,
  LaterOption,
  OptionCap,
  OptionId,
  SendOptionParams,
  OptionTemplate,
  OtherReason,
  TemplateId,
  TemplateOption,
  TemplateVariableId,
  VariantsRequest,
} from './resources/action-guide/schemas.js';
export { deliveryPromise, templateId, templateVariableId } from './resources/action-guide/schemas.js';

export type { Conversation, DownloadOptions, Messages, UploadOptions } from './resources/messages/messages.js';
export type { ChannelMessage, OpenChannel, Counterpart, ReplyContent } from './resources/messages/contact.js';
export {
  AttachmentNotFoundError,
  EmptyFileError,
  FileStorageError,
  FileTooLargeError,
  InvalidFileNameError,
  SiteMissingError,
  TooManyAttachmentsError,
} from './resources/messages/attachment-errors.js';
export {
  InvalidPagingError,
  InvalidReceiverError,
  MediationInProcessError,
  MessageAccessError,
  MessageBodyMissingError,
  MessageNotFoundError,
  MessageNotReadyError,
  NotYetDeliveredError,
  ReceiverNotInOrderError,
  SenderIsReceiverError,
  SenderMissingError,
  TextTooLongError,
  UnsupportedCharactersError,
} from './resources/messages/errors.js';
export { NoChannelError, type NoChannelReason } from './resources/messages/errors.js';
export { attachmentSizeLimit, attachmentsLimit } from './resources/messages/schemas.js';
export type {
  ConversationExtra,
  ConversationStatus,
  UnreadConversation,
  UnreadMessages,
  UploadParams,
  UploadedAttachment,
} from './resources/messages/schemas.js';
