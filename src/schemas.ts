// './schemas': the schemas of inputs and responses, and all endpoints. Their types are those of the main entry.
export { endpoints } from './endpoints.js';
export { description, methodDescription, resourcePath } from './resources/describe.js';
export type { Entity, Optional, Output, Params, Schema } from './core/schema/schema.js';
export { noInput, paging, searchOption } from './resources/fields.js';
export {
  actionGuideOption,
  actionGuideResponse,
  optionCap,
  optionCaps,
  optionTemplate,
  packParams,
  sendOptionParams,
} from './resources/action-guide/schemas.js';
export {
  blacklistParams,
  blacklistResponse,
  blockedUser,
  listBlacklistParams,
} from './resources/blacklist/blacklist.js';
export {
  contactInterval,
  contactTotal,
  contactWindow,
  itemPeriodParams,
  itemWindowParams,
  itemsWindowParams,
  questionItemWindowParams,
  userPeriodParams,
  userWindowParams,
} from './resources/contacts/schemas.js';
export { currency, currencyParams } from './resources/currencies/currencies.js';
export { flexItemParams } from './resources/flex-items/flex-items.js';
export {
  assignCourierParams,
  availableZone,
  flexAvailablesParams,
  flexCapabilities,
  flexDeliveryRanges,
  flexHolidays,
  flexRadius,
  flexServiceParams,
  flexSubscriptionV2,
  flexSubscriptionsV2,
  flexZones,
  itemInFlex,
  setDeliveryRangesParams,
  setHolidaysParams,
  setRadiusParams,
  setZonesParams,
} from './resources/flex-v2/schemas.js';
export {
  addZonesParams,
  configurationParams,
  configurationType,
  configuredSubscription,
  deliveryRange,
  deliveryRangeParams,
  deliveryRanges,
  driverAssignment,
  driverParams,
  flexAddress,
  flexAvailables,
  flexConfiguration,
  flexQueryParams,
  flexSubscription,
  flexSubscriptions,
  flexUserParams,
  flexZone,
  setDeliveryParams,
  trainingSpan,
  trainingTimes,
  weightPrice,
  zoneCutoff,
  zonePrice,
  zonePricing,
} from './resources/flex/schemas.js';
export { itemStatus, itemStatusParams, itemStatuses } from './resources/items/items.js';
export {
  channelMessageParams,
  conversationParams,
  conversationResponse,
  conversationStatus,
  correspondenceResponse,
  downloadParams,
  getMessageParams,
  recipient,
  sendMessageParams,
  uploadedAttachment,
  unreadConversation,
  unreadMessages,
  uploadParams,
} from './resources/messages/schemas.js';
export {
  answerOfQuestion,
  answerParams,
  askParams,
  asker,
  getQuestionParams,
  question,
  questionSearchParams,
  questionSearchResponse,
  responseTime,
  responseTimeBand,
  userParams,
} from './resources/questions/schemas.js';
export { listing, siteSearchParams, siteSearchResponse } from './resources/sites/sites.js';
export {
  attachmentsValidations,
  message,
  messageAttachment,
  messageDate,
  messageModeration,
  messageResource,
  participant,
  sentMessage,
  messageText,
} from './resources/post-sale/message.js';
