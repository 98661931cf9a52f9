import { toSettingsView } from './environment-controls.js';
import { maxShown } from './listed.js';
import type { Listed } from './listed.js';
import { listsOf } from './lists.js';
import type { LoggedRequest } from './request-log.js';
import type { ServedMarketplace } from './served-marketplace.js';
import { topics } from '../webhooks/topics.js';

type Newest<Lists> = { [Name in keyof Lists]: Lists[Name] extends Listed<infer View> ? View[] : never };
type Lists = ReturnType<typeof listsOf>;

/** The state that the dashboard shows. */
export interface Snapshot extends ReturnType<typeof snapshot> {}

/** Returns the current state of a marketplace as plain data: the newest 100 entries of each list, and all counts. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- `Snapshot` is derived from this function
export function snapshot(marketplace: ServedMarketplace, requests: readonly LoggedRequest[]) {
  const { attachments, clock, messages, notifications, operations, questions, records } = marketplace;
  const lists: Record<string, Listed<unknown>> = listsOf(marketplace, requests);
  const each = <Value>(read: (list: Listed<unknown>) => Value): Record<string, Value> =>
    Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, read(list)]));
  return {
    now: clock.iso,
    clockIsStopped: clock.isStopped,
    ...(each((list) => list.newest()) as Newest<Lists>),
    counts: {
      ...(each(({ count }) => count) as Record<keyof Lists, number>),
      unanswered: questions.all.filter((question) => questions.statusOf(question) === 'UNANSWERED').length,
    },
    isHeld: notifications.isHeld,
    storage: { filesBroken: attachments.isBroken, messagesUnavailable: messages.isUnavailable },
    moderation: {
      mode: messages.moderation,
      pending: messages.all.filter(({ moderation }) => moderation.status === 'pending').length,
    },
    ...toSettingsView(marketplace),
    topics,
    endpoints: operations.routes.all.map(({ name }) => name).sort(),
    operations: operations.all.slice(-maxShown),
    records: newestOf(records.all),
  };
}

/** The newest entries of each table. */
function newestOf(tables: Readonly<Record<string, object>>): Record<string, Record<string, unknown>> {
  const newest = Object.entries(tables).map(
    ([name, table]) => [name, Object.fromEntries(Object.entries(table).slice(-maxShown))] as const,
  );
  return Object.fromEntries(newest);
}
