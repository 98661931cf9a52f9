import type { Logger } from '../core/options/hooks.js';
import type { Log } from './log.js';
import type { Verdict } from './store.js';

/** What ran, as a user is told of it. */
interface Ran {
  readonly entry: unknown;
  readonly attempt: number;
}

/** What of an inbox or an outbox is told of its entries. */
interface Callbacks<Success extends Ran> {
  readonly logger?: Logger | undefined;
  readonly onSuccess?: ((success: Success) => unknown) | undefined;
  readonly onRejection?: ((rejection: Pick<Success, 'entry'> & { readonly reason: string }) => unknown) | undefined;
  readonly onFailure?: ((failure: Pick<Success, 'entry' | 'attempt'> & ObservedFailure) => unknown) | undefined;
}

interface ObservedFailure {
  readonly error: unknown;
  readonly dead: boolean;
}

/**
 * Tells the user what has become of the entries of an inbox or an outbox: by a callback, and in the log. A verdict is stored after it
 * was told, so each is told at least once.
 */
export class Observer<Success extends Ran> {
  readonly #log: Log;
  readonly #callbacks: Callbacks<Success>;

  constructor(log: Log, callbacks: Callbacks<Success>) {
    this.#log = log;
    this.#callbacks = callbacks;
  }

  /** Whether the user listens to what has become of an entry. */
  listensTo(verdict: Verdict): boolean {
    const name = callbackOf(verdict);
    return name !== undefined && this.#callbacks[name] !== undefined;
  }

  /**
   * Tells what has become of an entry. Without a callback for it and without a logger, a failure or a rejection is printed with
   * `console.error`. Never throws.
   *
   * @param what What the log calls the entry, e.g. `Job answer-7`.
   */
  async tell(what: string, ran: Success, verdict: Verdict, error: unknown): Promise<void> {
    const { onSuccess, onRejection, onFailure } = this.#callbacks;
    const { entry, attempt }: Pick<Success, 'entry' | 'attempt'> = ran;
    const { failure: reason = '' } = verdict;
    const name = callbackOf(verdict);
    if (name === 'onSuccess') return this.#call(name, () => onSuccess?.(ran));
    if (name === 'onRejection') {
      this.#write(name, 'warn', `${what}: moderation rejected the message (${reason})`);
      return this.#call(name, () => onRejection?.({ entry, reason }));
    }
    if (name === undefined) return undefined;
    const dead = verdict.state === 'dead';
    const consequence = dead ? 'it is a dead letter now' : 'it will be retried';
    this.#write(name, dead ? 'error' : 'warn', `${what} failed at attempt ${attempt}; ${consequence}`, reason);
    return this.#call(name, () => onFailure?.({ entry, attempt, error: error ?? new Error(reason), dead }));
  }

  #write(name: 'onRejection' | 'onFailure', level: 'error' | 'warn', message: string, failure?: string): void {
    if (this.#callbacks.logger || !this.#callbacks[name]) void this.#log.write(level, message, failure);
  }

  /** What a callback throws is only logged. */
  async #call(name: string, call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (error) {
      await this.#log.writeRarely(`${name} failed`, error);
    }
  }
}

/** Who is told of a verdict; nobody while nothing has failed and nothing has ended. */
function callbackOf({ state, failed }: Verdict): 'onSuccess' | 'onRejection' | 'onFailure' | undefined {
  if (state === 'done' || state === 'accepted') return 'onSuccess';
  if (state === 'rejected') return 'onRejection';
  return failed ? 'onFailure' : undefined;
}
