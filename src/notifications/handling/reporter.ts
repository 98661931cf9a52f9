import { Log } from '../../work/log.js';
import type { HandlingFailure, HandlingSuccess } from '../options.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';

const mostSaid = 100;

/** Reports to the logger, to `onFailure` and to `onSuccess`. An observer that fails has no effect on the inbox. */
export class Reporter {
  readonly #log: Log;
  readonly #options: ResolvedReceiverOptions;
  readonly #said = new Set<string>();

  constructor(options: ResolvedReceiverOptions) {
    this.#log = new Log(options.logger);
    this.#options = options;
  }

  /** A handler failed. Without a logger and `onFailure`, it is printed with `console.error`. */
  handlerFailed(failure: HandlingFailure): void {
    const { entry, error, attempt, dead } = failure;
    const { key, notification } = entry;
    const consequence = dead ? 'it is a dead letter now' : 'it will be retried';
    const message = `Notification ${key} (${notification.topic}) failed at attempt ${attempt}; ${consequence}`;
    const { onFailure } = this.#options;
    if (this.#options.logger || !onFailure) void this.#log.write(dead ? 'error' : 'warn', message, error);
    void this.#log.observe('onFailure', () => onFailure?.(failure));
  }

  /** A handler succeeded. */
  handled(success: HandlingSuccess): void {
    const { onSuccess } = this.#options;
    if (onSuccess) void this.#log.observe('onSuccess', () => onSuccess(success));
  }

  /** The inbox itself failed, such as its store. Without a logger, it is printed with `console.error`. */
  failed(message: string, ...error: readonly [unknown?]): void {
    void this.#log.write('error', message, ...error);
  }

  /** The inbox works, but probably not as it is meant to. Without a logger, it is printed with `console.error`. */
  warned(message: string): void {
    void this.#log.write('warn', message);
  }

  /** Says something once, and at most a hundred such things: strangers can cause them. */
  warnedOnce(message: string): void {
    if (this.#said.has(message) || this.#said.size >= mostSaid) return;
    this.#said.add(message);
    this.warned(message);
  }

  /** A JSON object was acknowledged that is not a notification. */
  unreadable(reason: string): void {
    this.warnedOnce(
      `A delivery was acknowledged and dropped: ${reason}. More of them are only counted, in stats().unreadable`,
    );
  }

  /** A delivery was rejected. Strangers can cause this, so it is only logged to a given logger. */
  rejected(message: string): void {
    if (this.#options.logger) void this.#log.write('info', message);
  }
}
