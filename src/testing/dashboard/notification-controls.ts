import { array, integer, nullish, number, params, refine, string } from '../../core/schema/schema.js';
import { bodyless, control } from './control.js';
import type { Control } from './control.js';

const share = refine(number, (value) => (value < 0 || value > 1 ? 'a share is from 0 to 1' : undefined));

/** The faults of the deliveries to a callback. */
export const deliveryFaults = params({
  late: nullish(share),
  lateMs: nullish(integer),
  twice: nullish(share),
  odd: nullish(share),
  seed: nullish(integer),
});

/** The control endpoints of notifications. */
export const notificationControls: Readonly<Record<string, Control>> = {
  'GET /__fake/notifications': bodyless('Lists all delivery attempts', ({ notifications }) => ({
    attempts: notifications.attempts,
  })),

  'POST /__fake/flush': bodyless('Posts all scheduled notifications now, retries included', async (marketplace) => {
    await marketplace.notifications.flush();
    return { attempts: marketplace.notifications.attempts.length };
  }),

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
      notifications.subscribe({
        callback,
        topics: topics ?? undefined,
        user_ids: user_ids ?? undefined,
        application_id: application_id ?? undefined,
        faults: defined(faults ?? {}),
      });
    },
  ),

  'DELETE /__fake/notifications': bodyless('Ends all subscriptions and removes all attempts', ({ notifications }) =>
    notifications.reset(),
  ),
};

type Given<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Drops `null` fields. */
export function defined<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<T>;
}
