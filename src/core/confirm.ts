import type { ApiPromise } from './api-promise.js';
import type { Endpoint } from './endpoint.js';
import type { CallOptions } from './settings.js';

/** What reading back says of a write whose answer was lost. */
export type Confirmation<Out = unknown> =
  /** It was carried out; `output` is what the call would have delivered, as far as it can be read back. */
  | { readonly done: true; readonly output: Out; readonly unknown?: undefined }
  /** It was not carried out: sending it again does not double it. */
  | { readonly done: false; readonly unknown?: undefined }
  /** Reading back does not tell; the sentence says why. */
  | { readonly done?: undefined; readonly unknown: string };

/** What an endpoint's `confirm` may use to find out. */
export interface ReadBack {
  /** Makes a call with the token and headers of the write. */
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: CallOptions): ApiPromise<Out>;
  /** When the write was sent, in milliseconds since 1970 by the clock of the service, which an answer's headers tell. */
  sentAt(answer: Headers): number;
}
