export { SellerClient } from './client.js';
export { createCaller } from './create-caller.js';
export type { Caller } from './core/caller.js';
export { endpoints } from './endpoints.js';
export { readJsonp } from './core/jsonp.js';
export { description, methodDescription, resourcePath } from './core/description.js';
export type { Description, MethodDescription, ResourcePath } from './core/description.js';

export { ApiPromise } from './core/api-promise.js';
export type { ResponseInfo, WithResponse } from './core/api-promise.js';
export { Paged } from './core/paging.js';
export type { Page, WalkOptions } from './core/paging.js';
export type { Reduce } from './core/attributes.js';
export type { Selected, Selection } from './core/selection.js';
export type { TokenSupplier } from './core/access-token.js';
export { refreshingToken } from './core/refreshing-token.js';
export type { Grant, TokenKeeping } from './core/refreshing-token.js';
export type { Attempt, CallOptions, ClientOptions, Drift, Logger, Middleware, Tracing, Wait } from './core/options.js';
export type { Gate, Passage, Visit } from './core/gate.js';
export type { CallEvent, CallInfo, WaitReason } from './core/events.js';

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
  ConfigurationError,
  ConnectionError,
  InvalidInputError,
  NotificationError,
  OutcomeUnknownError,
  RequestAbortedError,
  TimeoutError,
  UnexpectedResponseError,
} from './core/errors.js';
export { SellerError } from './core/seller-error.js';
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  UnprocessableError,
} from './core/status-errors.js';
export type { RefusalCause } from './core/errors.js';
export type { ConfirmOptions, CurlOptions } from './core/seller-error.js';

export { Questions } from './resources/questions/questions.js';
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

export type { Flex } from './resources/flex/flex.js';
export type { FlexItems } from './resources/flex/items.js';
export { flexCoverageAreas } from './resources/flex/coverage.js';
export {
  AlreadyInFlexError,
  DriverNotFoundError,
  InvalidQueryError,
  InvalidSiteError,
  ItemDownError,
  ItemNotFoundError,
  NotInFlexError,
  SubscriptionNotFoundError,
  UserNotFoundError,
} from './resources/flex/errors.js';
export {
  configurationOf,
  configurationType,
  configuredSubscription,
  deliveryRange,
  deliveryRanges,
  deliverySetting,
  driverAssignment,
  flexAddress,
  flexAvailables,
  flexConfiguration,
  flexItem,
  flexQuery,
  flexSubscription,
  flexUser,
  flexZone,
  newDeliveryRange,
  newZones,
  shipmentId,
  trainingSpan,
  trainingTimes,
  zonePrice,
} from './resources/flex/schemas.js';
export type {
  ConfigurationOf,
  ConfigurationType,
  ConfiguredSubscription,
  DeliveryRange,
  DeliveryRanges,
  DeliverySetting,
  DisableItem,
  DriverAssignment,
  EnableItem,
  FlexAddress,
  FlexAvailables,
  FlexConfiguration,
  FlexItem,
  FlexQuery,
  FlexSubscription,
  FlexUser,
  FlexZone,
  NewDeliveryRange,
  NewZones,
  ShipmentId,
  TrainingSpan,
  TrainingTimes,
  ZonePrice,
} from './resources/flex/schemas.js';

export type { Contacts } from './resources/contacts/contacts.js';
export type { PhoneViews } from './resources/contacts/phone-views.js';
export type { QuestionContacts } from './resources/contacts/question-contacts.js';
export {
  contactInterval,
  contactTotal,
  contactWindow,
  itemPeriod,
  itemWindow,
  itemsWindow,
  questionItemWindow,
  userPeriod,
  userWindow,
} from './resources/contacts/schemas.js';
export type {
  ContactInterval,
  ContactTotal,
  ContactWindow,
  ItemPeriod,
  ItemWindow,
  ItemsWindow,
  QuestionItemWindow,
  UserPeriod,
  UserWindow,
} from './resources/contacts/schemas.js';

export type { Items } from './resources/items/items.js';
export { itemIds, itemStatus } from './resources/items/schemas.js';
export type { ItemIds, ItemStatus } from './resources/items/schemas.js';

export type { Sites } from './resources/sites/sites.js';
export { listing, siteSearch, siteSearchAnswer } from './resources/sites/schemas.js';
export type { Listing, SiteSearch, SiteSearchAnswer, SiteSearchExtra } from './resources/sites/schemas.js';

export type { Currencies } from './resources/currencies/currencies.js';
export { currency, currencyId, noInput } from './resources/currencies/schemas.js';
export type { Currency, CurrencyId, NoInput } from './resources/currencies/schemas.js';

export type { Bytes } from './core/bytes.js';
export { Download } from './core/download.js';
export type { DownloadProgress } from './core/download.js';
export type { UploadProgress } from './core/file-reading.js';
export type { ByteStream, FileOnDisk, FileSource, NamedFile, NamelessFile, StreamedFile } from './core/file-source.js';

export {
  AccessTokenRequiredError,
  ApplicationIdRequiredError,
  ConversationBlockedError,
  ExceptedCaseError,
  PackAccessError,
} from './core/post-sale/errors.js';
export {
  attachmentsValidations,
  correspondent,
  isModerated,
  message,
  messageAttachment,
  messageDate,
  messageModeration,
  messageResource,
  moderationReasonOf,
  originalOf,
} from './core/post-sale/message.js';
export type {
  AttachmentsValidations,
  Correspondent,
  Message,
  MessageAttachment,
  MessageDate,
  MessageModeration,
  MessageResource,
  ModerationReason,
} from './core/post-sale/message.js';
export { messageText, messageTextLimit, unsupportedCharacters } from './core/post-sale/text.js';

export type { ActionGuide } from './resources/action-guide/action-guide.js';
export {
  CapExhaustedError,
  InvalidOptionError,
  InvalidTemplateError,
  InvalidTextError,
  OptionLockedError,
} from './resources/action-guide/errors.js';
export {
  actionGuideAnswer,
  actionGuideOption,
  guidedPack,
  optionCap,
  optionCaps,
  optionMessage,
  optionTemplate,
} from './resources/action-guide/schemas.js';
export type {
  ActionGuideAnswer,
  ActionGuideOption,
  BillingInfoRequest,
  DeliveryHours,
  DeliveryPromise,
  GuidedPack,
  InvoiceLink,
  OptionCap,
  OptionId,
  OptionMessage,
  OptionTemplate,
  OtherReason,
  TemplateId,
  TemplateOption,
  TemplateVariableId,
  VariantsRequest,
} from './resources/action-guide/schemas.js';
export { deliveryPromise, templateId, templateVariableId } from './resources/action-guide/templates.js';

export type { Conversation, DownloadOptions, Messages, UploadOptions } from './resources/messages/messages.js';
export type { Contact, Contacted } from './resources/messages/contact.js';
export {
  AttachmentGoneError,
  EmptyFileError,
  FileStorageError,
  FileTooLargeError,
  InvalidFileNameError,
  InvalidPagingError,
  InvalidReceiverError,
  MediationInProcessError,
  MessageAccessError,
  MessageBodyMissingError,
  MessageNotFoundError,
  MessageNotReadyError,
  NoOpenRoadError,
  NotYetDeliveredError,
  ReceiverNotInOrderError,
  SenderIsReceiverError,
  SenderMissingError,
  SiteMissingError,
  TextTooLongError,
  TooManyAttachmentsError,
  UnsupportedCharactersError,
} from './resources/messages/errors.js';
export type { ClosedReason } from './resources/messages/errors.js';
export {
  attachmentOf,
  attachmentSizeLimit,
  attachmentsLimit,
  conversationAnswer,
  conversationOf,
  conversationStatus,
  messageId,
  messageOrNothing,
  newAttachment,
  newMessage,
  recipient,
  storedAttachment,
} from './resources/messages/schemas.js';
export type {
  AttachmentOf,
  ConversationAnswer,
  ConversationExtra,
  ConversationOf,
  ConversationStatus,
  MessageId,
  NewAttachment,
  NewMessage,
  Recipient,
  StoredAttachment,
} from './resources/messages/schemas.js';
