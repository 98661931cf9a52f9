/**
 * What a value is. `word` is an enumerated value or the like, `error text` the code or the message of an error, and `link` a
 * path that holds ids. All but a `secret` say nothing of a person.
 */
export type Kind = 'id' | 'word' | 'date' | 'count' | 'link' | 'secret' | 'query document' | 'error text';

/** What is known of one place in a body. A value of no kind is a text of a person, or outside the schemas. */
export interface SchemaPlace {
  readonly kinds: readonly Kind[];
  /** The known values of an enum. */
  readonly values?: readonly string[] | undefined;
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, SchemaPlace>> | undefined;
  /** The entries of a list. */
  readonly entry?: SchemaPlace | undefined;
}

/** A place of which nothing is known. */
export const outside: SchemaPlace = { kinds: [] };

/** The names of all fields, and the values of all enums, of which there is a place. */
export const known = { names: new Set<string>(), values: new Set<string>() };

/** Returns the place of a value of one of some kinds. */
export function leaf(...kinds: Kind[]): SchemaPlace {
  return { kinds };
}

/** Returns the place of an enumerated value. */
export function word(values: readonly string[]): SchemaPlace {
  for (const value of values) known.values.add(value);
  return { kinds: ['word'], values };
}

/** Returns the place of an object. */
export function object(fields: Readonly<Record<string, SchemaPlace>>): SchemaPlace {
  for (const name of Object.keys(fields)) known.names.add(name);
  return { kinds: [], fields };
}

function each(names: string, ...kinds: Kind[]): Record<string, SchemaPlace> {
  return Object.fromEntries(names.split(' ').map((name) => [name, leaf(...kinds)]));
}

const cause = object({
  ...each('message type', 'error text'),
  ...each('code', 'error text', 'word'),
  cause_id: leaf('word'),
});

/** The body of an error, in all its known forms. */
export const errorPlace = object({
  ...each('message error error_description detail', 'error text'),
  ...each('code', 'error text', 'word'),
  ...each('status status_code', 'word'),
  cause: { ...cause, kinds: ['error text'], entry: { ...cause, kinds: ['error text'] } },
});

/** What is exchanged for tokens, in a query, a form or JSON, and the tokens. */
export const tokenPlace = object({
  ...each('grant_type response_type token_type', 'word'),
  ...each('client_id user_id', 'id'),
  ...each('client_secret code refresh_token code_verifier access_token token id_token', 'secret'),
  expires_in: leaf('count'),
  redirect_uri: outside,
});

/** Query parameters that every call can have, and the filters that are known. */
export const queryPlace = object({
  ...each('limit offset api_version', 'count'),
  ...each('mark_as_read tag role sort status search_type attributes', 'word'),
  ...each('application_id client_id caller seller_id item item_id from', 'id'),
  ...each('date_from date_to', 'date'),
  access_token: leaf('secret'),
  callback: outside,
});

/** Texts of the schemas that are none of a person, by their names. */
export const textPlace = object({
  ...each('unit type source symbol method sort available_sorts available_filters filters', 'word'),
  ...each('path resource', 'link'),
});

/** Fields that older versions of the service have in each object. Wire notes 7, 14 and 26. */
export const olderPlace = object({
  ...each('message_id resource_id attachment_id buyer_id user_id', 'id'),
  ...each('date date_received date_available date_notified date_read date_moderated', 'date'),
  ...each('code status_code', 'word'),
  plain: outside,
  seller: object({ id: leaf('id') }),
});

/** Older names of objects, with the present ones. */
export const olderNames: Readonly<Record<string, string>> = {
  moderation: 'message_moderation',
  attachments: 'message_attachments',
};

/** Names under which a response can wrap its content. */
export const wrappers: ReadonlySet<string> = new Set(
  'data results body message messages configuration subscriptions caps_available caps options questions users'.split(
    ' ',
  ),
);
for (const name of [...wrappers, ...Object.keys(olderNames)]) known.names.add(name);
