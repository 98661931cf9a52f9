import type { Endpoint } from '../../core/operation/endpoint.js';
import { fieldsOf } from '../../core/request/path-template.js';
import { pathOf } from '../notification.js';
import type { UnknownNotification } from '../notification.js';

/** A topic that this package does not know: how to read the resources of its notifications. */
export interface OwnTopic<Out = unknown> {
  /** The endpoint that reads a resource. */
  readonly endpoint: Endpoint<unknown, Out>;
  /**
   * Returns the id in the resource of a notification, e.g. `2000` for `/orders/2000`. If the path of the endpoint has several
   * fields, it returns the input of the endpoint. Of a whole URL it gets the path, and never a query.
   */
  readonly idOf: (resource: string) => string | number | object;
}

/** The topics of your own, by their name. */
export type OwnTopics = Readonly<Record<string, OwnTopic>>;

/** A notification of a topic of your own. */
export interface OwnNotification<Topic extends PropertyKey = string> extends Omit<UnknownNotification, 'topic'> {
  readonly topic: Topic;
}

/** What is read of a topic of your own. */
export type OwnResource<Topic> = Topic extends { readonly endpoint: Endpoint<unknown, infer Out> } ? Out : never;

/** Finds a topic of your own. Upper and lower case do not matter. */
export function ownTopicOf<T>(topics: Readonly<Record<string, T>> | undefined, topic: string): T | undefined {
  const name = Object.keys(topics ?? {}).find((each) => each.toLowerCase() === topic.toLowerCase());
  return name === undefined ? undefined : topics?.[name];
}

/** The topic of drivers, with the path of a driver in its resource: the service names a version that need not be the newest. */
export const handshakes = 'flex-handshakes';

/** Returns the shipment in the resource of a notification about a driver; `undefined` if it is none. */
export function shipmentIn(resource: string): { readonly site_id: string; readonly shipment_id: string } | undefined {
  const path = /^\/flex\/sites\/(\w+)\/shipments\/(\d+)\/assignment\/v\d+$/i.exec(pathOf(resource));
  const [, site_id, shipment_id] = path ?? [];
  return site_id === undefined || shipment_id === undefined ? undefined : { site_id, shipment_id };
}

/** Returns the input with which the endpoint of a topic reads a resource. */
export function inputOf({ endpoint, idOf }: OwnTopic, resource: string): object {
  const id = idOf(pathOf(resource));
  if (typeof id === 'object') return id;
  const [field = 'id'] = fieldsOf(endpoint.path);
  return { [field]: id };
}
