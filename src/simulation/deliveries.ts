import type { MarketplaceEvent } from '../testing/state/events.js';
import type { PlannedDelivery } from '../testing/webhooks/callback.js';
import type { Scene } from './scene.js';
import { notificationFaults } from './shares.js';

/** The topics of the bot. */
export const topics: readonly string[] = ['questions', 'messages', 'orders_v2'];
const longestDelayMs = 600_000;
/** When the service lists what it has not delivered, at the latest, in milliseconds. */
const longestListingMs = 5_400_000;
const tripMs = 10;

/** Subscribes the bot. The fake's own service posts the notifications: its retries and switched-off topics are real. */
export function subscribe(scene: Scene): void {
  const { marketplace, sellers, network, bots, names, recorder, world } = scene;
  const { notifications } = marketplace;
  const namesOf = new Map<MarketplaceEvent, string>();
  const subscription = notifications.subscribe({
    topics,
    user_ids: sellers.map(({ user_id }) => user_id),
    callback: async (request) => {
      await world.wait(tripMs);
      if (network.isOffline) throw new TypeError('connect ETIMEDOUT');
      return bots.deliver(request);
    },
    faults: (event) => {
      const name = names.numbered(`notification ${names.of(event.resource)}`);
      namesOf.set(event, name);
      return plannedDelivery(scene, event, name);
    },
  });
  const off = new Set<string>();
  const noteTopic = (topic: string): void => {
    if (subscription.topics.has(topic)) off.delete(topic);
    else if (!off.has(topic)) {
      off.add(topic);
      recorder.line(
        world.time.now,
        `the service has switched off the topic ${topic}: three notifications in a row got no 200 in eight attempts`,
      );
    }
  };
  notifications.onAttempt(() => {
    const attempt = notifications.attempts.at(-1);
    const name = attempt && namesOf.get(attempt.event);
    if (!attempt || name === undefined) return;
    const { event, outcome } = attempt;
    recorder.delivery({ ...event, name, at: world.time.now, outcome });
    // The service decides after it has told of the attempt.
    queueMicrotask(() => noteTopic(event.topic));
  });
}

function plannedDelivery({ decisions, recorder, time }: Scene, event: MarketplaceEvent, name: string): PlannedDelivery {
  const fault = decisions.choose(name, notificationFaults);
  if (fault === 'lost') recorder.delivery({ ...event, name, at: time.now, outcome: 'lost' });
  const lateMs = fault === 'late' ? Math.round(decisions.amount(name) * longestDelayMs) : 0;
  // Of those that are lost, half are listed at once, and half later.
  const listedAfterMs = Math.max(0, Math.round((2 * decisions.amount(`listing of ${name}`) - 1) * longestListingMs));
  return { lateMs, twice: fault === 'twice', lost: fault === 'lost', listedAfterMs };
}
