// './schemas': the schemas of inputs and responses, and all endpoints.
export { endpoints } from './endpoints.js';
export { description, methodDescription, resourcePath } from './resources/describe.js';
export type { Entity, Input, Optional, Output, Params, Schema, Shape } from './core/schema/schema.js';
export type { StandardSchema } from './core/schema/schema.js';
export { noInput, paging, searchOption } from './resources/fields.js';
export * from './resources/action-guide/schemas.js';
export * from './resources/blacklist/schemas.js';
export * from './resources/contacts/schemas.js';
export * from './resources/currencies/schemas.js';
export * from './resources/flex-items/schemas.js';
export * from './resources/flex/schemas.js';
export * from './resources/items/schemas.js';
export * from './resources/messages/schemas.js';
export * from './resources/questions/schemas.js';
export * from './resources/sites/schemas.js';
export {
  attachmentsValidations,
  message,
  messageAttachment,
  messageDate,
  messageModeration,
  messageResource,
  participant,
  sentMessage,
} from './resources/post-sale/message.js';
export { messageText } from './resources/post-sale/text.js';
