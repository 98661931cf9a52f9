import type { Works } from '../work/works.js';
import type { InboxContext } from './context.js';
import { Door, accepted, isHandled, notAccepted } from './door.js';
import { workOf } from './entry.js';
import type { InboxEntry } from './entry.js';
import { waitForHandler } from './handling/dispatcher.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import type { MissedNotifications } from './missed.js';

/** Stores the notifications that are delivered, and has them handled. */
export class Deliveries {
  readonly door: Door;
  readonly #context: InboxContext;
  readonly #works: Works;

  readonly #missed: MissedNotifications;

  constructor(context: InboxContext, works: Works, missed: MissedNotifications) {
    this.#context = context;
    this.#works = works;
    this.#missed = missed;
    this.door = new Door(context, (entry, request) => this.#store(entry, request));
  }

  async #store(entry: InboxEntry, { waitUntil }: IncomingRequest): Promise<OutgoingResponse> {
    const { store, options, reporter } = this.#context;
    const { topic } = entry.notification;
    const hasHandler = isHandled(this.#context, entry.notification);
    // A deploy may have begun: another process on this store has a handler already, or will have one.
    const state = await this.door.inTime(() => store.add(workOf(entry), options.maxWaiting));
    if (state === 'full') return this.#full(entry, hasHandler);
    if (!['added', 'known'].includes(state))
      throw new TypeError('The store did not confirm that it has the notification');
    if (state === 'added' && options.handle && !hasHandler)
      reporter.warnedOnce(`Notifications of the topic ${topic} ${waitForHandler}`);
    void this.#missed.note(entry.notification);
    this.#works.wake();
    waitUntil?.(this.#works.idle());
    return accepted;
  }

  /** What nobody here handles need not come again: it would cost the application the topic. */
  #full({ notification }: InboxEntry, hasHandler: boolean): OutgoingResponse {
    const { reporter, options } = this.#context;
    const { user_id, topic } = notification;
    if (hasHandler) {
      reporter.warnedOnce(
        `${options.maxWaiting} notifications of user ${user_id} (${topic}) wait: no more are accepted now`,
      );
      return notAccepted;
    }
    reporter.dropped('it has no handler here, and as many of its seller wait as may');
    return accepted;
  }
}
