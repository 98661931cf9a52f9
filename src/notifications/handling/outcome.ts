import type { WriteRecord } from '../../core/recover/write-hook.js';
import { describeGivenUp } from '../../work/failures.js';

/** What follows from one run of a handler. A store or a queue carries it out. */
export type Outcome =
  /** The handler has handled the notification. */
  | { readonly kind: 'done' }
  /** The notification was dropped: by its handler, or because its user is not one of our sellers. */
  | { readonly kind: 'dropped'; readonly isUnknownSeller: boolean }
  /** The attempt has failed. The next one begins after `inMs` milliseconds. */
  | {
      readonly kind: 'retry';
      readonly inMs: number;
      readonly error: unknown;
      /** Whether the error says that no attempt can succeed. A second such error in a row is final. */
      readonly isPermanent: boolean;
    }
  /** The handler did not run to an end, for no fault of its own: this uses up no attempt. */
  | { readonly kind: 'release'; readonly inMs: number; readonly error: unknown }
  /** No attempt is left, or none can succeed. A person decides. */
  | {
      readonly kind: 'dead';
      readonly error: unknown;
      /** The name and the message of the error, and which writes of the handler may have been carried out. */
      readonly failure: string;
    };

/** Gives up, with the writes of the runs. */
export function dead(error: unknown, writes: readonly WriteRecord[] = []): Outcome {
  return { kind: 'dead', error, failure: describeGivenUp(error, writes) };
}

/** The last error of an entry that waits, as a store keeps it. */
export interface LastFailure {
  /** The name and the message of the error. */
  readonly failure: string;
  readonly isPermanent: boolean;
}
