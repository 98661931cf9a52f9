import { ConfigurationError } from '../core/errors/errors.js';
import { SellerError } from '../core/errors/seller-error.js';
import type { Notification } from './notification.js';
import type { Handler, HandlerContext, ResolvedReceiverOptions } from './options.js';
import type { QueuedNotification } from './queued-notification.js';
import { readNotification } from './read-notification.js';
import type { ReadOptions } from './read-notification.js';

/**
 * A handler took longer than `handlerTimeoutMs`. Its signal was aborted; it may still be running.
 *
 * Remedy: pass the handler's `signal` to everything it awaits, or raise `handlerTimeoutMs`.
 */
export class HandlerTimeoutError extends SellerError {
  static override readonly kind: string = 'HandlerTimeoutError';
}

/** The context of one run of a handler. */
export interface RunContext {
  readonly attempt: number;
  readonly coalescedCount: number;
  readonly signal: AbortSignal;
}

type DispatcherOptions = Pick<ResolvedReceiverOptions, 'on' | 'fallback' | 'clientFor' | 'handlerTimeoutMs'>;

/** Calls the handler of a notification. */
export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Whether a handler was given for this notification. */
  hasHandlerFor(notification: Notification): boolean {
    return this.#handlerFor(notification) !== undefined;
  }

  #handlerFor({ known, topic }: Notification): Handler<never, never> | undefined {
    const { on, fallback } = this.#options;
    return known ? on?.[topic as 'questions'] : fallback;
  }

  /**
   * Runs the handler of an entry.
   *
   * @throws {HandlerTimeoutError} when the handler takes too long; else whatever the handler throws.
   */
  async handle({ notification }: QueuedNotification, run: RunContext): Promise<void> {
    const handler = this.#handlerFor(notification);
    if (!handler) return;
    const { handlerTimeoutMs } = this.#options;
    const timedOut = new AbortController();
    const signal = AbortSignal.any([run.signal, timedOut.signal]);
    const context: HandlerContext<never> = {
      ...run,
      signal,
      read: (options) => this.#read(notification, { signal, ...options }) as Promise<never>,
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new HandlerTimeoutError(`The handler did not end within ${handlerTimeoutMs} ms`);
        timedOut.abort(error);
        reject(error);
      }, handlerTimeoutMs);
    });
    try {
      await Promise.race([Promise.resolve(notification as never).then((it) => handler(it, context)), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(notification: Notification, options: ReadOptions): Promise<unknown> {
    const { clientFor } = this.#options;
    if (!clientFor) {
      throw new ConfigurationError('read() needs a client: pass `clientFor: (user_id) => client` to createReceiver');
    }
    return readNotification(await clientFor(notification.user_id), notification, options);
  }
}

/** The name and the start of the message of an error, as a dead letter keeps it. */
export function describeFailure(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `a thrown ${typeof error}`;
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
