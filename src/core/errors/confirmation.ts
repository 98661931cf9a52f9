/** The result of reading back a write whose response was lost. */
export type Confirmation<Out = unknown> =
  /** It was carried out; `output` is what the call would have returned, as far as it can be read back. */
  | { readonly done: true; readonly output: Out; readonly unknown?: undefined }
  /** It was not carried out: sending it again does not duplicate it. */
  | { readonly done: false; readonly unknown?: undefined }
  /** Reading back does not show it; the sentence gives the reason. */
  | { readonly done?: undefined; readonly unknown: string };
