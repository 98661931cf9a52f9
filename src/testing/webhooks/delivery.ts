import { FakeMarketplaceError } from '../errors.js';
import type { MarketplaceEvent } from '../state/events.js';
import { bodyOf } from './notification.js';
import type { SentNotification } from './notification.js';
import { maxLateMs } from './callback.js';
import type { DeliveryOutcome } from './post-notification.js';
import type { CallbackSubscription } from './subscription.js';

/** One attempt to deliver a notification. */
export interface DeliveryAttempt {
  /** The service's id of the notification, the same in every attempt. */
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly application_id: number;
  /** The id of the subscription. */
  readonly subscription: number;
  /** The JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The number of the request that caused it, if the dashboard serves the marketplace. */
  readonly request?: number | undefined;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The time on the marketplace's clock. */
  readonly at: string;
  /** The status of the response, or why there is none. Only 200 ends the attempts. */
  readonly outcome: DeliveryOutcome;
}

/** An attempt that is still to come. */
export interface ScheduledAttempt extends Omit<DeliveryAttempt, 'outcome'> {
  /** Whether it waits until it is delivered by hand, or until notifications are no longer held. */
  readonly isHeld: boolean;
}

/** A notification to send by hand. */
export interface NotificationInit extends MarketplaceEvent {
  /** The receiving application. @default every application that subscribes to the topic */
  readonly application_id?: number | undefined;
  /** Fields that replace those of the body, or are added to it, e.g. for a forged notification. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Where and when to deliver by hand. */
export interface DeliveryOptions {
  /** Only to this subscription, also if it does not include the topic. @default to those that receive it anyway */
  readonly subscription?: number | undefined;
  /** After this time on the marketplace's clock, in milliseconds. @default 0: now */
  readonly afterMs?: number | undefined;
}

/** A delivery that is due at a time. */
export interface Delivery {
  readonly notification: SentNotification;
  readonly to: CallbackSubscription;
  readonly attempt: number;
  /** The due time, in milliseconds on the marketplace's clock. */
  readonly at: number;
  /** Delivered by hand: whatever the topics of the subscription, and after those before it. */
  readonly byHand?: true | undefined;
}

/** Describes a delivery. */
export function toAttempt({ notification, attempt, to, at }: Delivery): Omit<DeliveryAttempt, 'outcome'> {
  const { id, event, request } = notification;
  return {
    ...{ id, event, application_id: notification.to.application_id, subscription: to.id, attempt },
    at: new Date(at).toISOString(),
    ...(request !== undefined && { request }),
    body: bodyOf(notification, attempt),
  };
}

/** @throws {FakeMarketplaceError} when a delay is negative or longer than a day */
export function assertDelay(afterMs: number): void {
  if (!(afterMs >= 0 && afterMs <= maxLateMs)) throw new FakeMarketplaceError(`\`afterMs\` is from 0 to ${maxLateMs}`);
}
