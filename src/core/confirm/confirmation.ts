/** The result of reading back a write whose response was lost. */
export type Confirmation<Out = unknown> =
  /** The write was carried out. `output` is what the call would have returned, as far as it can be read back. */
  | { readonly done: true; readonly output: Out; readonly unknown?: undefined }
  /** The write was not carried out: if you send it again, it is not duplicated. */
  | { readonly done: false; readonly unknown?: undefined }
  /** Reading back does not show whether the write was carried out; `unknown` is a sentence with the reason. */
  | { readonly done?: undefined; readonly unknown: string };

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

const confirm = Symbol.for('marketplace-seller-sdk.confirm');

/** Reads back the write of an error. */
type Confirm = (options: ConfirmOptions) => Promise<Confirmation>;

/** Attaches to an error how its write is read back, unless that is already known. */
export function attachConfirm(error: object, readBack: Confirm): void {
  if (!(confirm in error)) Object.defineProperty(error, confirm, { value: readBack });
}

/** Implements `confirm()` of the errors. */
export async function confirmError(error: object, options: ConfirmOptions): Promise<Confirmation> {
  const readBack = (error as { [confirm]?: Confirm })[confirm];
  return readBack ? readBack(options) : { unknown: 'there is no way to read back what this endpoint does' };
}
