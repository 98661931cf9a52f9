import type { MarketplaceEvent } from '../state/events.js';

/** A notification for an application. Spec: Events 3. */
export interface NotificationPayload {
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly application_id: number;
  /** Time of the event and of the first attempt, in milliseconds since 1970. */
  readonly receivedAt: number;
  readonly sentAt: number;
  /** The number of the request that caused it, if it is known. */
  readonly request?: number | undefined;
  /** Fields that replace those of the body, or are added to it. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

type BodyFields = Readonly<Record<string, unknown>>;

/** Serializes a notification. */
export function toPayloadBody(
  { id, event, application_id, receivedAt, sentAt, fields }: NotificationPayload,
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
    ...fields,
  };
}

/** Other forms of a body that the service was seen to send. Wire notes, Notifications. */
const variants: readonly ((body: BodyFields) => BodyFields)[] = [
  ({ _id, ...rest }) => ({ id: _id, ...rest }),
  ({ _id: _, ...rest }) => rest,
  ({ user_id, ...rest }) => ({ ...rest, user_id: String(user_id) }),
  ({ received, ...rest }) => ({ ...rest, recieved: received }),
  ({ resource, ...rest }) => ({ ...rest, resource: String(resource).replace(/^\//, '') }),
  (body) => ({ ...body, actions: ['created'], version: 2 }),
  ({ sent, ...rest }) => ({ ...rest, sent: String(sent).replace('Z', '+0000') }),
];

/** Converts a body to another form; `choice`, from 0 to 1, selects it. */
export function toVariantBody(body: BodyFields, choice: number): BodyFields {
  return variants[Math.floor(choice * variants.length)]?.(body) ?? body;
}
