import type { SellerClient } from '../../client.js';
import { ConfigurationError, NotificationError } from '../../core/errors/errors.js';
import { ApiError } from '../../core/errors/response-errors.js';
import { fieldsOf, type Endpoint } from '../../core/operation/endpoint.js';
import { checkOptions } from '../../core/options/client-options.js';
import { delay } from '../../core/options/rules.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { wait } from '../../core/scope/cancel-scope.js';
import type { Message } from '../../resources/post-sale/message.js';
import type { Question } from '../../resources/questions/schemas.js';
import { causesOf, exponentialDelay } from '../../work/policy.js';
import { pathOf } from '../notification.js';
import type {
  KnownNotification,
  MessageNotification,
  Notification,
  QuestionNotification,
  UnknownNotification,
} from '../notification.js';

/** How to read the resource of a notification. */
export interface ReadOptions extends CallOptions {
  /**
   * How long a 404 is retried, in milliseconds: the service may announce a question before it can return it.
   *
   * @default 5000; 0 in the `read` of a handler
   */
  readonly notFoundTimeoutMs?: number | undefined;
}

/**
 * The part of a seller's client that reading a notification needs: `messages` only for the topic `messages`, `flexV2` only for
 * `flex-handshakes`, and `call` only for topics of your own.
 */
export interface NotificationClient
  extends Pick<SellerClient, 'questions'>, Partial<Pick<SellerClient, 'messages' | 'call' | 'flexV2'>> {}

/** A message that a notification is about. */
export interface NotifiedMessage extends Message {
  /** The pack, or the order, of its conversation; `undefined` if the service does not name it. */
  readonly pack_id: string | undefined;
}

/** Whether the service says that a resource does not exist. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.isNotFound;
}

/**
 * Whether an error, or what caused it, is the 404 of the resource that a notification is about, whatever has read it.
 *
 * @param seen The 404 of the handler's `read()`, if there was one.
 */
export function isMissing(error: unknown, { question_id, message_id, resource }: Notification, seen: unknown): boolean {
  const id = String(question_id ?? message_id ?? pathOf(resource).split('/').at(-1));
  const isOfResource = (each: unknown): boolean =>
    each === seen || (isNotFound(each) && each.endpoint?.method === 'GET' && pathOfCall(each).endsWith(`/${id}`));
  try {
    return [...causesOf(error)].some(isOfResource);
  } catch {
    // A revoked proxy.
    return false;
  }
}

function pathOfCall({ url = '' }: ApiError): string {
  return decodeURIComponent(url.replace(/[?#].*/s, ''));
}

const notFoundBackoff = { firstDelayMs: 200, maxDelayMs: Infinity };

/**
 * Reads the resource that a notification is about, with the token of the given client.
 *
 * It calls the topic's endpoint with the id only; `resource` is never followed as a URL.
 *
 * @example
 * const question = await readNotification(seller, notification);
 * @throws {InvalidInputError} when an option is wrong; nothing is sent.
 * @throws {NotFoundError} when the service still responds 404 after `notFoundTimeoutMs`.
 * @throws {NotificationError} when the topic is not one of `questions`, `messages` and `flex-handshakes`, or a conversation is named instead of a message.
 * @throws {ConfigurationError} when the client has no `messages`, for a notification about a message.
 */
export async function readNotification(
  seller: NotificationClient,
  notification: QuestionNotification,
  options?: ReadOptions,
): Promise<Question>;
export async function readNotification(
  seller: NotificationClient,
  notification: MessageNotification,
  options?: ReadOptions,
): Promise<NotifiedMessage>;
export async function readNotification(
  seller: NotificationClient,
  notification: Notification,
  options?: ReadOptions,
): Promise<unknown>;
export async function readNotification(
  seller: NotificationClient,
  notification: Notification,
  options: ReadOptions = {},
): Promise<unknown> {
  return readResource(seller, notification, options);
}

/** Reads the resource of a notification, also of a topic of the user's own. */
export async function readResource(
  seller: NotificationClient,
  notification: Notification,
  options: ReadOptions,
  topics?: OwnTopics,
): Promise<unknown> {
  const { notFoundTimeoutMs = 5_000, ...call } = options;
  checkOptions({ notFoundTimeoutMs }, { notFoundTimeoutMs: delay });
  const read = (): Promise<unknown> =>
    notification.known ? readOnce(seller, notification, call) : readOwn(seller, notification, call, topics);
  return retryNotFound(read, notFoundTimeoutMs, call.signal);
}

async function readOwn(
  client: NotificationClient,
  { topic, resource }: UnknownNotification,
  options: CallOptions,
  topics: OwnTopics | undefined,
): Promise<unknown> {
  const own = ownTopicOf(topics, topic);
  if (!own && topic.toLowerCase() === handshakes) return readDriver(client, resource, options);
  if (!own)
    throw new NotificationError('The topic is not known, so there is no endpoint to read: name one in `topics`');
  if (!client.call) throw new ConfigurationError('The client that `clientFor` returns has no `call`');
  return client.call(own.endpoint, inputOf(own, resource), options);
}

async function readDriver(client: NotificationClient, resource: string, options: CallOptions): Promise<unknown> {
  const shipment = shipmentIn(resource);
  if (!shipment) throw new NotificationError('`resource` does not name the driver of a shipment');
  if (!client.flexV2) throw new ConfigurationError('The client that `clientFor` returns has no `flexV2`');
  return client.flexV2.driver(shipment, options);
}

async function readOnce(
  client: NotificationClient,
  { question_id, message_id }: KnownNotification,
  call: CallOptions,
): Promise<unknown> {
  if (question_id !== undefined) return client.questions.get({ question_id }, call);
  if (message_id === undefined)
    throw new NotificationError(
      'The notification names a conversation, so there is no resource to read: see messages.conversation',
    );
  if (!client.messages) throw new ConfigurationError('The client that `clientFor` returns has no `messages`');
  const message = await client.messages.get({ message_id }, call);
  return { ...message, pack_id: packOf(message) };
}

/** Reads a message in the conversation that has shown it: its own path may stay 404. Marks nothing as read. */
export async function readShown(
  client: NotificationClient,
  { user_id, message_id }: Notification,
  pack_id: string,
  { notFoundTimeoutMs: _, ...call }: ReadOptions,
): Promise<NotifiedMessage | undefined> {
  const pages = client.messages?.conversation({ pack_id, user_id, limit: 50, mark_as_read: false }, call).pages() ?? [];
  for await (const { items } of pages) {
    const message = items.find(({ id }) => id === message_id);
    if (message) return { ...message, pack_id };
  }
  return undefined;
}

/** The id of the pack among the resources of a message. */
function packOf({ message_resources }: Message): string | undefined {
  const pack = message_resources?.find(({ name }) => name?.toLowerCase() === 'packs');
  return pack?.id ?? undefined;
}

async function retryNotFound<T>(
  read: () => PromiseLike<T>,
  notFoundTimeoutMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const endsAt = performance.now() + notFoundTimeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      const remainingMs = endsAt - performance.now();
      if (!isNotFound(error) || remainingMs <= 0 || signal?.aborted) throw error;
      // An abort ends the delay; the next read then throws its own error.
      await wait(Math.min(exponentialDelay(attempt, notFoundBackoff), remainingMs), signal);
    }
  }
}

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
function shipmentIn(resource: string): { readonly site_id: string; readonly shipment_id: string } | undefined {
  const path = /^\/flex\/sites\/(\w+)\/shipments\/(\d+)\/assignment\/v\d+$/i.exec(pathOf(resource));
  const [, site_id, shipment_id] = path ?? [];
  return site_id === undefined || shipment_id === undefined ? undefined : { site_id, shipment_id };
}

/** Returns the input with which the endpoint of a topic reads a resource. */
function inputOf({ endpoint, idOf }: OwnTopic, resource: string): object {
  const id = idOf(pathOf(resource));
  if (typeof id === 'object') return id;
  const [field = 'id'] = fieldsOf(endpoint.path);
  return { [field]: id };
}
