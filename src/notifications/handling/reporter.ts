import { describeFailure } from './errors.js';
import type { HandlingFailure, HandlingSuccess } from '../options.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';

type Level = 'error' | 'warn' | 'info';

/** A logger, whose methods may also be asynchronous. */
type Log = Readonly<Record<Level, (message: string, fields?: object) => unknown>>;

const maxReasons = 100;

/** Reports to the logger, to `onFailure` and to `onSuccess`. An observer that fails has no effect on the inbox. */
export class Reporter {
  readonly #logger: Log | undefined;
  readonly #options: ResolvedReceiverOptions;
  readonly #reasons = new Set<string>();

  constructor(options: ResolvedReceiverOptions) {
    this.#logger = options.logger;
    this.#options = options;
  }

  /** A handler failed. Without a logger and `onFailure`, it is printed with `console.error`. */
  handlerFailed(failure: HandlingFailure): void {
    const { entry, error, attempt, dead } = failure;
    const { key, notification } = entry;
    const consequence = dead ? 'it is a dead letter now' : 'it will be retried';
    const message = `Notification ${key} (${notification.topic}) failed at attempt ${attempt}; ${consequence}`;
    const { onFailure } = this.#options;
    if (this.#logger || !onFailure) void this.#log(dead ? 'error' : 'warn', message, error);
    void this.#observe('onFailure', () => onFailure?.(failure));
  }

  /** A handler succeeded. */
  handled(success: HandlingSuccess): void {
    const { onSuccess } = this.#options;
    if (onSuccess) void this.#observe('onSuccess', () => onSuccess(success));
  }

  async #observe(name: string, observe: () => unknown): Promise<void> {
    try {
      await observe();
    } catch (error) {
      await this.#log('error', `${name} failed`, error);
    }
  }

  /** The inbox itself failed, such as its store. Without a logger, it is printed with `console.error`. */
  failed(message: string, ...error: readonly [unknown?]): void {
    void this.#log('error', message, ...error);
  }

  /** The inbox works, but probably not as it is meant to. Without a logger, it is printed with `console.error`. */
  warned(message: string): void {
    void this.#log('warn', message);
  }

  /** A JSON object was acknowledged that is not a notification. Each reason is logged once, at most a hundred of them. */
  unreadable(reason: string): void {
    if (this.#reasons.has(reason) || this.#reasons.size >= maxReasons) return;
    this.#reasons.add(reason);
    this.warned(
      `A delivery was acknowledged and dropped: ${reason}. More of them are only counted, in stats().unreadable`,
    );
  }

  /** A delivery was rejected. Strangers can cause this, so it is only logged to a given logger. */
  rejected(message: string): void {
    if (this.#logger) void this.#log('info', message);
  }

  async #log(level: Level, message: string, ...error: readonly unknown[]): Promise<void> {
    const failure = error.length === 0 ? undefined : describeFailure(error[0]);
    const line = escaped(failure === undefined ? message : `${message}: ${failure}`);
    // `console` would print an argument that is `undefined`.
    const fields = failure === undefined ? [] : [{ error: failure }];
    try {
      // eslint-disable-next-line no-console -- failures are visible by default
      if (!this.#logger) console.error(line);
      else await this.#logger[level](line, ...fields);
    } catch {
      // A logger that fails has nowhere to report it.
    }
  }
}

/** A text of strangers stays on one line, and can neither control a terminal nor change the order of what it shows. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
