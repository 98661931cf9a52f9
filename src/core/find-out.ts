import type { ResponseInfo } from './api-promise.js';
import { Bounds } from './bounds.js';
import type { Caller } from './caller.js';
import type { Confirmation, ReadBack } from './confirm.js';
import type { Endpoint } from './endpoint.js';
import type { Errand } from './errand.js';
import { ApiError } from './errors.js';
import type { CallOptions } from './options.js';
import { dateOf } from './retry.js';
import type { ConfirmOptions } from './seller-error.js';

/** What was found out, and the last answer that was read. */
export interface Found {
  readonly confirmation: Confirmation;
  readonly answer: Pick<ResponseInfo, 'status' | 'headers'>;
}

/**
 * Reads back whether a write was carried out: again and again while it is not seen and the service may still be at it,
 * for `settleMs`.
 */
export async function findOut(
  caller: Caller,
  errand: Errand,
  bounds: Bounds,
  { signal, settleMs }: ConfirmOptions & { readonly settleMs: number },
): Promise<Found> {
  const { endpoint, input } = errand;
  const reader = new Reader(caller, errand, bounds, signal);
  const until = performance.now() + settleMs;
  for (let pauseMs = 100; ; pauseMs *= 2) {
    const isLast = performance.now() >= until;
    const confirmation = await look(endpoint, input, reader);
    bounds.throwIfEnded();
    if (confirmation.done || isLast) return { confirmation, answer: reader.answer };
    await bounds.sleep(Math.max(0, Math.min(pauseMs, until - performance.now())));
  }
}

/** `confirm()` of an error: the same after the call is over, with bounds of its own. */
export async function confirmLater(
  caller: Caller,
  errand: Errand,
  options: ConfirmOptions & { readonly settleMs: number },
): Promise<Confirmation> {
  const { method, path } = errand.endpoint;
  const bounds = new Bounds(`Reading back ${method} ${path}`, options.signal, undefined);
  try {
    return (await findOut(caller, errand, bounds, options)).confirmation;
  } finally {
    bounds.close();
  }
}

async function look(endpoint: Endpoint, input: unknown, back: ReadBack): Promise<Confirmation> {
  if (!endpoint.confirm) return { unknown: 'there is no way to read back what this endpoint does' };
  try {
    return await endpoint.confirm(input, back);
  } catch (error) {
    return { unknown: `reading back failed: ${error instanceof Error ? error.message : 'for no stated reason'}` };
  }
}

/** Reads with the token and headers of the write, within the bounds of the search. */
class Reader implements ReadBack {
  readonly #caller: Caller;
  readonly #errand: Errand;
  readonly #bounds: Bounds;
  readonly #signal: AbortSignal | undefined;
  answer: Pick<ResponseInfo, 'status' | 'headers'> = { status: 200, headers: new Headers() };

  constructor(caller: Caller, errand: Errand, bounds: Bounds, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#caller = caller;
    this.#errand = errand;
    this.#bounds = bounds;
  }

  call: ReadBack['call'] = (endpoint, input, options) => {
    const { accessToken, headers, timeoutMs } = this.#errand.options;
    const { leftMs } = this.#bounds;
    const same: CallOptions = { signal: this.#signal, accessToken, headers, timeoutMs };
    const within: CallOptions = leftMs === Infinity ? same : { ...same, deadlineMs: Math.max(1, leftMs) };
    const reading = this.#caller.call(endpoint, input, { ...within, ...options });
    reading.withResponse().then(
      ({ response }) => {
        this.answer = response;
      },
      (error: unknown) => {
        if (error instanceof ApiError) this.answer = error;
      },
    );
    return reading;
  };

  sentAt(answer: Headers): number {
    const now = dateOf(answer.get('date')) ?? Date.now();
    return now - (performance.now() - this.#errand.firstSentAt);
  }
}
