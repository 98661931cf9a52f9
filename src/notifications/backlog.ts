import { waitForHandler } from './handling/dispatcher.js';
import type { Inbox } from './inbox.js';
import { routes as allRoutes } from './queued-notification.js';
import { statsOf } from './stores/store.js';

/** How soon a backlog that nobody handles is noticed, in milliseconds. */
const backlogMs = 1_000;

/** Says in the log, once each, what waits and is not handled here. */
export class Backlog {
  readonly #inbox: Inbox;
  readonly #isStarted: () => boolean;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #hasReportedTopics = false;

  constructor(inbox: Inbox, isStarted: () => boolean) {
    this.#inbox = inbox;
    this.#isStarted = isStarted;
    this.#timer = inbox.store.durable && inbox.options.handle ? this.#watch() : undefined;
  }

  /** A receiver that is never started would leave what is stored, and nobody would notice. */
  #watch(): ReturnType<typeof setTimeout> | undefined {
    try {
      const timer = setTimeout(() => void this.#report(), backlogMs);
      (timer as { unref?: () => void }).unref?.();
      return timer;
    } catch {
      // Workers set no timers while they import a module.
      return undefined;
    }
  }

  async #report(): Promise<void> {
    if (this.#isStarted()) return;
    const { waiting } = await statsOf(this.#inbox.store).catch(() => ({ waiting: 0 }));
    if (waiting > 0)
      this.#inbox.reporter.warned(`${waiting} notifications wait until start() is called, or one is delivered`);
  }

  /** The topics of the notifications that wait for a process that has a handler. */
  async reportTopics(): Promise<void> {
    const { store, options, routes, reporter } = this.#inbox;
    if (!options.handle || this.#hasReportedTopics) return;
    this.#hasReportedTopics = true;
    const { topics } = await statsOf(store).catch(() => ({ topics: {} }));
    for (const [topic, { waiting }] of Object.entries(topics)) {
      const route = (allRoutes as readonly string[]).includes(topic) ? topic : '*';
      if (waiting === 0 || routes.includes(route)) continue;
      reporter.warnedOnce(`Notifications of the topic ${topic} ${waitForHandler}`);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
