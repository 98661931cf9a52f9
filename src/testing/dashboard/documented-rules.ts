import { responseHeaders } from '../../core/errors/response-headers.js';
import { BufferedResponse } from '../../core/response/body.js';
import { readError } from '../../core/response/read-error.js';
import { allEndpoints } from '../http/all-endpoints.js';

/** A rule beside the documented errors of the endpoints: where it applies, the words of its error in lower case, and its section and row in the specification, or that the live service does so. */
type DocumentedRule = readonly [endpoint: string, words: string, rule: string];

const files = 'Errors, Attachments';
const contacts = 'Endpoints, Classified contact metrics';
const live = 'Live service';

/** The rules by the beginning of an endpoint's name; the first that applies holds, and `''` is every endpoint. */
const rules: readonly DocumentedRule[] = [
  ['', 'authorization header must be', 'Authentication 1: Authorization: Bearer <ACCESS_TOKEN>'],
  ['', 'invalid_token', 'Authentication 1: the access token is not valid or has expired'],
  ['', 'tag=post_sale', `${live}: tag=post_sale on every /messages call`],
  ['', 'too many requests', 'Limits: Rate limits'],
  ['', 'is not allowed on /', 'Endpoints: the method of the path'],
  ['', 'there is no resource', 'Endpoints: the path'],

  ['questions.search', 'same parameter', 'Endpoints, Questions: item (or item_id, both spellings occur)'],
  ['questions.search', 'from needs item', 'Endpoints, Questions: item plus from=<asker user id>'],
  ['questions.search', 'search by', 'Endpoints, Questions: exactly one way to search'],
  ['questions.search', 'sort_fields:', 'Endpoints, Questions: sort_fields'],
  ['questions.search', 'sort_types', 'Endpoints, Questions: sort_types, ASC or DESC, one per sort field'],
  ['questions.delete', 'access token', 'Authentication 2: deleting requires the access token of the seller'],
  ['questions.delete', 'another seller', 'Authentication 2: deleting requires the access token of the seller'],
  ['questions', '2000 characters', 'Limits: question and answer text, 2,000 characters'],
  ['questions.ask', 'blocked this user', 'Endpoints, Questions blacklist: a blocked user cannot ask questions'],
  ['questions.ask', 'is required', 'Endpoints, Questions: POST /questions, text and item_id are required'],
  ['questions.blacklist', 'only the seller', 'Endpoints, Questions blacklist: the seller controls the list'],
  ['questions.blacklist', 'user_id', 'Endpoints, Questions blacklist: user_id, the user to block'],

  ['actionGuide.send', '350 characters', 'Limits: seller message text, 350 characters'],
  ['actionGuide', 'vars', 'Endpoints, Post-sale reasons to communicate: vars of DELIVERY_PROMISE'],

  ['messages.unread', 'role must be', `${live}: role=seller always`],
  ['messages.send', 'application', 'Endpoints, Messages: optional application_id and x-client-id'],
  ['messages.send', 'is required', 'Endpoints, Messages: POST message body'],
  ['messages.send', 'attachments must be', 'Endpoints, Messages: attachments, a list of file ids'],
  ['messages', 'site_id', `${files}: site_id query parameter missing`],
  ['messages', 'one file', 'Endpoints, Messages: one file per call'],
  ['messages', 'must be one of', `${live}: JPG, PNG, PDF, TXT`],
  ['messages', 'file not found', 'Endpoints, Messages: GET /messages/attachments/{attachment_id}'],

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
  return documentedRule(status, endpoint, body ?? '') ?? otherRule(endpoint ?? '', (body ?? '').toLowerCase());
}

/** The row that a documented error of the endpoint carries. */
function documentedRule(status: number, name: string | null, text: string): string | undefined {
  const endpoint = allEndpoints.find((each) => each.name === name);
  if (!endpoint) return undefined;
  const headers = responseHeaders(new Headers());
  const { documented } = readError(new BufferedResponse({ status, headers }, text), endpoint);
  return documented && `${documented.section}: ${documented.condition ?? documented.message}`;
}

function otherRule(endpoint: string, text: string): string {
  const found = rules.find(([start, words]) => endpoint.startsWith(start) && text.includes(words));
  return found?.[2] ?? 'Errors: standard body';
}
