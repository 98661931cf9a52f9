import { array, integer, nullish, number, params, refine, string } from '../../core/schema/schema.js';
import { maxLateMs } from '../webhooks/callback.js';
import type { Subscription } from '../webhooks/subscription.js';
import { bodyless, control, inField } from './control.js';
import type { Control } from './control.js';

const share = refine(number, (value) => (value < 0 || value > 1 ? 'a share is from 0 to 1' : undefined));

/** The faults of the deliveries to a callback. */
export const deliveryFaults = params({
  late: nullish(share),
  lateMs: nullish(refine(integer, (value) => (value < 0 || value > maxLateMs ? `from 0 to ${maxLateMs}` : undefined))),
  twice: nullish(share),
  odd: nullish(share),
  seed: nullish(integer),
});

/** The control endpoints of notifications. */
export const notificationControls: Readonly<Record<string, Control>> = {
  'GET /__fake/notifications': bodyless(
    'Lists the delivery attempts, the scheduled ones and the subscriptions',
    ({ notifications }) => ({
      attempts: notifications.attempts,
      scheduled: notifications.scheduled,
      subscriptions: notifications.subscriptions.map(toSubscriptionView),
    }),
  ),

  'POST /__fake/flush': bodyless(
    'Posts all scheduled notifications now, retries included; moves a stopped clock to the time of the last one',
    async (marketplace) => {
      await marketplace.notifications.flush();
      return { attempts: marketplace.notifications.attempts.length };
    },
  ),

  'POST /__fake/notifications': control(
    'Subscribes a callback to events',
    params({
      callback: string,
      topics: nullish(array(string)),
      user_ids: nullish(array(integer)),
      application_id: nullish(integer),
      faults: nullish(deliveryFaults),
    }),
    ({ notifications }, { callback, topics, user_ids, application_id, faults }) => {
      inField('callback', () =>
        notifications.subscribe({
          callback,
          topics: topics ?? undefined,
          user_ids: user_ids ?? undefined,
          application_id: application_id ?? undefined,
          faults: withoutNulls(faults ?? {}),
        }),
      );
    },
  ),

  'DELETE /__fake/notifications': bodyless('Ends all subscriptions and removes all attempts', ({ notifications }) =>
    notifications.reset(),
  ),
};

/** A subscription as plain data. */
export interface SubscriptionView {
  readonly application_id: number;
  readonly callback: string | null;
  readonly topics: readonly string[];
}

/** Serializes a subscription. */
export function toSubscriptionView({ application_id, url, topics }: Subscription): SubscriptionView {
  return { application_id, callback: url, topics: [...topics] };
}

type Given<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Drops `null` fields. */
export function withoutNulls<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<T>;
}
