import { looseObject, string } from '../../core/schema/define.js';
import { queryItemIds } from '../handlers/items.js';
import { listingOf } from '../handlers/listing.js';
import { badRequest, foundOrThrow } from '../http/handler.js';
import { queryList } from '../http/read-request.js';
import type { Item } from '../state/items.js';
import { nothing, reading } from './neighbour.js';
import type { Neighbour } from './neighbour.js';

const get: Neighbour<{ item_id: string }> = {
  endpoint: reading('items.get', '/items/{item_id}', looseObject({ item_id: string })),
  handle: ({ input: { item_id } }, { items }) => toItemView(foundOrThrow(items.get(item_id), `Item ${item_id}`)),
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
    return Response.json(ids.map((id) => bulkEntry(id, items.get(id), attributes)));
  },
};

/** With `attributes`, an entry has the named fields of its body and no `id`; only fields of the body can be named. */
function bulkEntry(id: string, item: Item | undefined, attributes: readonly string[]): object {
  if (attributes.some((name) => !/^body(\.|$)/.test(name))) return { status_code: 403 };
  const named = attributes.length > 0;
  const own = { ...(!named && { id }), status_code: item ? 200 : 404 };
  if (!item) return own;
  const body = Object.entries(toItemView(item));
  const isNamed = ([name]: [string, unknown]): boolean =>
    !named || attributes.includes('body') || attributes.includes(`body.${name}`);
  return { ...own, body: Object.fromEntries(body.filter(isNamed)) };
}

function toItemView({ item_id, ...item }: Item): object {
  return { id: item_id, ...item, condition: 'new', ...listingOf({ item_id, ...item }) };
}

/** Items, one at a time and several. */
export const items = [get, bulk];
