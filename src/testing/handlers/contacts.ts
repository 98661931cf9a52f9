import type { endpoints } from '../../endpoints.js';
import { pageOf } from '../http/conventions.js';
import { badRequest, bearerOrThrow, foundOrThrow } from '../http/handler.js';
import type { Call } from '../http/call.js';
import type { EndpointHandler, EndpointHandlers } from '../http/handler.js';
import { pathId, pathText, queryDate, queryList, queryPage } from '../http/read-request.js';
import type { ContactKind, StoredContact } from '../state/contacts.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';
import { countWindow, readWindow } from './contact-window.js';

/** Handles contact metrics. By default they need no token, because the samples of the specification have none. */
export function contactHandlers(stores: Stores): EndpointHandlers<typeof endpoints.contacts> {
  const { accounts, clock, contacts: store, items, settings } = stores;
  return { questions: handlersOf('question'), phoneViews: handlersOf('phone_view') };

  function handlersOf(kind: ContactKind) {
    return {
      ofItem: authorized((call) => {
        const { item_id } = getItemOrThrow(pathText(call, 'item_id'));
        return { ...totalOf(call, store.of(kind, isOfItem(item_id))), item_id };
      }),

      ofUser: authorized((call) => {
        const user_id = getUserOrThrow(call);
        return { ...totalOf(call, store.of(kind, isOfUser(user_id))), user_id: String(user_id) };
      }),

      windowOfItem: authorized((call) => {
        const item_id = pathText(call, 'item_id');
        return windowOf(call, kind, item_id, [item_id, ...readIds(call)]);
      }),

      windowOfItems: authorized((call) => {
        const ids = readIds(call);
        if (ids.length === 0) throw badRequest('ids is required');
        // Here `limit` and `offset` select items, not intervals.
        const { items: page } = pageOf(ids, queryPage(call, settings.maxIds, settings.maxIds));
        return page.map((item_id) => windowOf(call, kind, item_id, [item_id], { isPaged: false }));
      }),

      windowOfUser: authorized((call) => {
        const user_id = getUserOrThrow(call);
        const window = readWindow(call, clock.ms, settings, accounts.getOrThrow(user_id).site_id);
        return { user_id: String(user_id), ...countWindow(store.of(kind, isOfUser(user_id)), window) };
      }),
    };
  }

  function authorized(handler: EndpointHandler): EndpointHandler {
    return (call) => {
      if (settings.contactsNeedToken) bearerOrThrow(call);
      return handler(call);
    };
  }

  function windowOf(
    call: Call,
    kind: ContactKind,
    item_id: string,
    item_ids: readonly string[],
    { isPaged = true } = {},
  ): object {
    const { site_id } = getItemOrThrow(item_id);
    for (const id of item_ids) getItemOrThrow(id);
    const contacts = store.of(kind, isOfItem(...item_ids));
    return { item_id, ...countWindow(contacts, readWindow(call, clock.ms, settings, site_id), isPaged) };
  }

  function readIds(call: Call): string[] {
    const ids = [...new Set(queryList(call, 'ids'))];
    if (ids.length > settings.maxIds) throw badRequest(`ids has more than ${settings.maxIds} entries`);
    return ids;
  }

  function getItemOrThrow(item_id: string): Item {
    return foundOrThrow(items.get(item_id), `Item ${item_id}`);
  }

  function getUserOrThrow(call: Call): number {
    const user_id = pathId(call, 'user_id');
    return foundOrThrow(accounts.get(user_id), `User ${user_id}`).user_id;
  }
}

function isOfItem(...item_ids: readonly string[]): (contact: StoredContact) => boolean {
  return ({ item_id }) => item_ids.includes(item_id);
}

function isOfUser(user_id: number): (contact: StoredContact) => boolean {
  return ({ seller_id }) => seller_id === user_id;
}

/** Counts the contacts from `date_from` to `date_to`, inclusive: without a time, `date_to` is the whole day. @throws {ErrorResponse} 400 for an invalid date */
function totalOf(call: Call, contacts: readonly StoredContact[]): object {
  const [from, to] = [queryDate(call, 'date_from'), queryDate(call, 'date_to')];
  if (!from || !to) throw badRequest('date_from and date_to are required');
  // With an offset in only one of them, the order is unknown.
  if (from.hasOffset === to.hasOffset && from.ms > to.endMs) throw badRequest('date_to is before date_from');
  const counted = contacts.filter(({ at }) => at >= from.ms && at <= to.endMs);
  const total = counted.reduce((sum, { times }) => sum + times, 0);
  return { date_from: from.text, date_to: to.text, total };
}
