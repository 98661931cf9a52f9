// The part of the main entry that is about resources. Names are listed: `export type *` would also declare the schemas that stand
// beside the types, which this entry does not have.

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
  Recipient,
  UploadedAttachment,
} from './resources/messages/schemas.js';
