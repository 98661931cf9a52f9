/** The result of reading back a write whose response was lost. */
export type Confirmation<Out = unknown> =
  /** The write was carried out. `output` is what the call would have returned, as far as it can be read back. */
  | { readonly done: true; readonly output: Out; readonly unknown?: undefined }
  /** The write was not carried out: if you send it again, it is not duplicated. */
  | { readonly done: false; readonly unknown?: undefined }
  /** Reading back does not show whether the write was carried out; `unknown` is a sentence with the reason. */
  | { readonly done?: undefined; readonly unknown: string };
