/** A rule: where it applies, the words of its error in lower case, and its section and row in the specification. */
type DocumentedRule = readonly [endpoint: string, words: string, rule: string];

const answering = 'Errors, Questions and response time';
const guide = 'Errors, Action guide';
const sending = 'Errors, Create message';
const files = 'Errors, Attachments';
const flex = 'Errors, Flex';
const contacts = 'Endpoints, Classified contact metrics';
const refusals = 'Wire notes, Reading refusals';
const answers = 'Wire notes, Reading answers';

/** The rules by the beginning of an endpoint's name; the first that applies holds, and `''` is every endpoint. */
const rules: readonly DocumentedRule[] = [
  ['', 'authorization header must be', 'Authentication 1: Authorization: Bearer <ACCESS_TOKEN>'],
  ['', 'invalid_token', 'Authentication 1: the access token is not valid or has expired'],
  ['', 'tag=post_sale', `${answers} 10: tag=post_sale on every /messages call`],
  ['', 'too many requests', 'Limits: Rate limits'],
  ['', 'is not allowed on /', 'Endpoints: the method of the path'],
  ['', 'there is no resource', 'Endpoints: the path'],

  ['questions.search', 'same parameter', 'Endpoints, Questions: item (or item_id, both spellings occur)'],
  ['questions.search', 'from needs item', 'Endpoints, Questions: item plus from=<asker user id>'],
  ['questions.search', 'search by', 'Endpoints, Questions: exactly one way to search'],
  ['questions.search', 'sort_fields:', 'Endpoints, Questions: sort_fields'],
  ['questions.search', 'sort_types', 'Endpoints, Questions: sort_types, ASC or DESC, one per sort field'],
  ['questions.get', 'question not found', 'Authentication 4: DELETED or BANNED without a token, or no such question'],
  ['questions.delete', 'access token', 'Authentication 2: deleting requires the access token of the seller'],
  ['questions.delete', 'another seller', 'Authentication 2: deleting requires the access token of the seller'],
  ['questions.delete', 'question not found', 'Endpoints, Questions: DELETE /questions/{question_id}'],
  ['questions.responseTime', 'no questions', `${answering}: response time requested for a seller without questions`],
  ['questions.answer', 'not_unanswered_question', `${refusals}: not_unanswered_question`],
  ['questions', 'not_active_item', `${refusals}: not_active_item`],
  ['questions', 'user_ask_limit', `${refusals}: user_ask_limit`],
  ['questions', '2000 characters', 'Limits: question and answer text, 2,000 characters'],
  ['questions.answer', 'invalid_question', `${answering}: invalid_question, the question cannot be answered`],
  ['questions.answer', 'invalid_post_body', `${answering}: invalid_post_body, invalid JSON on answering`],
  ['questions.ask', 'blocked this user', 'Endpoints, Questions blacklist: a blocked user cannot ask questions'],
  ['questions.ask', 'is required', 'Endpoints, Questions: POST /questions, text and item_id are required'],
  ['questions.blacklist', 'only the seller', 'Endpoints, Questions blacklist: the seller controls the list'],
  ['questions.blacklist', 'user_id', 'Endpoints, Questions blacklist: user_id, the user to block'],

  ['actionGuide.send', '350 characters', 'Limits: seller message text, 350 characters'],
  ['actionGuide', 'text is invalid', `${guide}: The text is invalid, over 350 characters`],
  ['actionGuide', 'template', `${guide}: The template <template_id> is invalid`],
  ['actionGuide', 'blocked_by_excepted_case', `${guide}: blocked_by_excepted_case, excepted products`],
  ['actionGuide', 'limit_exceeded', `${guide}: limit_exceeded, cap exhausted`],
  ['actionGuide', 'option selected is not valid', `${guide}: The option selected is not valid`],
  ['actionGuide', 'another request locks', `${guide}: another request locks this operation`],
  ['actionGuide', 'conversation is blocked', `${guide}: The conversation is blocked`],
  ['actionGuide', 'not allowed to access the pack', `${guide}: not allowed to access the pack`],
  ['actionGuide', 'vars', 'Endpoints, Post-sale reasons to communicate: vars of DELIVERY_PROMISE'],
  ['actionGuide', 'application id', 'Authentication 3: Application id is required'],
  ['actionGuide', 'access token', 'Authentication 3: Access token is required'],

  ['messages.conversation', 'limit', 'Errors, Conversation listing: limit is not greater than 0; invalid limit'],
  ['messages.conversation', 'offset', 'Errors, Conversation listing: invalid offset'],
  ['messages.conversation', 'no access', 'Errors, Conversation listing: user token has no access to the order'],
  ['messages.get', 'does not exist', 'Errors, Get by id: the message id does not exist'],
  ['messages.get', 'no access', 'Errors, Get by id: user has no access to the message'],
  ['messages.get', 'could not be retrieved', 'Errors, Get by id: message could not be retrieved from storage'],
  ['messages.unread', 'role must be', 'Wire notes, Facts of late 2026 20: role=seller always'],
  ['messages.send', 'conversation_blocked', `${sending}: conversation_blocked`],
  ['messages.send', 'mediation', `${sending}: mediation in process (Brazil only)`],
  ['messages.send', 'fulfilment', `${sending}: purchase in the fulfilment shipping mode not yet delivered`],
  ['messages.send', 'receiver does not belong', `${sending}: receiver does not belong to the order`],
  ['messages.send', 'no access to the order', `${sending}: sender has no access to the order`],
  ['messages.send', 'unsupported characters', `${sending}: text contains unsupported characters`],
  ['messages.send', 'characters', `${sending}: text longer than 350 characters`],
  ['messages.send', 'are equal', `${sending}: sender equals receiver`],
  ['messages.send', 'to.', `${sending}: to.user_id, to.email, to.resource, to.site_id`],
  ['messages.send', 'from is missing', `${sending}: from missing`],
  ['messages.send', 'access token is required', `${sending}: access token missing`],
  ['messages.send', 'application id is required', `${sending}: application id missing`],
  ['messages.send', 'application', 'Endpoints, Messages: optional application_id and x-client-id'],
  ['messages.send', 'json body', `${sending}: JSON body missing`],
  ['messages.send', '25 attachments', 'Limits: attachments per message, 25'],
  ['messages.send', 'has expired', `${answers} 17: an uploaded file that no message uses is gone after 48 hours`],
  ['messages.send', 'is required', 'Endpoints, Messages: POST message body'],
  ['messages.send', 'attachments must be', 'Endpoints, Messages: attachments, a list of file ids'],
  ['messages', 'site_id', `${files}: site_id query parameter missing`],
  ['messages', 'file is empty', `${files}: empty file`],
  ['messages', 'file name', `${files}: file name contains / or \\`],
  ['messages', '25 mb', 'Limits: attachment size, 25 MB'],
  ['messages', '25 attachments', 'Limits: attachments per message, 25'],
  ['messages', 'one file', 'Endpoints, Messages: one file per call'],
  ['messages', 'must be one of', `${answers} 17: JPG, PNG, PDF, TXT`],
  ['messages', 'file not found', 'Endpoints, Messages: GET /messages/attachments/{attachment_id}'],

  ['flex', 'empty site id', `${flex}: empty site id`],
  ['flex', 'invalid site_id', `${flex}: invalid site_id`],
  ['flex', "can't access to resource", `${flex}: can't access to resource`],
  ['flex', "can't update delivery custom", `${flex}: can't update delivery custom, no subscription for the pair`],
  ['flex', 'no flex subscription', `${flex}: no Flex subscription for the user_id and service_id pair`],
  ['flex', 'invalid user_id', `${flex}: invalid user_id`],
  ['flex', 'invalid service_id', `${flex}: invalid service_id`],
  ['flex', 'invalid json body', `${flex}: invalid JSON body`],
  ['flex', 'failed to create schema', `${flex}: failed to create schema in graphql operation`],
  ['flex', 'invalid query', `${flex}: invalid query`],
  ['flex', 'user not found', `${flex}: user not found`],
  ['flex', 'already in flex', `${flex}: item is already in flex`],
  ['flex', 'item down', `${flex}: item down, the item does not offer Flex`],
  ['flex', 'item not found', `${flex}: item not found`],
  ['flex', 'shipment_id not found', `${flex}: shipment_id not found`],
  ['flex', 'another change', `${answers} 16: two changes of one item at a time`],
  ['flex', 'this subscription', 'Flex subscription: configuration_type, zones and custom delivery are of FLEX'],
  ['flex', 'zone', 'Endpoints, Flex delivery: zones, a list of {id string}'],

  ['contacts', 'last', `${contacts}: last, how many units back the sample covers`],
  ['contacts', 'unit', `${contacts}: unit, day or hour`],
  ['contacts', 'order must be', `${contacts}: order, asc or desc`],
  ['contacts', 'ending', `${contacts}: ending, date (ISO 8601)`],
  ['contacts', 'date_', `${contacts}: date_from, date_to (ISO 8601)`],
  ['contacts', 'ids', `${contacts}: ids, comma list of item ids`],
  ['items', 'ids', 'Endpoints, Flex delivery: /items with query ids and attributes=status'],
  ['currencies.get', 'currency ', 'Common resources used as examples: GET /currencies/{id}'],
  ['sites', '', 'Common resources used as examples: GET /sites/{site_id}/search'],

  ['', 'limit must be', 'Common conventions 4: limit and offset'],
  ['', 'offset must be', 'Common conventions 4: limit and offset'],
  ['', 'must be an integer', 'Resources and their fields: an id is an integer'],
  ['', 'another seller', 'Authentication 5: only what belongs to the user'],
  ['', 'no access', 'Authentication 5: only what belongs to the user'],
  ['', 'access token is required', 'Authentication 1: Authorization: Bearer <ACCESS_TOKEN>'],
  ['', 'json body', 'Common conventions 1: JSON'],
  ['', '1 mb', 'Common conventions 1: JSON'],
  ['', 'does not exist', 'Endpoints: the id in the path or body'],
];

/**
 * Returns the rule of the specification that a 4xx follows, as section and row, e.g.
 * `Errors, Create message: text longer than 350 characters`; `null` for any other response.
 *
 * @param body the text of the response
 */
export function ruleOf(status: number, endpoint: string | null, body: string | null): string | null {
  if (status < 400 || status > 499) return null;
  const text = (body ?? '').toLowerCase();
  const found = rules.find(([start, words]) => (endpoint ?? '').startsWith(start) && text.includes(words));
  return found?.[2] ?? 'Errors: standard body';
}
