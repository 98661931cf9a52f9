/** The rows of the specification's endpoint tables, by the property of the client that stands for them. */
const operations = {
  describe: ['OPTIONS /{path}'],
  questions: [
    'GET /questions/search',
    'GET /questions/{question_id}',
    'POST /questions',
    'DELETE /questions/{question_id}',
    'POST /answers',
    'POST /my/questions/hidden',
    'POST /users/{seller_id}/questions_blacklist',
    'GET /users/{seller_id}/questions_blacklist',
    'DELETE /users/{seller_id}/questions_blacklist/{user_id}',
    'GET /users/{user_id}/questions/response_time',
  ],
  actionGuide: [
    'GET /messages/action_guide/packs/{pack_id}',
    'GET /messages/action_guide/packs/{pack_id}/caps_available',
    'POST /messages/action_guide/packs/{pack_id}/option',
  ],
  messages: [
    'GET /messages/packs/{pack_id}/sellers/{user_id}',
    'GET /messages/{message_id}',
    'POST /messages/packs/{pack_id}/sellers/{user_id}',
    'POST /messages/attachments',
    'GET /messages/attachments/{attachment_id}',
  ],
  flex: [
    'GET /shipping/flex/sites/{site_id}/users/{user_id}/subscriptions/v1',
    'POST /shipping/flex/sites/{site_id}/configuration/v3',
    'PUT /shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/delivery/custom/v3',
    'PUT /shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/coverage/zone/v3',
    'GET /sites/{site_id}/shipping/selfservice/items/{item_id}',
    'POST /sites/{site_id}/shipping/selfservice/items/{item_id}',
    'DELETE /sites/{site_id}/shipping/selfservice/items/{item_id}',
    'GET /flex/sites/{site_id}/shipments/{shipment_id}/assignment/v1',
  ],
  contacts: [
    'GET /items/{item_id}/contacts/questions',
    'GET /users/{user_id}/contacts/questions',
    'GET /items/{item_id}/contacts/questions/time_window',
    'GET /users/{user_id}/contacts/questions/time_window',
    'GET /items/{item_id}/contacts/phone_views',
    'GET /users/{user_id}/contacts/phone_views',
    'GET /items/{item_id}/contacts/phone_views/time_window',
    'GET /items/contacts/phone_views/time_window',
    'GET /users/{user_id}/contacts/phone_views/time_window',
  ],
  // The specification says PUT and calls that into question itself; in production it is GET.
  items: ['GET /items'],
  sites: ['GET /sites/{site_id}/search'],
  currencies: ['GET /currencies', 'GET /currencies/{id}'],
};

/** Every operation that the specification lists, as `METHOD /path`. */
export const operationsOfTheSpecification: readonly string[] = Object.values(operations).flat();
