import { FifoMap } from '../../work/fifo-map.js';
import { Log } from '../../work/log.js';
import type { HandlingFailure, HandlingSuccess } from '../options.js';
import type { ResolvedInboxOptions } from '../resolve-options.js';

const mostSaid = 100;
/** How often it is said of a seller that something was not shown, in milliseconds. */
const sayAgainMs = 3_600_000;
/** For this many sellers it is known when that was said. */
const maxSellers = 10_000;

/** Reports to the logger, to `onFailure` and to `onSuccess`. An observer that fails has no effect on the inbox. */
export class Reporter {
  readonly log: Log;
  /** What this process has acknowledged and dropped. */
  readonly counts = { dropped: 0, unreadable: 0, expired: 0 };
  readonly #options: ResolvedInboxOptions;
  readonly #said = new Set<string>();
  /** By seller, on the monotonic clock. */
  readonly #saidAt = new FifoMap<number>(maxSellers);

  constructor(options: ResolvedInboxOptions) {
    this.log = new Log(options.logger);
    this.#options = options;
  }

  /** A handler failed, or moderation rejected its message. Without a logger and `onFailure`, it is printed with `console.error`. */
  async handlerFailed(failure: HandlingFailure, consequence: string): Promise<void> {
    const { entry, error, attempt, dead } = failure;
    const { key, notification } = entry;
    const message = `Notification ${key} (${notification.topic}) failed at attempt ${attempt}; ${consequence}`;
    const { onFailure } = this.#options;
    if (this.#options.logger || !onFailure) void this.log.write(dead ? 'error' : 'warn', message, error);
    await this.log.observe('onFailure', () => onFailure?.(failure));
  }

  /** A handler succeeded. */
  async handled(success: HandlingSuccess): Promise<void> {
    const { onSuccess } = this.#options;
    if (onSuccess) await this.log.observe('onSuccess', () => onSuccess(success));
  }

  /** The inbox itself failed, such as its store. Without a logger, it is printed with `console.error`. */
  failed(message: string, ...error: readonly [unknown?]): void {
    void this.log.write('error', message, ...error);
  }

  /** The inbox works, but probably not as it is meant to. Without a logger, it is printed with `console.error`. */
  warned(message: string): void {
    void this.log.write('warn', message);
  }

  /** Says something once, and at most a hundred such things: strangers can cause them. */
  warnedOnce(message: string): void {
    if (this.#said.has(message) || this.#said.size >= mostSaid) return;
    this.#said.add(message);
    this.warned(message);
  }

  /** Says something that is no fault once, to a given logger. */
  informedOnce(message: string): void {
    if (this.#said.has(message) || !this.#options.logger) return;
    this.#said.add(message);
    void this.log.write('info', message);
  }

  /** A JSON object was acknowledged that is not a notification. */
  unreadable(reason: string): void {
    this.counts.unreadable += 1;
    this.warnedOnce(
      `A delivery was acknowledged and dropped: ${reason}. More of them are only counted, in stats().unreadable`,
    );
  }

  /** A notification was acknowledged, and is not handled. */
  dropped(reason: string): void {
    this.counts.dropped += 1;
    this.warnedOnce(`A notification was dropped: ${reason}. More of them are only counted, in stats().dropped`);
  }

  /** A notification was acknowledged, and the service does not show what it is about: said once per seller and hour. */
  notShown(user_id: number): void {
    this.counts.dropped += 1;
    const now = performance.now();
    if (now - (this.#saidAt.get(String(user_id)) ?? -Infinity) < sayAgainMs) return;
    this.#saidAt.set(String(user_id), now);
    this.warned(
      `A notification of user ${user_id} was dropped: the service does not show what it is about. More of them within an hour are only counted, in stats().dropped`,
    );
  }

  /** Notifications were deleted that nobody handles. */
  expired(count: number): void {
    this.counts.expired += count;
    if (count > 0)
      this.failed(`${count} notifications were deleted: no process has had a handler for their topic in time`);
  }

  /** A delivery was rejected. Strangers can cause this, so it is only logged to a given logger. */
  rejected(message: string): void {
    if (this.#options.logger) void this.log.write('info', message);
  }
}
