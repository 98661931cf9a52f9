import { allEndpoints } from '../http/all-endpoints.js';
import { known } from './conventions.js';
import { placesOfEndpoint } from './places.js';

/** Words of the service that no schema and no documented error has. */
const more = `multipart form image html octet stream pdf png jpg jpeg gif txt csv xml javascript basic offline write oauth orders claims me
  sale relevance condition number string boolean local rate limited revoked scan scroll gateway timeout validation unavailable
  large initiated ai assistant refund return fraud restrictions account online bulk configurations applications missed feeds
  myfeeds unauthorized denied scopes scope null failure state get put delete block`;

/** Names of fields that the service was seen to send and no schema has. */
const seenNames = `tags is_admin sorts hidden claim_ids texts mla html mlb mlc mco mlu origin set capabilities cutoff_by_zone holidays
  transit_times accurate_ranges country_default_time_zone nickname condition buying_mode listing_type_id category_id thumbnail
  thumbnail_id use_thumbnail_id catalog_product_id official_store_id domain_id order_backend original_price sale_price
  stop_time shipping store_pick_up free_shipping logistic_type benefits promise shipping_score state_id state_name city_id
  city_name installments quantity amount rate value_id value_name inventory_id variation_filters winner_item_id catalog_listing
  discounts promotions`;

/** Messages of errors that belong to no endpoint. */
const commonMessages = [
  'The access token has expired',
  'The access token is not valid',
  'The Authorization header must be Bearer <token>',
  'Too many requests',
];

let made: Readonly<Record<'names' | 'words' | 'messages', ReadonlySet<string>>> | undefined;

function wordsOfService(): NonNullable<typeof made> {
  if (made) return made;
  for (const endpoint of allEndpoints) placesOfEndpoint(endpoint);
  const errors = allEndpoints.flatMap((endpoint) => endpoint.errors);
  const messages = [...errors.map(({ message }) => message), ...commonMessages];
  const texts = [...errors.map(({ code = '' }) => code), ...allEndpoints.map(({ path }) => path), ...messages, more];
  const names = new Set([...known.names, ...seenNames.split(/\s+/)]);
  const words = new Set(
    [...known.names, ...known.values, ...texts].flatMap((text) => text.toLowerCase().match(/[a-z]+/g) ?? []),
  );
  return (made = { names, words, messages: new Set(messages.map(plain)) });
}

/** Whether a name is one of the service: of any schema, or of a known convention. */
export function isServiceName(name: string): boolean {
  return wordsOfService().names.has(name);
}

/** Whether a word, e.g. one of `not_unanswered_question`, is one of the service. */
export function isServiceWord(word: string): boolean {
  return wordsOfService().words.has(word.toLowerCase());
}

/** Whether a message is, as a whole, one that the documents know. */
export function isKnownMessage(text: string): boolean {
  return wordsOfService().messages.has(plain(text));
}

function plain(text: string): string {
  return text.toLowerCase().trim().replace(/\.$/, '');
}
