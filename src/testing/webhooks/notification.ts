import { chosen } from '../random.js';
import type { MarketplaceEvent } from '../state/events.js';
import type { CallbackSubscription } from './subscription.js';

/** A notification for one subscription. */
export interface SentNotification {
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly to: CallbackSubscription;
  /** The time of the event, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The number of the request that caused it, if it is known. */
  readonly request?: number | undefined;
  /** Fields that replace those of the body, or are added to it. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** Selects the form of the body, from 0 to 1; `undefined` for the usual one. */
  readonly variant?: number | undefined;
  attempts: number;
}

type BodyFields = Readonly<Record<string, unknown>>;

/** Serializes a notification. Spec: Events 3. */
export function bodyOf({ id, event, to, sentAt, fields, variant }: SentNotification, attempts: number): BodyFields {
  const { user_id, resource, topic } = event;
  const sent = new Date(sentAt).toISOString();
  const usual = { _id: id, user_id, resource, topic, application_id: to.application_id, attempts, sent };
  const body = { ...usual, received: sent, ...fields };
  return variant === undefined ? body : (chosen(variants, variant)?.(body) ?? body);
}

/** Other forms of a body that the service was seen to send. */
const variants: readonly ((body: BodyFields) => BodyFields)[] = [
  ({ _id, ...rest }) => ({ id: _id, ...rest }),
  ({ _id: _, ...rest }) => rest,
  ({ user_id, ...rest }) => ({ ...rest, user_id: String(user_id) }),
  ({ received, ...rest }) => ({ ...rest, recieved: received }),
  ({ resource, ...rest }) => ({ ...rest, resource: String(resource).replace(/^\//, '') }),
  (body) => ({ ...body, actions: ['created'], version: 2 }),
  ({ sent, ...rest }) => ({ ...rest, sent: String(sent).replace('Z', '+0000') }),
];
