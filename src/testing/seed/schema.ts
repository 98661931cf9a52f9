import {
  anything,
  checked,
  closedEnum,
  either,
  flag,
  instant,
  integer,
  list,
  map,
  number,
  optional,
  request,
  text,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';

const postedText = checked(text, (value) =>
  value.length > 2000 ? { path: [], message: 'a question or answer has at most 2000 characters' } : undefined,
);
const time = checked(instant, (value) =>
  Number.isNaN(Date.parse(value))
    ? { path: [], message: 'a time is an ISO 8601 string, e.g. "2026-03-02T09:30:00Z"' }
    : undefined,
);
const ownToken = checked(text, (value) =>
  /^[\w.~+/=-]+$/.test(value) ? undefined : { path: [], message: 'a token has only letters, digits and . ~ + / = _ -' },
);

/** A user, with an optional fixed token. */
const seededUser = request({
  user_id: integer,
  nickname: optional(text),
  site_id: optional(text),
  token: optional(ownToken),
  application_id: optional(integer),
});

/** An item; `flex` enables Flex on it. */
const seededItem = request({
  item_id: text,
  seller_id: integer,
  title: optional(text),
  site_id: optional(text),
  status: optional(closedEnum('active', 'paused', 'closed', 'under_review')),
  flex: optional(flag),
});

/** A question of the user `from`, with its answer. */
const seededQuestion = request({
  item_id: text,
  from: integer,
  text: postedText,
  asked_at: optional(time),
  answer: optional(postedText),
  answered_at: optional(time),
});

/** A message in the conversation of its pack. */
const seededMessage = request({
  from: closedEnum('buyer', 'seller'),
  text,
  sent_at: optional(time),
});

/** A sale with its messages. */
const seededPack = request({
  pack_id: optional(integer),
  seller_id: integer,
  buyer_id: integer,
  shipping: optional(closedEnum('flex', 'cross_docking', 'drop_off', 'fulfilment', 'custom')),
  delivered: optional(flag),
  exceptedCase: optional(flag),
  inMediation: optional(flag),
  blockedBy: optional(text),
  messages: optional(list(seededMessage)),
});

/** A fault: the fields of `Fault`, with the endpoint's name instead of the endpoint. */
export const seededFault = request({
  endpoint: optional(text),
  status: optional(integer),
  body: optional(anything),
  headers: optional(map),
  after: optional(flag),
  reset: optional(closedEnum('before', 'after')),
  stall: optional(either(flag, closedEnum('headers'))),
  truncate: optional(flag),
  delayMs: optional(integer),
  times: optional(integer),
  probability: optional(number),
  seed: optional(integer),
});

const seededFlex = request({
  subscriptions: optional(
    list(
      request({
        user_id: integer,
        mode: optional(closedEnum('FLEX', 'TURBO')),
        status: optional(closedEnum('in', 'out', 'pending')),
        service_id: optional(integer),
      }),
    ),
  ),
  shipments: optional(list(request({ user_id: integer, driver_id: optional(integer) }))),
});

/** The initial content of a marketplace. */
export const seed = request({
  now: optional(time),
  users: optional(list(seededUser)),
  items: optional(list(seededItem)),
  questions: optional(list(seededQuestion)),
  blacklist: optional(list(request({ seller_id: integer, user_id: integer }))),
  packs: optional(list(seededPack)),
  flex: optional(seededFlex),
  contacts: optional(
    list(
      request({
        kind: closedEnum('question', 'phone_view'),
        item_id: text,
        at: optional(time),
        times: optional(integer),
      }),
    ),
  ),
  faults: optional(list(seededFault)),
});

export interface Seed extends Output<typeof seed> {}
/** A seed before validation. */
export interface SeedInit extends Input<typeof seed> {}
export interface SeededPack extends Output<typeof seededPack> {}
export interface SeededFault extends Output<typeof seededFault> {}

/** Validates a value. @throws {SeedError} with one message per problem */
export function readAs<Out>(schema: Schema<Out, unknown>, value: unknown): Out {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SeedError(
    parsed.error.issues.map(({ path, message }) => {
      const location = path.map(String).join('.');
      return location === '' || message.includes(location) ? message : `\`${location}\`: ${message}`;
    }),
  );
}

/** A seed, or a part of one, is invalid. */
export class SeedError extends Error {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(messages.join('; '));
    this.messages = messages;
  }
}
