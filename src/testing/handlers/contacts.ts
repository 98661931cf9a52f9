import type { endpoints } from '../../endpoints.js';
import { startsOfDays } from '../clock.js';
import { badRequest, bearerOrThrow, foundOrThrow } from '../http/handler.js';
import type { Call, EndpointHandler, EndpointHandlers } from '../http/handler.js';
import {
  pageOf,
  pathId,
  pathText,
  queryDate,
  queryInteger,
  queryList,
  queryOneOf,
  queryPage,
} from '../http/read-request.js';
import type { PageParams } from '../http/read-request.js';
import type { MarketplaceSettings } from '../settings.js';
import type { ContactKind, StoredContact } from '../state/contacts.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';

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

/** The parameters of a window. */
interface WindowParams {
  readonly last: number;
  readonly unit: 'day' | 'hour';
  /** The end of the window, in milliseconds since 1970. */
  readonly end: number;
  readonly order: 'asc' | 'desc';
  readonly page: PageParams;
  /** The site in whose time zone days start; `undefined` for UTC. */
  readonly site_id: string | undefined;
}

const lengths = { day: 86_400_000, hour: 3_600_000 } as const;

/** Reads the parameters of a window. @throws {ErrorResponse} 400 when one is invalid */
function readWindow(
  call: Call,
  now: number,
  { maxWindowIntervals, contactTimeZone }: MarketplaceSettings,
  site_id: string,
): WindowParams {
  const last = queryInteger(call, 'last', 1) ?? 1;
  if (last > maxWindowIntervals) throw badRequest(`last must be at most ${maxWindowIntervals}`);
  const end = queryDate(call, 'ending')?.ms ?? now;
  return {
    last,
    unit: queryOneOf(call, 'unit', ['day', 'hour']),
    end,
    order: queryOneOf(call, 'order', ['asc', 'desc'], 'asc'),
    page: queryPage(call, maxWindowIntervals, maxWindowIntervals),
    site_id: contactTimeZone === 'site' ? site_id : undefined,
  };
}

/**
 * Counts contacts per interval of a window: whole days or hours. The last interval contains the end of the window;
 * contacts after the end are not counted.
 */
function countWindow(contacts: readonly StoredContact[], params: WindowParams, isPaged = true): object {
  const { last, unit, end, order, page } = params;
  const starts = startsOf(params);
  const totals = new Array<number>(last).fill(0);
  for (const { at, times } of contacts) {
    const index = starts.findLastIndex((start) => start <= at);
    if (at <= end && index >= 0) totals[index] = (totals[index] ?? 0) + times;
  }
  const results = totals.map((total, index) => ({ date: toSeconds(starts[index] ?? end), total }));
  if (order === 'desc') results.reverse();
  return {
    total: totals.reduce((sum, each) => sum + each, 0),
    date_from: toSeconds(starts[0] ?? end),
    date_to: toSeconds(end),
    last,
    unit,
    results: isPaged ? pageOf(results, page).items : results,
  };
}

/** Returns when each interval starts, the oldest first. Hours start at the same times in the zones of all sites. */
function startsOf({ last, unit, end, site_id }: WindowParams): number[] {
  if (unit === 'day' && site_id !== undefined) return startsOfDays(end, last, site_id);
  const length = lengths[unit];
  const lastStart = Math.floor(end / length) * length;
  return Array.from({ length: last }, (_, index) => lastStart - (last - 1 - index) * length);
}

/** Formats a time without milliseconds. */
function toSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
