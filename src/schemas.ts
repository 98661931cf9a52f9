// './schemas': the schemas of inputs and responses, and all endpoints.
export { endpoints } from './endpoints.js';
export { description, methodDescription, resourcePath } from './core/describe.js';
export type { Entity, Input, Optional, Output, Params, Schema, Shape } from './core/schema/schema.js';
export type { StandardSchema } from './core/schema/standard-schema.js';
export { paging } from './core/schema/fields.js';
export {
  answerOfQuestion,
  answerParams,
  asker,
  askParams,
  blacklistParams,
  blacklistResponse,
  blockedUser,
  getQuestionParams,
  question,
  questionSearchParams,
  questionSearchResponse,
  responseTime,
  responseTimeBand,
  sellerParams,
  userParams,
} from './resources/questions/schemas.js';
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
  flexItemParams,
  flexQueryParams,
  flexSubscription,
  flexUserParams,
  flexZone,
  setDeliveryParams,
  trainingSpan,
  trainingTimes,
  zonePrice,
} from './resources/flex/schemas.js';
export {
  contactInterval,
  contactTotal,
  contactWindow,
  itemPeriodParams,
  itemsWindowParams,
  itemWindowParams,
  questionItemWindowParams,
  userPeriodParams,
  userWindowParams,
} from './resources/contacts/schemas.js';
export { itemStatus, itemStatusParams } from './resources/items/schemas.js';
export { listing, siteSearchParams, siteSearchResponse } from './resources/sites/schemas.js';
export { currency, currencyParams, noInput } from './resources/currencies/schemas.js';
export {
  attachmentsValidations,
  message,
  messageAttachment,
  messageDate,
  messageModeration,
  messageResource,
  participant,
} from './resources/post-sale/message.js';
export { messageText } from './resources/post-sale/text.js';
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
  conversationParams,
  conversationResponse,
  conversationStatus,
  downloadParams,
  getMessageParams,
  messageOrNothing,
  recipient,
  sendMessageParams,
  storedAttachment,
  uploadParams,
} from './resources/messages/schemas.js';
