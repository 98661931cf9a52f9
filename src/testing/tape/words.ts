import { allEndpoints } from '../http/all-endpoints.js';
import { known } from './conventions.js';
import { placesOfEndpoint } from './places.js';

/** Words of the service that no schema has. */
const more = `multipart form file json application image text html plain octet stream pdf png jpg jpeg gif txt csv xml javascript bearer basic code
  authorization refresh grant offline access read write oauth token orders shipments claims packs sellers users me post sale
  relevance title asc desc condition number string date boolean invalid many requests local rate limited expired revoked
  scan scroll zone bad gateway timeout conflict validation error internal service unavailable
  method allowed entity large unprocessable initiated ai assistant refund return fraud restrictions account online bulk configurations applications missed feeds myfeeds unauthorized forbidden denied scopes scope null failed failure too state seller buyer get put delete options block blocked by`;

/** Names of fields that the service was seen to send and no schema has. */
const seenNames = `tags seller is_admin sorts caller hidden claim_ids texts mla html mlb mlc mco mlu origin set capabilities
  cutoff_by_zone holidays transit_times accurate_ranges country_default_time_zone nickname condition buying_mode
  listing_type_id category_id thumbnail thumbnail_id use_thumbnail_id catalog_product_id official_store_id domain_id
  order_backend original_price sale_price stop_time shipping store_pick_up free_shipping logistic_type benefits promise
  shipping_score state_id state_name city_id city_name installments quantity amount rate value_id value_name inventory_id
  variation_filters winner_item_id catalog_listing discounts promotions`;

/** Messages of errors that belong to no endpoint. */
const commonMessages = [
  'Access token is required',
  'The access token has expired',
  'The access token is not valid',
  'The Authorization header must be Bearer <token>',
  'Internal server error',
  'Too many requests',
];

interface Words {
  readonly words: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
}

let made: Words | undefined;

function wordsOfService(): Words {
  if (made) return made;
  for (const endpoint of allEndpoints) placesOfEndpoint(endpoint);
  const errors = allEndpoints.flatMap((endpoint) => endpoint.errors);
  const messages = [...errors.map(({ message }) => message), ...commonMessages];
  const texts = [...errors.map(({ code = '' }) => code), ...allEndpoints.map(({ path }) => path), ...messages, more];
  const words = new Set([...known.names, ...known.values, ...texts].flatMap(split));
  for (const name of seenNames.split(/\s+/)) known.names.add(name);
  made = { words, messages: new Set(messages.map(plain)) };
  return made;
}

/** Whether a name is one of the service: of any schema, or of a known convention. */
export function isServiceName(name: string): boolean {
  wordsOfService();
  return known.names.has(name);
}

/** Whether a word, e.g. one of `not_unanswered_question`, is one of the service. */
export function isServiceWord(word: string): boolean {
  return wordsOfService().words.has(word.toLowerCase());
}

/** Whether a message is, as a whole, one that the documents know. */
export function isKnownMessage(text: string): boolean {
  return wordsOfService().messages.has(plain(text));
}

function split(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

function plain(text: string): string {
  return text.toLowerCase().trim().replace(/\.$/, '');
}
