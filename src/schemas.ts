// './schemas': the schemas of what methods return, and all endpoints. The types of entities are those of the main entry.
export { endpoints } from './endpoints.js';
export { description } from './resources/describe.js';
export type { Entity, Input, Optional, Output, Schema } from './core/schema/schema.js';
export { actionGuideOption, actionGuideResponse, optionCap } from './resources/action-guide/schemas.js';
export { blockedUser } from './resources/blacklist/blacklist.js';
export { contactTotal, contactWindow } from './resources/contacts/schemas.js';
export { currency } from './resources/currencies/currencies.js';
export {
  flexCapabilities,
  flexDeliveryRanges,
  flexHolidays,
  flexRadius,
  flexSubscriptionV2,
  flexZones,
  itemInFlex,
} from './resources/flex-v2/schemas.js';
export { driverAssignment, flexConfiguration, flexSubscription } from './resources/flex/schemas.js';
export { itemStatus } from './resources/items/items.js';
export { uploadedAttachment, unreadMessages } from './resources/messages/schemas.js';
export { question, responseTime } from './resources/questions/schemas.js';
export { listing } from './resources/sites/sites.js';
export { message, sentMessage } from './resources/post-sale/message.js';
