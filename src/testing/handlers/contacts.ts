import { millisecondsOf } from '../../core/schema/date-time.js';
import type { endpoints } from '../../endpoints.js';
import { errorResponse } from '../http/handler.js';
import type { EndpointHandlers } from '../http/handler.js';
import type { ContactKind, ContactStore } from '../state/contacts.js';
import { countWindow } from './contact-window.js';
import type { WindowInput } from './contact-window.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

interface Period {
  readonly date_from: Date | string;
  readonly date_to: Date | string;
}

/** Handles contact metrics. No token is needed: the samples of the specification carry none. */
export function contactHandlers(
  store: ContactStore,
  { items, accounts, clock }: MarketplaceState,
): EndpointHandlers<typeof endpoints.contacts> {
  const ofItem = (kind: ContactKind, item_id: string, input: Period): object => {
    assertItem(item_id);
    const times = store.times(kind, (contact) => contact.item_id === item_id);
    return { date_from: input.date_from, date_to: input.date_to, item_id, total: within(times, input) };
  };
  const ofUser = (kind: ContactKind, user_id: number, input: Period): object => {
    assertUser(user_id);
    const times = store.times(kind, (contact) => contact.seller_id === user_id);
    return { date_from: input.date_from, date_to: input.date_to, total: within(times, input), user_id };
  };
  const windowOfItems = (kind: ContactKind, item_ids: readonly string[], input: WindowInput): object => {
    for (const each of item_ids) assertItem(each);
    const times = store.times(kind, (contact) => item_ids.includes(contact.item_id));
    return { item_id: item_ids[0], ...countWindow(times, input, clock.ms) };
  };
  const windowOfUser = (kind: ContactKind, user_id: number, input: WindowInput): object => {
    assertUser(user_id);
    const times = store.times(kind, (contact) => contact.seller_id === user_id);
    return { user_id, ...countWindow(times, input, clock.ms) };
  };
  return {
    questions: {
      ofItem: (input) => ofItem('question', String(input.item_id), input),
      ofUser: (input) => ofUser('question', Number(input.user_id), input),
      windowOfItem: (input) =>
        windowOfItems('question', [...new Set([input.item_id, ...(input.ids ?? [])].map(String))], input),
      windowOfUser: (input) => windowOfUser('question', Number(input.user_id), input),
    },
    phoneViews: {
      ofItem: (input) => ofItem('phone_view', String(input.item_id), input),
      ofUser: (input) => ofUser('phone_view', Number(input.user_id), input),
      windowOfItem: (input) => windowOfItems('phone_view', [String(input.item_id)], input),
      windowOfItems: (input) => input.ids.map((id) => windowOfItems('phone_view', [String(id)], input)),
      windowOfUser: (input) => windowOfUser('phone_view', Number(input.user_id), input),
    },
  };

  function assertItem(item_id: string): void {
    if (!items.get(item_id))
      throw errorResponse({ status: 404, code: 'not_found', message: `There is no item ${item_id}` });
  }

  function assertUser(user_id: number): void {
    if (!accounts.get(user_id))
      throw errorResponse({ status: 404, code: 'not_found', message: `There is no user ${user_id}` });
  }
}

/** Counts the times between two dates, both included. */
function within(times: readonly number[], { date_from, date_to }: Period): number {
  const [from, to] = [millisecondsOf(String(date_from)), millisecondsOf(String(date_to))];
  return times.filter((at) => at >= from && at <= to).length;
}
