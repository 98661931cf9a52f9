import type { ApiPromise } from '../api-promise.js';
import type { Endpoint } from '../endpoint.js';
import { millisecondsOf } from '../schema/date-time.js';
import type { CallOptions } from '../options/client-options.js';

/** The service's `date` header, by which a moment is told, knows no fraction of a second. */
const dateGranularityMs = 1000;

/** What reading back says of a write whose answer was lost. */
export type Confirmation<Out = unknown> =
  /** It was carried out; `output` is what the call would have delivered, as far as it can be read back. */
  | { readonly done: true; readonly output: Out; readonly unknown?: undefined }
  /** It was not carried out: sending it again does not double it. */
  | { readonly done: false; readonly unknown?: undefined }
  /** Reading back does not tell; the sentence says why. */
  | { readonly done?: undefined; readonly unknown: string };

/** What an endpoint's `confirm` may use to find out. */
export interface ConfirmContext {
  /** Makes a call with the token and headers of the write. */
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: CallOptions): ApiPromise<Out>;
  /** When the write was sent, in milliseconds since 1970 by the clock of the service, which an answer's headers tell. */
  sentAt(answer: Headers): number;
}

/** Whether a text that is read back is one that was sent: the service may trim it. */
export function isSameText(read: string | null | undefined, sent: string): boolean {
  const bare = (text: string): string => text.replace(/\s+/g, ' ').trim();
  return typeof read === 'string' && bare(read) === bare(sent);
}

/** Whether something was written since a moment; where it bears no date, nobody can tell. */
export function isNotBefore(instant: string | null | undefined, momentMs: number): boolean | undefined {
  const at = typeof instant === 'string' ? millisecondsOf(instant) : Number.NaN;
  return Number.isNaN(at) ? undefined : at >= momentMs - dateGranularityMs;
}

/** What was found among entries that look like the one that was written. */
export function singleMatch<T>(found: readonly T[]): Confirmation<T> {
  if (found.length === 0) return { done: false };
  if (found.length === 1) return { done: true, output: found[0] as T };
  return { unknown: `${found.length} entries look like the one that was written` };
}
