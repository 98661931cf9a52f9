import { ConfigurationError } from '../core/errors/errors.js';
import { SellerError } from '../core/errors/seller-error.js';
import type { QueuedNotification } from './queued-notification.js';
import type { Notification } from './notification.js';
import { readNotification } from './read-notification.js';
import type { ReadOptions } from './read-notification.js';
import type { Handler, HandlerContext, ResolvedReceiverOptions } from './options.js';

/**
 * A handler took longer than `handlerTimeoutMs`. Its signal was aborted; whether it stopped is up to it.
 *
 * Remedy: hand the handler's `signal` on to what it waits for, or allow it more time.
 */
export class HandlerTimeoutError extends SellerError {
  static override readonly kind: string = 'HandlerTimeoutError';
}

/** The circumstances of one handling. */
export interface RunContext {
  readonly attempt: number;
  readonly coalescedCount: number;
  readonly signal: AbortSignal;
}

/** Takes notifications to the handlers that were given for them. */
export class Dispatcher {
  readonly #settings: Pick<ResolvedReceiverOptions, 'on' | 'fallback' | 'clientFor' | 'handlerTimeoutMs'>;

  constructor(settings: Pick<ResolvedReceiverOptions, 'on' | 'fallback' | 'clientFor' | 'handlerTimeoutMs'>) {
    this.#settings = settings;
  }

  /** Whether anybody is there for it. */
  wants(notification: Notification): boolean {
    return this.#handlerOf(notification) !== undefined;
  }

  #handlerOf({ known, topic }: Notification): Handler<never, never> | undefined {
    const { on, fallback } = this.#settings;
    return known ? on?.[topic as 'questions'] : fallback;
  }

  /** Handles an entry. @throws whatever the handler throws, or {HandlerTimeoutError}. */
  async handle({ notification }: QueuedNotification, circumstances: RunContext): Promise<void> {
    const handler = this.#handlerOf(notification);
    if (!handler) return;
    const { handlerTimeoutMs } = this.#settings;
    const timeUp = new AbortController();
    const signal = AbortSignal.any([circumstances.signal, timeUp.signal]);
    const context: HandlerContext<never> = {
      ...circumstances,
      signal,
      read: (options) => this.#read(notification, { signal, ...options }) as Promise<never>,
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new HandlerTimeoutError(`The handler did not end within ${handlerTimeoutMs} ms`);
        timeUp.abort(error);
        reject(error);
      }, handlerTimeoutMs);
    });
    try {
      await Promise.race([Promise.resolve(notification as never).then((it) => handler(it, context)), limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(notification: Notification, options: ReadOptions): Promise<unknown> {
    const { clientFor } = this.#settings;
    if (!clientFor) {
      throw new ConfigurationError('read() takes a client: give createReceiver `clientFor: (user_id) => client`');
    }
    return readNotification(await clientFor(notification.user_id), notification, options);
  }
}

/** What a dead letter says of the error that ended it: its name and the start of its message. */
export function failureOf(error: unknown): string {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : `a thrown ${typeof error}`;
  return said.length > 300 ? `${said.slice(0, 300)}…` : said;
}
