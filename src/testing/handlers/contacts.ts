import type { endpoints } from '../../endpoints.js';
import { pageOf } from '../http/conventions.js';
import { badRequest, bearerOrThrow, notFound } from '../http/handler.js';
import type { EndpointHandler, EndpointHandlers, HandlerInfo } from '../http/handler.js';
import { pathId, pathText, queryDate, queryList, queryPage } from '../http/read-request.js';
import type { ContactKind, ContactStore, StoredContact } from '../state/contacts.js';
import type { MarketplaceState } from '../state/marketplace-state.js';
import { countWindow, readWindow } from './contact-window.js';

/** Handles contact metrics. By default they need no token, because the samples of the specification have none. */
export function contactHandlers(
  store: ContactStore,
  { items, accounts, clock, settings }: MarketplaceState,
): EndpointHandlers<typeof endpoints.contacts> {
  const ofItem =
    (kind: ContactKind): EndpointHandler =>
    (info) => {
      const { item_id } = getItemOrThrow(pathText(info, 'item_id'));
      return {
        ...totalOf(
          info,
          store.of(kind, (contact) => contact.item_id === item_id),
        ),
        item_id,
      };
    };

  const ofUser =
    (kind: ContactKind): EndpointHandler =>
    (info) => {
      const user_id = getUserOrThrow(info);
      const contacts = store.of(kind, (contact) => contact.seller_id === user_id);
      return { ...totalOf(info, contacts), user_id: String(user_id) };
    };

  const windowOfItem =
    (kind: ContactKind): EndpointHandler =>
    (info) => {
      const item_id = pathText(info, 'item_id');
      return windowOf(info, kind, item_id, [item_id, ...readIds(info)]);
    };

  const windowOfItems =
    (kind: ContactKind): EndpointHandler =>
    (info) => {
      const ids = readIds(info);
      if (ids.length === 0) throw badRequest('ids is required');
      // Here `limit` and `offset` select items, not intervals.
      const { items: page } = pageOf(ids, queryPage(info, settings.maxIds, settings.maxIds));
      return page.map((item_id) => windowOf(info, kind, item_id, [item_id], { isPaged: false }));
    };

  const windowOfUser =
    (kind: ContactKind): EndpointHandler =>
    (info) => {
      const user_id = getUserOrThrow(info);
      const contacts = store.of(kind, (contact) => contact.seller_id === user_id);
      const { site_id } = accounts.getOrThrow(user_id);
      return { user_id: String(user_id), ...countWindow(contacts, readWindow(info, clock.ms, settings, site_id)) };
    };

  const handlersOf = (kind: ContactKind) => ({
    ofItem: authorized(ofItem(kind)),
    ofUser: authorized(ofUser(kind)),
    windowOfItem: authorized(windowOfItem(kind)),
    windowOfItems: authorized(windowOfItems(kind)),
    windowOfUser: authorized(windowOfUser(kind)),
  });
  return { questions: handlersOf('question'), phoneViews: handlersOf('phone_view') };

  function authorized(handler: EndpointHandler): EndpointHandler {
    return (info) => {
      if (settings.contactsNeedToken) bearerOrThrow(info);
      return handler(info);
    };
  }

  function windowOf(
    info: HandlerInfo,
    kind: ContactKind,
    item_id: string,
    item_ids: readonly string[],
    { isPaged = true } = {},
  ): object {
    const { site_id } = getItemOrThrow(item_id);
    for (const id of item_ids) getItemOrThrow(id);
    const contacts = store.of(kind, (contact) => item_ids.includes(contact.item_id));
    return { item_id, ...countWindow(contacts, readWindow(info, clock.ms, settings, site_id), isPaged) };
  }

  function readIds(info: HandlerInfo): string[] {
    const ids = [...new Set(queryList(info, 'ids'))];
    if (ids.length > settings.maxIds) throw badRequest(`ids has more than ${settings.maxIds} entries`);
    return ids;
  }

  function getItemOrThrow(item_id: string) {
    const item = items.get(item_id);
    if (!item) throw notFound(`Item ${item_id} does not exist`);
    return item;
  }

  function getUserOrThrow(info: HandlerInfo): number {
    const user_id = pathId(info, 'user_id');
    if (!accounts.get(user_id)) throw notFound(`User ${user_id} does not exist`);
    return user_id;
  }
}

/** Counts the contacts from `date_from` to `date_to`, inclusive. @throws {ErrorResponse} 400 for an invalid date */
function totalOf(info: HandlerInfo, contacts: readonly StoredContact[]): object {
  const [from, to] = [queryDate(info, 'date_from'), queryDate(info, 'date_to')];
  if (!from || !to) throw badRequest('date_from and date_to are required');
  // With an offset in only one of them, the order is unknown.
  if (from.hasOffset === to.hasOffset && from.ms > to.ms) throw badRequest('date_to is before date_from');
  const counted = contacts.filter(({ at }) => at >= from.ms && at <= to.ms);
  const total = counted.reduce((sum, { times }) => sum + times, 0);
  return { date_from: from.text, date_to: to.text, total };
}
