/** The result of reading back a write whose response was lost. */
export type Confirmation<Out = unknown> =
  /** The write was carried out. `output` is what the call would have returned, as far as it can be read back. */
  | { readonly done: true; readonly output: Out; readonly unknown?: undefined }
  /** The write was not carried out: if you send it again, it is not duplicated. */
  | { readonly done: false; readonly unknown?: undefined }
  /**
   * Reading back does not show whether the write was carried out; `unknown` is a sentence with the reason. `mayChange`: it may
   * show that later, because another write of this seller is being sent.
   */
  | { readonly done?: undefined; readonly unknown: string; readonly mayChange?: true };

/** The result for a write that leaves nothing to read, such as an upload. */
export const cannotConfirm: Confirmation<never> = { unknown: 'there is no way to read back what this endpoint does' };

/** Options of `confirm`. */
export interface ConfirmOptions {
  /**
   * Aborts reading back.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the service may still carry out the write, in milliseconds. It is read back repeatedly for this long.
   *
   * @default 3_000; after a timeout at least `timeoutMs`
   */
  readonly confirmWindowMs?: number | undefined;
  /**
   * The time limit for reading back, in milliseconds. After it, the result is `unknown`.
   *
   * @default the `deadlineMs` of the call
   */
  readonly deadlineMs?: number | undefined;
}

/** Options of `confirm` of a client, for a write that was stored before it was sent. */
export interface StoredWriteOptions extends ConfirmOptions {
  /**
   * When the write was sent for the first time, by the clock of this machine: milliseconds since 1970, at most the time at
   * which `call` began.
   */
  readonly sentAt: number;
}
