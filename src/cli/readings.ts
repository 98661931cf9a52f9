import type { SellerClient } from '../client.js';
import type { DescribedEndpoint } from '../core/operation/endpoint.js';
import type { Paged } from '../core/paging/paged.js';
import { inspect, shapeOf } from '../core/schema/schema.js';
import { allEndpoints } from '../testing/http/routes.js';
import type { Options } from './command.js';

/** What a response contains for later calls: ids, or other values if it has another shape than documented. */
type FoundIds = Partial<Record<IdName, readonly unknown[]>>;

/** A reading operation: the ids that it needs, how it is called, and the ids that its response contains. */
export interface ReadingOperation {
  /** Its name in `endpoints`. */
  readonly operation: string;
  readonly needs: readonly IdName[];
  /** Returns the ids in the response. */
  call(seller: SellerClient, ids: Readonly<Record<IdName, string>>): Promise<FoundIds>;
}

function reading<const Name extends IdName, Out>(
  operation: string,
  needs: readonly Name[],
  call: (seller: SellerClient, ids: Readonly<Record<Name, string>>) => PromiseLike<Out>,
  find: (output: Out) => FoundIds = () => ({}),
): ReadingOperation {
  return { operation, needs, call: async (seller, ids) => find(await call(seller, ids)) };
}

const pageSize = { limit: 10 };
/** A message that is read here must not count as read by the seller. */
const unread = { query: { mark_as_read: 'false' } };

/** Operations that find ids that the others need, or that are more than one call of an endpoint. */
const ownReadings: readonly ReadingOperation[] = [
  reading('describe', [], (seller) => seller.describe({ path: '/questions' })),
  reading(
    'questions.search',
    ['user'],
    (seller, { user }) => firstOf(seller.questions.search({ seller_id: user, ...pageSize })),
    (questions) => {
      const item = idsOf(questions, 'item_id');
      return { question: idsOf(questions, 'id'), item, site: sitesOf(item) };
    },
  ),
  reading(
    'sites.search',
    ['site', 'user'],
    (seller, { site, user }) =>
      firstOf(seller.sites.search({ site_id: site, filters: { seller_id: user }, ...pageSize })),
    (listings) => ({ item: idsOf(listings, 'id') }),
  ),
  // The client knows the successor of the path.
  reading('items.status', ['item'], (seller, { item }) => seller.items.status({ ids: [item] })),
  reading(
    'messages.conversation',
    ['pack', 'user'],
    (seller, { pack, user }) =>
      firstOf(seller.messages.conversation({ pack_id: pack, user_id: user, mark_as_read: false, ...pageSize })),
    (messages) => ({
      message: idsOf(messages, 'id'),
      attachment: idsOf(messages.flatMap(attachmentsOf), 'filename'),
    }),
  ),
  reading(
    'messages.get',
    ['message'],
    (seller, { message }) => seller.messages.get({ message_id: message }, unread),
    (message) => ({ attachment: idsOf(attachmentsOf(message), 'filename') }),
  ),
  reading('messages.download', ['site', 'attachment'], async (seller, { site, attachment }) => {
    const file = await seller.messages.download({ site_id: site, attachment_id: attachment }, unread);
    await file.cancel();
  }),
  reading(
    'flex.subscriptions',
    ['site', 'user'],
    (seller, { site, user }) => seller.flex.subscriptions({ site_id: site, user_id: user }),
    servicesIn,
  ),
  reading(
    'flexV2.subscriptions',
    ['site', 'user'],
    (seller, { site, user }) => seller.flexV2.subscriptions({ site_id: site, user_id: user }),
    servicesIn,
  ),
  reading('flexV2.radius', ['site', 'user', 'turbo'], (seller, { site, user, turbo }) =>
    seller.flexV2.radius({ site_id: site, user_id: user, service_id: turbo }),
  ),
  reading('flex.configuration', ['site', 'user', 'service'], (seller, { site, user, service }) =>
    seller.flex.configuration({ site_id: site, user_id: user, service_id: service }),
  ),
  reading('flex.items.isEnabled', ['site', 'item'], (seller, { site, item }) =>
    seller.flex.items.isEnabled({ site_id: site, item_id: item }),
  ),
];

/** The ids that the fields of inputs take. */
const idNames: Readonly<Record<string, IdName>> = {
  ids: 'item',
  item_id: 'item',
  message_id: 'message',
  pack_id: 'pack',
  question_id: 'question',
  seller_id: 'user',
  service_id: 'service',
  shipment_id: 'shipment',
  site_id: 'site',
  user_id: 'user',
};

/** What the other fields take: a currency, and the contacts of a week or of two days. */
function otherFields(): Readonly<Record<string, unknown>> {
  const now = Date.now();
  return { id: 'BRL', date_from: new Date(now - 7 * 86_400_000), date_to: new Date(now), last: 2, unit: 'day' };
}

/** An operation that is one call; none if a field of its input is not known. */
function readingOf(endpoint: DescribedEndpoint): ReadingOperation[] {
  const shape = shapeOf(endpoint.input);
  const required = Object.keys(shape).filter((name) => inspect(shape[name]).kind !== 'optional');
  if (required.some((name) => !(name in idNames || name in otherFields()))) return [];
  const needs = required.flatMap((name) => idNames[name] ?? []);
  const call: ReadingOperation['call'] = async (seller, ids) => {
    const others = otherFields();
    const valueOf = (name: string): unknown => {
      const id = idNames[name] && ids[idNames[name]];
      return name === 'ids' ? [id] : (id ?? others[name]);
    };
    const input = Object.fromEntries(required.map((name) => [name, valueOf(name)]));
    const page = 'limit' in shape && pageSize;
    await seller.call(endpoint, { ...input, ...page }, endpoint.path.startsWith('/messages') ? unread : {});
    return {};
  };
  return [{ operation: endpoint.name, needs, call }];
}

/**
 * Returns the reading operations: first those that find the ids that the others need. A function, because it creates the
 * schemas of their inputs, which other commands do not need.
 */
export function readings(): readonly ReadingOperation[] {
  const others = allEndpoints.filter(
    ({ name, retry }) => retry === 'safe' && !ownReadings.some(({ operation }) => operation === name),
  );
  return [...ownReadings, ...others.flatMap(readingOf)];
}

/** Only a Turbo subscription has a radius, and it has no zones. */
function servicesIn(subscriptions: readonly { readonly mode?: string | null | undefined }[]): FoundIds {
  const ofMode = (isTurbo: boolean): unknown[] =>
    idsOf(
      subscriptions.filter(({ mode }) => (mode?.toUpperCase() === 'TURBO') === isTurbo),
      'service_id',
    );
  return { service: ofMode(false), turbo: ofMode(true) };
}

async function firstOf<T>(list: Paged<T>): Promise<readonly T[]> {
  for await (const { items } of list.pages()) return items;
  return [];
}

/** The ids in responses, which may have another shape than documented: `check` is there to find that out. */
function idsOf(entries: unknown, name: string): unknown[] {
  return Array.isArray(entries) ? entries.map((entry) => (entry as Record<string, unknown> | null)?.[name]) : [];
}

function attachmentsOf(message: { readonly message_attachments?: unknown }): unknown[] {
  return Array.isArray(message.message_attachments) ? (message.message_attachments as unknown[]) : [];
}

/** The id of an item begins with its site. */
export function sitesOf(items: readonly unknown[]): unknown[] {
  return items.map((item) => /^([A-Z]{3})\d/.exec(String(item))?.[1]);
}

/** What the calls of `check` need, and where each comes from: the option, or an earlier call. */
export const idOptions = {
  user: { value: 'ID', text: 'user id of the seller (default: the one in the token)' },
  site: { value: 'SITE', text: 'site, e.g. MLA (default: the one in the id of an item)' },
  item: { value: 'ID', text: "item of the seller (default: of the seller's questions or listings)" },
  question: { value: 'ID', text: 'question (default: found by search)' },
  pack: { value: 'ID', text: 'pack or order with messages; the service has no search for them' },
  message: { value: 'ID', text: 'message (default: of the pack)' },
  attachment: { value: 'ID', text: 'file of a message (default: of the messages of the pack)' },
  shipment: { value: 'ID', text: 'Flex shipment with a driver; the service has no search for them' },
  service: { value: 'ID', text: "service id of a Flex subscription (default: of the seller's subscriptions)" },
  turbo: { value: 'ID', text: "service id of a Turbo subscription (default: of the seller's subscriptions)" },
} satisfies Options;

/** The kinds of ids. */
export type IdName = keyof typeof idOptions;

/** The ids with which another one may be found. */
const sources: Readonly<Partial<Record<IdName, readonly IdName[]>>> = {
  site: ['user', 'item'],
  item: ['user'],
  question: ['user'],
  service: ['user', 'site'],
  turbo: ['user', 'site'],
  message: ['pack'],
  attachment: ['pack', 'message'],
};

/** Of ids that are missing, returns those to give: the others may be found then. */
export function idsToGive(missing: readonly IdName[]): IdName[] {
  const names = Object.keys(idOptions) as IdName[];
  return names.filter((name) => missing.includes(name) && !sources[name]?.some((source) => missing.includes(source)));
}

/** Another seller, or another site, would be another check. */
const unique: readonly IdName[] = ['user', 'site'];

/** Ids that have been found or given, at most two of each kind. */
export class Ids {
  readonly #found = new Map<IdName, readonly string[]>();

  /** Adds what a response contains. Given ids, and those found before, come first. */
  add(name: IdName, values: readonly unknown[]): void {
    const known = this.#found.get(name) ?? [];
    const more = values.filter((value) => typeof value === 'string' || typeof value === 'number').map(String);
    this.#found.set(name, [...new Set([...known, ...more])].slice(0, unique.includes(name) ? 1 : 2));
  }

  /** Returns the first or the second one of each kind; the first where there is no second. */
  choice(index: 0 | 1): Partial<Record<IdName, string>> {
    return Object.fromEntries([...this.#found].map(([name, values]) => [name, values[index] ?? values[0]]));
  }
}
