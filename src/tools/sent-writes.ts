import type { SellerClient } from '../client.js';
import type { Confirmation } from '../core/errors/confirmation.js';
import { SellerError } from '../core/errors/seller-error.js';
import type { Endpoint } from '../core/operation/endpoint.js';

/** How a write ended. `unknown` is why reading back does not show it; `isUndone`: reading back shows that nothing was done. */
export type SentOutcome =
  | { readonly output: unknown; readonly error?: undefined }
  | { readonly error: SellerError; readonly unknown?: string; readonly isUndone?: true };

/** Whether a failed write may have been carried out. */
export function isOutcomeUnknown(error: unknown): error is SellerError & { confirm(): Promise<Confirmation> } {
  return error instanceof SellerError && (error as { outcomeUnknown?: unknown }).outcomeUnknown === true;
}

interface UnknownWrite {
  readonly sentAt: number;
  readonly error: SellerError;
}

/** The writes of which it is not known whether they were carried out, by seller, operation and input. */
export type UnknownWrites = Map<string, UnknownWrite>;

/** Sends each write once: one whose response was lost is read back, at once and when it is asked for again. */
export class SentWrites {
  readonly #client: SellerClient;
  readonly #unknown: UnknownWrites;
  readonly #seller: string;

  /** `unknown` outlasts the client of a seller, which may be made anew for each call. */
  constructor(client: SellerClient, unknown: UnknownWrites = new Map(), seller = '') {
    this.#client = client;
    this.#unknown = unknown;
    this.#seller = seller;
  }

  /** Sends a write, unless an equal one of this seller may have been carried out already. */
  async send(endpoint: Endpoint, input: unknown): Promise<SentOutcome> {
    const key = `${this.#seller} ${endpoint.name} ${JSON.stringify(input)}`;
    const earlier = this.#unknown.get(key);
    if (earlier) {
      const found = await this.#readBack(() => this.#client.confirm(endpoint, input, { sentAt: earlier.sentAt }));
      this.#unknown.delete(key);
      if (found.done !== false) return this.#outcomeOf(key, earlier, found);
    }
    const sentAt = Date.now();
    try {
      return { output: await this.#client.call(endpoint, input) };
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      return this.#outcomeOf(key, { sentAt, error }, await this.#readBack(() => error.confirm()));
    }
  }

  #outcomeOf(key: string, write: UnknownWrite, found: Confirmation): SentOutcome {
    if (found.done) return { output: found.output };
    if (found.done === false) return { error: write.error, isUndone: true };
    this.#unknown.set(key, write);
    return { error: write.error, unknown: found.unknown };
  }

  /** What fails to be read back stays unknown: its error would hide that the write may have been carried out. */
  async #readBack(confirm: () => Promise<Confirmation>): Promise<Confirmation> {
    return confirm().catch((error: unknown) => ({
      unknown: `it cannot be read back now (${error instanceof Error ? error.message : 'an error'})`,
    }));
  }
}
