import type { MarketplaceEvent } from '../state/events.js';

/** What an application is told of an event. Spec: Events 3. */
export interface NotificationPayload {
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly application_id: number;
  /** When it happened, and when the service first told of it; milliseconds since 1970. */
  readonly receivedAt: number;
  readonly sentAt: number;
}

type BodyFields = Readonly<Record<string, unknown>>;

/** The body of a delivery, as the service writes it. */
export function bodyOf(
  { id, event, application_id, receivedAt, sentAt }: NotificationPayload,
  attempts: number,
): BodyFields {
  return {
    _id: id,
    user_id: event.user_id,
    resource: event.resource,
    topic: event.topic,
    application_id,
    attempts,
    sent: new Date(sentAt).toISOString(),
    received: new Date(receivedAt).toISOString(),
  };
}

/** Other ways in which the service has been seen to write it. */
const variants: readonly ((body: BodyFields) => BodyFields)[] = [
  ({ _id, ...rest }) => ({ id: _id, ...rest }),
  ({ _id: _, ...rest }) => rest,
  ({ user_id, ...rest }) => ({ ...rest, user_id: String(user_id) }),
  ({ received, ...rest }) => ({ ...rest, recieved: received }),
  ({ resource, ...rest }) => ({ ...rest, resource: String(resource).replace(/^\//, '') }),
  (body) => ({ ...body, actions: ['created'], version: 2 }),
  ({ sent, ...rest }) => ({ ...rest, sent: String(sent).replace('Z', '+0000') }),
];

/** The same body written in an unusual way; `roll` from 0 to 1 chooses which. */
export function asVariant(body: BodyFields, roll: number): BodyFields {
  return variants[Math.floor(roll * variants.length)]?.(body) ?? body;
}
