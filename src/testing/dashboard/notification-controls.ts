import { array, boolean, integer, nullish, strictObject, record, string } from '../../core/schema/define.js';
import { from } from '../seed/settings-schema.js';
import { assertTopic } from '../webhooks/topics.js';
import { deliveryFaults, maxTimeoutMs } from '../webhooks/callback.js';
import type { Subscription } from '../webhooks/subscription.js';
import { inField } from '../in-field.js';
import { bodyless, control } from './control.js';
import type { Control } from './control.js';

/** The control endpoints of notifications. */
export const notificationControls: Readonly<Record<string, Control>> = {
  'GET /__fake/notifications': bodyless(
    'Lists the delivery attempts, the scheduled ones and the subscriptions',
    ({ notifications }) => ({
      isHeld: notifications.isHeld,
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
    strictObject({
      callback: string,
      topics: nullish(array(string)),
      user_ids: nullish(array(integer)),
      application_id: nullish(integer),
      timeoutMs: nullish(from(1, maxTimeoutMs)),
      faults: nullish(deliveryFaults),
    }),
    ({ accounts, notifications }, { faults, ...rest }) => {
      const init = { ...withoutNulls(rest), faults: withoutNulls(faults ?? {}) };
      const { topics = [], application_id } = init;
      for (const topic of topics) inField('topics', () => assertTopic(topic));
      if (application_id) inField('application_id', () => accounts.assertApplication(application_id));
      const { id } = inField('callback', () => notifications.subscribe(init));
      return { id };
    },
  ),

  'POST /__fake/ended-subscriptions': control(
    'Ends a subscription',
    strictObject({ id: integer }),
    ({ notifications }, { id }) => inField('id', () => notifications.unsubscribe(id)),
  ),

  'POST /__fake/held-notifications': control(
    'Holds new notifications until they are delivered by hand, or posts the held ones',
    strictObject({ held: boolean }),
    ({ notifications }, { held }) => {
      notifications.isHeld = held;
    },
  ),

  'POST /__fake/deliveries': control(
    'Delivers held notifications, or earlier ones again, in the given order',
    strictObject({ ids: array(string), subscription: nullish(integer), afterMs: nullish(integer) }),
    async ({ notifications }, { ids, ...options }) => {
      await notifications.deliver(ids, withoutNulls(options));
      return { attempts: notifications.attempts.length };
    },
  ),

  'POST /__fake/sent-notifications': control(
    'Sends a notification that no change caused: of any topic, or a forged one',
    strictObject({
      topic: string,
      resource: string,
      user_id: integer,
      application_id: nullish(integer),
      fields: nullish(record),
      subscription: nullish(integer),
      afterMs: nullish(integer),
    }),
    async ({ notifications }, { subscription, afterMs, ...notification }) => {
      const options = withoutNulls({ subscription, afterMs });
      return { ids: await notifications.send(withoutNulls(notification), options) };
    },
  ),

  'DELETE /__fake/notifications': bodyless('Ends all subscriptions and removes all attempts', ({ notifications }) =>
    notifications.reset(),
  ),
};

/** A subscription as plain data. */
export interface SubscriptionView {
  readonly id: number;
  readonly application_id: number;
  readonly callback: string | null;
  readonly topics: readonly string[];
}

/** Serializes a subscription. */
export function toSubscriptionView({ id, application_id, url, topics }: Subscription): SubscriptionView {
  return { id, application_id, callback: url, topics: [...topics] };
}

type Given<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Drops `null` fields. */
export function withoutNulls<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<T>;
}
