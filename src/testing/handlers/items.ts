import type { endpoints } from '../../endpoints.js';
import type { EndpointHandlers } from '../http/handler.js';
import type { ItemStore } from '../state/items.js';

/** Handles the multi-get of items: one result per id, with a code of its own. */
export function itemHandlers(items: ItemStore): EndpointHandlers<typeof endpoints.items> {
  return {
    status: ({ ids }) =>
      ids.map((id) => {
        const item = items.get(String(id));
        if (item) return { code: 200, body: { id: item.item_id, status: item.status } };
        return { code: 404, body: { message: `There is no item ${id}`, error: 'not_found', status: 404, cause: [] } };
      }),
  };
}
