import { NotificationError } from '../core/errors/errors.js';
import { parseJson } from '../core/json/json.js';
import { isObject } from '../core/json/plain-object.js';
import { TimeLimit } from '../core/scope/time-limit.js';
import { waitForHandler } from './handling/dispatcher.js';
import { handlerOf } from './handling/handler.js';
import { DeliveryRejected, checkHeaders, decodeBody, deliveryRequest, respond } from './http/request.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import type { Inbox } from './inbox.js';
import { isReadReceipt, parseNotification } from './notification.js';
import type { Notification } from './notification.js';
import { queuedNotification } from './queued-notification.js';
import type { QueuedNotification } from './queued-notification.js';
import { StoreFullError } from './stores/store-limits.js';
import { stored } from './stores/store.js';
import { abortGraceMs, endsWithin } from '../work/ends-within.js';
import { Waits, ended } from './timing/waits.js';
import type { Worker } from './worker/worker.js';

const accepted = respond(200, 'Accepted');
const notAccepted = respond(503, 'Not accepted now; deliver it again', { 'retry-after': '30' });
const notHandled = respond(503, 'Not handled now; deliver it again', { 'retry-after': '30' });

/** Responds to deliveries: checks and stores them, and waits for their handlers where a response says that they were handled. */
export class Deliveries {
  readonly #inbox: Inbox;
  readonly #worker: Worker;
  readonly #acceptLimit: TimeLimit;
  /** For bodies that are arriving. */
  readonly #arriving = new Waits();
  /** For handlers whose deliveries are acknowledged once they have succeeded. */
  readonly #handling = new Waits();
  #unreadable = 0;
  /** The responses that are not known yet. */
  readonly #receiving = new Set<Promise<OutgoingResponse>>();

  constructor(inbox: Inbox, worker: Worker) {
    this.#inbox = inbox;
    this.#worker = worker;
    this.#acceptLimit = new TimeLimit(inbox.options.acceptTimeoutMs);
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
    this.#inbox.reporter.failed('A notification was not accepted', error);
    return notAccepted;
  }

  #reject(response: OutgoingResponse, reason: string): OutgoingResponse {
    this.#inbox.reporter.rejected(`A delivery was rejected with ${response.status}: ${reason}`);
    return response;
  }

  async #receive(request: IncomingRequest): Promise<OutgoingResponse> {
    if (this.#inbox.stage !== 'open') return notAccepted;
    checkHeaders(request, this.#inbox.options);
    const body = await this.#arriving.until(request.body(this.#inbox.options));
    if (body === ended) return notAccepted;
    const { options, store } = this.#inbox;
    const notification = this.#parsed(decodeBody(body, this.#inbox.options));
    if (!notification || isReadReceipt(notification)) return accepted;
    const hasHandler = !options.handle || handlerOf(options, notification) !== undefined;
    // A deploy may have begun: another process on this store has a handler already, or will have one.
    if (!hasHandler && options.queue) return this.#notQueued(notification);
    if (!hasHandler && !store.durable) return accepted;
    if (!(await this.#isWanted(notification, request))) return accepted;
    const accept = async (traceparent?: string): Promise<OutgoingResponse> => {
      const entry = await queuedNotification(notification, Date.now());
      if (this.#inbox.stage !== 'open') return notAccepted;
      const traced = traceparent === undefined ? entry : { ...entry, traceparent };
      const response = this.#accept(traced, request.waitUntil);
      return hasHandler ? response : this.#left(notification, response);
    };
    return options.tracing?.wrapDelivery?.({ topic: notification.topic }, accept) ?? accept();
  }

  /** A queue would give the job to any worker, again and again, and has no room that keeps it from filling up. */
  #notQueued({ topic }: Notification): OutgoingResponse {
    return this.#countedOnly(`the topic ${topic} has no handler here, and what goes into a queue needs one`);
  }

  /** What nobody here handles need not come again when the store is full: it would cost the application the topic. */
  async #left({ topic }: Notification, stored: Promise<OutgoingResponse>): Promise<OutgoingResponse> {
    try {
      const response = await stored;
      if (response === accepted)
        this.#inbox.reporter.warnedOnce(`Notifications of the topic ${topic} ${waitForHandler}`);
      return response;
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error;
      return this.#countedOnly(`it has no handler here, and the store is full (${error.message})`);
    }
  }

  #countedOnly(reason: string): OutgoingResponse {
    this.#unreadable += 1;
    this.#inbox.reporter.unreadable(reason);
    return accepted;
  }

  /**
   * A JSON object that is not a notification is acknowledged, counted and reported: a rejected one would come again, and cost the
   * application its topic.
   */
  #parsed(body: string | object): Notification | undefined {
    try {
      return parseNotification(body);
    } catch (error) {
      if (!(error instanceof NotificationError) || !isJsonObject(body)) throw error;
      this.#countedOnly(error.message);
      return undefined;
    }
  }

  /** How many JSON objects were acknowledged that are not notifications. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Anything but a boolean is a mistake in `accept`, such as a forgotten `return`: it must not drop what is wanted. */
  async #isWanted(notification: Notification, request: IncomingRequest): Promise<boolean> {
    const { accept } = this.#inbox.options;
    if (!accept) return true;
    const isWanted: unknown = await this.#inTime(async () => accept(notification, deliveryRequest(request)));
    if (typeof isWanted !== 'boolean') throw new TypeError('accept() must return true or false');
    return isWanted;
  }

  async #accept(entry: QueuedNotification, waitUntil: IncomingRequest['waitUntil']): Promise<OutgoingResponse> {
    const { queue, acknowledge } = this.#inbox.options;
    if (queue) {
      await this.#inTime(() => queue.add(entry));
      return accepted;
    }
    const isWaitedFor = acknowledge === 'handled' || waitUntil !== undefined;
    const state = await this.#inTime(() => (isWaitedFor ? stored(this.#inbox.store, entry) : this.#worker.add(entry)));
    if (acknowledge === 'handled') {
      const isHandled = state === 'processed' || (await this.#handling.until(this.#worker.processNow(entry))) === true;
      return isHandled && !(await this.#isOnlyInMemory(entry)) ? accepted : notHandled;
    }
    if (state !== 'processed') waitUntil?.(this.#worker.processNow(entry).catch(() => false));
    return accepted;
  }

  #inTime<T>(run: () => Promise<T>): Promise<T> {
    const { acceptTimeoutMs } = this.#inbox.options;
    const message = `The store, queue or accept() did not respond within ${acceptTimeoutMs} ms`;
    return this.#acceptLimit.run(run, () => new Error(message));
  }

  /** A dead letter that ends with this process is not acknowledged, so that the service keeps it. */
  async #isOnlyInMemory({ key }: QueuedNotification): Promise<boolean> {
    return !this.#inbox.store.durable && (await this.#inbox.store.hasDeadLetter?.(key)) === true;
  }

  /** Responds 503 to those whose bodies are arriving. */
  close(): void {
    this.#arriving.end();
  }

  /** Resolves once all have their response: those that wait for a handler get 503 after a second. */
  async ended(): Promise<void> {
    if (!(await endsWithin(abortGraceMs, Promise.all(this.#receiving)))) this.#handling.end();
  }
}

/** Body parsers leave an empty object of a body that they have not parsed. */
function isJsonObject(body: string | object): boolean {
  try {
    return typeof body === 'string' ? isObject(parseJson(body)) : isObject(body) && Object.keys(body).length > 0;
  } catch {
    return false;
  }
}
