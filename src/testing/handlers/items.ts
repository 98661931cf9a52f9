import type { endpoints } from '../../endpoints.js';
import { bulkItemsPath } from '../http/all-endpoints.js';
import { badRequest, notFound } from '../http/handler.js';
import type { EndpointHandlers } from '../http/handler.js';
import { queryList } from '../http/read-request.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';

/** Handles the multi-get of items: one result per id, each with its own code. Wire notes 18. */
export function itemHandlers({ items, settings }: Stores): EndpointHandlers<typeof endpoints.items> {
  return {
    status: ({ path, query }) => {
      const ids = queryList({ query }, 'ids');
      if (ids.length === 0) throw badRequest('ids is required');
      if (ids.length > settings.maxItemIds) throw badRequest(`ids has more than ${settings.maxItemIds} entries`);
      const results = ids.map((id) => ({ id, item: items.get(id) }));
      if (path === bulkItemsPath) return toBulkView(results);
      if (settings.itemStatusShape === 'bare') return results.flatMap(({ item }) => (item ? [toItemView(item)] : []));
      return results.map(({ id, item }) =>
        item ? { code: 200, body: toItemView(item) } : { code: 404, body: notFound(`Item ${id} does not exist`).body },
      );
    },
  };
}

/** @throws {ErrorResponse} 400 for a repeated id */
function toBulkView(results: readonly { readonly id: string; readonly item: Item | undefined }[]): object[] {
  const ids = results.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw badRequest(`ids has ${repeated} twice`);
  return results.map(({ item }) => (item ? { status_code: 200, body: toItemView(item) } : { status_code: 404 }));
}

function toItemView({ item_id, ...item }: Item): object {
  return { id: item_id, ...item };
}
