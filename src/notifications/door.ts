import { NotificationError } from '../core/errors/errors.js';
import { isObject, parseJson } from '../core/json/json.js';
import { TimeLimit } from '../core/scope/cancel-scope.js';
import { endsWithin } from '../work/timers.js';
import { abortGraceMs } from '../work/worker.js';
import type { InboxContext } from './context.js';
import { isForeign } from './handling/dispatcher.js';
import { handlerOf } from './handling/handler.js';
import { checkHeaders, decodeBody, DeliveryRejected, deliveryRequest, respond } from './http/request.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import { isReadReceipt, newEntry, parseNotification, type InboxEntry, type Notification } from './notification.js';
import { isSecretPath, sellerIdsOf } from './options.js';

export const accepted = respond(200, 'Accepted');
export const notAccepted = respond(503, 'Not accepted now; deliver it again', { 'retry-after': '30' });

/** How long the store, and `clientFor` with `accept`, may take, in milliseconds: the service itself waits 500. */
const acceptTimeoutMs = 400;

/** Takes a notification that came in, and says how to respond. */
export type Take = (entry: InboxEntry, request: IncomingRequest) => Promise<OutgoingResponse>;

/** Where deliveries come in: lets in what is a notification for a known seller, and responds. */
export class Door {
  readonly #context: InboxContext;
  readonly #take: Take;
  readonly #sellers: KnownSellers;
  readonly #timeLimit = new TimeLimit(acceptTimeoutMs);
  /** For bodies that are arriving. */
  readonly #arriving = new Waits();
  /** The responses that are not known yet. */
  readonly #receiving = new Set<Promise<OutgoingResponse>>();

  constructor(context: InboxContext, take: Take) {
    this.#context = context;
    this.#take = take;
    this.#sellers = new KnownSellers(context);
  }

  /** Responds to one delivery. Never throws. */
  async receive(request: IncomingRequest): Promise<OutgoingResponse> {
    const response = this.#receive(request).catch((error: unknown) => this.#responseTo(error));
    this.#receiving.add(response);
    try {
      return await response;
    } finally {
      this.#receiving.delete(response);
    }
  }

  #responseTo(error: unknown): OutgoingResponse {
    if (error instanceof DeliveryRejected) return this.#reject(error.response, error.message);
    if (error instanceof NotificationError) return this.#reject(respond(400, 'Not a notification'), error.message);
    void this.#context.reporter.log.writeRarely('A notification was not accepted', error);
    return notAccepted;
  }

  #reject(response: OutgoingResponse, reason: string): OutgoingResponse {
    this.#context.reporter.rejected(`A delivery was rejected with ${response.status}: ${reason}`);
    return response;
  }

  async #receive(request: IncomingRequest): Promise<OutgoingResponse> {
    const { options } = this.#context;
    if (!this.#context.isOpen) return notAccepted;
    if (options.path !== undefined && !isSecretPath(deliveryRequest(request).path ?? '', options.path))
      throw new DeliveryRejected(404, 'Not found');
    checkHeaders(request, options);
    const body = await this.#arriving.until(request.body(options));
    if (body === ended) return notAccepted;
    const notification = this.#notificationOf(decodeBody(body, options));
    if (!notification || isReadReceipt(notification)) return accepted;
    if (!(await this.inTime(() => this.#isWanted(notification, request)))) return accepted;
    await this.inTime(async () => this.#context.service?.look(notification.user_id));
    const take = async (traceparent?: string): Promise<OutgoingResponse> => {
      const entry = await newEntry(notification, Date.now());
      if (!this.#context.isOpen) return notAccepted;
      return this.#take(traceparent === undefined ? entry : { ...entry, traceparent }, request);
    };
    return options.tracing?.wrapDelivery?.({ topic: notification.topic }, take) ?? take();
  }

  /**
   * A JSON object that is not a notification is acknowledged, counted and reported: a rejected one would come again, and cost the
   * application its topic.
   */
  #notificationOf(body: string | object): Notification | undefined {
    try {
      return parseNotification(body);
    } catch (error) {
      if (!(error instanceof NotificationError) || !isJsonObject(body)) throw error;
      this.#context.reporter.unreadable(error.message);
      return undefined;
    }
  }

  async #isWanted(notification: Notification, request: IncomingRequest): Promise<boolean> {
    const { store, options, reporter } = this.#context;
    if (!(await this.#sellers.has(notification.user_id))) {
      reporter.dropped('its user is not one of the sellers');
      return false;
    }
    if (!isHandled(this.#context, notification) && !store.durable) {
      reporter.dropped('it has no handler here, and the store does not keep it for another process');
      return false;
    }
    if (!options.accept) return true;
    const isWanted: unknown = await options.accept(notification, deliveryRequest(request));
    // Anything but a boolean is a mistake, such as a forgotten `return`: it must not drop what is wanted.
    if (typeof isWanted !== 'boolean') throw new TypeError('accept() must return true or false');
    return isWanted;
  }

  /** @throws when something that a delivery waits for takes too long */
  inTime<T>(run: () => Promise<T>): Promise<T> {
    const message = `The store, clientFor or accept() did not respond within ${acceptTimeoutMs} ms`;
    return this.#timeLimit.run(run, () => new Error(message));
  }

  /** Responds 503 to those whose bodies are arriving. */
  close(): void {
    this.#arriving.end();
  }

  /** Resolves once all have their response, within a second. */
  async ended(): Promise<void> {
    await endsWithin(abortGraceMs, Promise.all(this.#receiving));
  }
}

/** Whether this process has a handler for a notification, or leaves all of the known topics to another one. */
export function isHandled({ options }: InboxContext, notification: Notification): boolean {
  return options.handle ? handlerOf(options, notification) !== undefined : notification.known;
}

/** Body parsers leave an empty object of a body that they have not parsed. */
function isJsonObject(body: string | object): boolean {
  try {
    return typeof body === 'string' ? isObject(parseJson(body)) : isObject(body) && Object.keys(body).length > 0;
  } catch {
    return false;
  }
}

/** Whose notifications an inbox accepts. */
export class KnownSellers {
  readonly #options: InboxContext['options'];
  /** Those that `sellers()` has returned last. */
  #last: ReadonlySet<number> = new Set();

  constructor({ options }: Pick<InboxContext, 'options'>) {
    this.#options = options;
  }

  /**
   * Whether a user is one of the `sellers`; without them, one for whom `clientFor` has a client. A function is asked again about those
   * whom it has not named.
   */
  async has(user_id: number): Promise<boolean> {
    const { sellers, clientFor } = this.#options;
    if (typeof sellers === 'function') {
      if (!this.#last.has(user_id)) this.#last = new Set(await sellerIdsOf(sellers));
      return this.#last.has(user_id);
    }
    if (sellers) return sellers instanceof Set ? sellers.has(user_id) : [...sellers].includes(user_id);
    if (!clientFor) return true;
    const client = await clientFor(user_id);
    return Boolean(client) && !isForeign(client as object, user_id);
  }
}

/** What a wait resolves to when it was ended early. */
const ended = Symbol('ended');

/**
 * Waits for promises that can be ended together, before the promises have settled. Workers use a signal in the request alone that has
 * created it, so this is none.
 */
class Waits {
  readonly #ends = new Set<() => void>();

  /** The result of a promise, or `ended`. */
  async until<T>(awaited: Promise<T>): Promise<T | typeof ended> {
    const { promise, resolve, reject } = Promise.withResolvers<T | typeof ended>();
    const end = (): void => resolve(ended);
    this.#ends.add(end);
    try {
      awaited.then(resolve, reject);
      return await promise;
    } finally {
      this.#ends.delete(end);
    }
  }

  /** Ends the waits that have begun. */
  end(): void {
    for (const end of this.#ends) end();
  }
}
