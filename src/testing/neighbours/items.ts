import { looseObject, string } from '../../core/schema/define.js';
import { orderedIds, queryItemIds } from '../handlers/items.js';
import { listingOf } from '../handlers/listing.js';
import { badRequest, foundOrThrow } from '../http/handler.js';
import { queryList } from '../http/read-request.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Item } from '../state/items.js';
import { nothing, reading } from './neighbour.js';
import type { Neighbour } from './neighbour.js';

const get: Neighbour<{ item_id: string }> = {
  endpoint: reading('items.get', '/items/{item_id}', looseObject({ item_id: string })),
  handle: ({ input: { item_id } }, { items }) => toItemView(foundOrThrow(items.get(item_id), `Item ${item_id}`)),
};

/** The text below the photos. The fake has none of its own. */
const description: Neighbour<{ item_id: string }> = {
  endpoint: reading('items.description', '/items/{item_id}/description', looseObject({ item_id: string })),
  public: true,
  handle: ({ input: { item_id } }, { items }) => {
    const { title } = foundOrThrow(items.get(item_id), `Item ${item_id}`);
    return { text: '', plain_text: `${title}. New, in its box.`, date_created: null, last_updated: null };
  },
};

/** What replaces `/items` for reading several items. */
const bulk: Neighbour<object> = {
  endpoint: reading('items.bulk', '/items/bulk', nothing),
  public: true,
  handle: ({ query }, { items, settings }) => {
    const ids = queryItemIds(query, settings);
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated !== undefined) throw badRequest(`ids has ${repeated} twice`);
    const attributes = queryList({ query }, 'attributes');
    const entries = orderedIds(ids, { items, settings }).map((id) =>
      bulkEntry(id, items.get(id), attributes, settings),
    );
    // One team saw what could not be read behind what was found.
    const isLast = (entry: object): boolean => settings.bulkEntries === 'selected' && !('body' in entry);
    return Response.json(entries.sort((a, b) => Number(isLast(a)) - Number(isLast(b))));
  },
};

/** Without `attributes`, an entry names itself. With them, it has the fields of its body that they name, and no `id`. */
function bulkEntry(
  id: string,
  item: Item | undefined,
  attributes: readonly string[],
  { bulkEntries }: MarketplaceSettings,
): object {
  const isSelected = bulkEntries === 'selected';
  const status_code = item ? 200 : 404;
  if (attributes.length === 0)
    return {
      id,
      status_code,
      ...(item ? { body: toItemView(item) } : { error: { message: `Item ${id} does not exist` } }),
    };
  // Two teams saw that such a name spoils each entry; another names `status_code` every day.
  if (!isSelected && attributes.some((name) => !/^body(\.|$)/.test(name))) return { status_code: 403 };
  const own = !isSelected || attributes.includes('status_code') ? { status_code } : {};
  const isNamed = ([name]: [string, unknown]): boolean =>
    attributes.includes('body') || attributes.includes(`body.${name}`);
  const body = Object.entries(item ? toItemView(item) : {}).filter(isNamed);
  return { ...own, ...(body.length > 0 && { body: Object.fromEntries(body) }) };
}

function toItemView({ item_id, ...item }: Item): object {
  return { id: item_id, ...item, condition: 'new', ...listingOf({ item_id, ...item }) };
}

/** Items, one at a time and several, and their descriptions. */
export const items = [get, description, bulk];
