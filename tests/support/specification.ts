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

/** A row of the specification's error tables. */
export interface ErrorRow {
  readonly section: string;
  readonly status: number;
  /** The code, if the table has one that is not only the status in words. */
  readonly code?: string;
  /** The condition in the table, or the message if the table has only that. */
  readonly says: string;
  /** The message, if the table has both. */
  readonly message?: string;
  /** The endpoints to which the row applies. */
  readonly of: readonly string[];
}

type Row = readonly [status: number, says: string, code?: string, message?: string];

const rowsOf = (section: string, of: readonly string[], rows: readonly Row[]): ErrorRow[] =>
  rows.map(([status, says, code, message]) => ({
    section: `Errors, ${section}`,
    ...{ status, says, of, ...(code && { code }), ...(message && { message }) },
  }));

const guide = ['actionGuide.options', 'actionGuide.caps', 'actionGuide.send'];
const reading = ['flex.subscriptions', 'flex.configuration'];
const changing = ['flex.setDelivery', 'flex.addZones'];
const items = ['flex.items.isEnabled', 'flex.items.enable', 'flex.items.disable'];

/** The rows of its error tables.  */
export const errorsOfTheSpecification: readonly ErrorRow[] = [
  ...rowsOf(
    'Questions and response time',
    ['questions.answer'],
    [
      [400, 'the question cannot be answered', 'invalid_question'],
      [400, 'invalid JSON on answering', 'invalid_post_body'],
    ],
  ),
  ...rowsOf(
    'Questions and response time',
    ['questions.responseTime'],
    [[404, 'response time requested for a seller without questions', 'not_found']],
  ),
  ...rowsOf('Action guide', guide, [
    [400, 'excepted products', '', 'pack belongs to an excepted case'],
    [403, 'pack with blocked messages', '', 'The conversation is blocked'],
    [403, 'seller not authorised for that pack', '', 'not allowed to access the pack'],
    [500, 'Internal server error'],
  ]),
  ...rowsOf(
    'Action guide',
    ['actionGuide.send'],
    [
      [400, 'text over 350 characters', '', 'The text is invalid'],
      [400, 'unknown template id', '', 'The template <template_id> is invalid'],
      [403, 'cap exhausted', 'limit_exceeded', 'not allowed to run option OTHER again'],
      [404, 'invalid option_id', '', 'The option selected is not valid'],
      [409, 'concurrent options on same seller and sale', '', 'another request locks this operation'],
    ],
  ),
  ...rowsOf(
    'Conversation listing',
    ['messages.conversation'],
    [
      [403, 'user token has no access to the order'],
      [400, 'limit is not greater than 0'],
      [400, 'invalid limit'],
      [400, 'invalid offset'],
    ],
  ),
  ...rowsOf(
    'Get by id',
    ['messages.get'],
    [
      [403, 'user has no access to the message'],
      [400, 'the message id does not exist'],
      [404, 'message could not be retrieved from storage; retry in a few seconds'],
    ],
  ),
  ...rowsOf(
    'Create message',
    ['messages.send'],
    [
      [400, 'text contains unsupported characters'],
      [400, 'text longer than 350 characters'],
      [403, 'mediation in process'],
      [403, 'purchase in the fulfilment shipping mode not yet delivered'],
      [403, 'sender has no access to the order'],
      [403, 'receiver does not belong to the order'],
      [403, 'conversation blocked', 'conversation_blocked'],
      [400, 'to.user_id missing'],
      [400, 'invalid to user id'],
      [400, 'sender equals receiver'],
      [400, 'to.email not a secure email'],
      [400, 'to.resource missing or invalid'],
      [400, 'to.site_id missing or invalid'],
      [400, 'JSON body missing'],
      [400, 'from missing'],
      [400, 'access token missing'],
      [400, 'application id missing'],
    ],
  ),
  ...rowsOf(
    'Attachments',
    ['messages.upload'],
    [
      [400, 'empty file'],
      [400, 'file name contains / or \\'],
      [400, 'file larger than 25 MB'],
    ],
  ),
  ...rowsOf('Attachments', ['messages.upload', 'messages.send'], [[400, 'more than 25 attachments on a message']]),
  ...rowsOf(
    'Attachments',
    ['messages.upload', 'messages.download'],
    [
      [500, 'file cannot be saved'],
      [400, 'site_id query parameter missing'],
    ],
  ),
  ...rowsOf('Flex', reading, [
    [400, 'empty site id'],
    [400, 'invalid site_id'],
    [400, "can't access to resource"],
    [404, 'user not found'],
  ]),
  ...rowsOf(
    'Flex',
    ['flex.configuration'],
    [
      [400, 'invalid JSON body'],
      [400, 'failed to create schema in graphql operation'],
      [400, 'invalid query'],
      [404, 'no Flex subscription for the user_id and service_id pair'],
    ],
  ),
  ...rowsOf('Flex', changing, [
    [400, 'invalid user_id'],
    [400, 'invalid service_id'],
    [400, 'invalid JSON body'],
    [404, "can't update delivery custom"],
  ]),
  ...rowsOf('Flex', ['flex.items.enable', 'flex.items.disable'], [[400, 'item is already in flex']]),
  ...rowsOf('Flex', items, [
    [403, 'item down'],
    [404, 'item not found'],
  ]),
  ...rowsOf('Flex', ['flex.driver'], [[404, 'shipment_id not found']]),
];
