import type { ResponseInfo } from '../api-promise.js';
import { CancelScope } from '../retry/cancel-scope.js';
import type { Requester } from '../http-client.js';
import type { Confirmation, ConfirmContext } from '../retry/confirm.js';
import type { Endpoint } from '../endpoint.js';
import type { RequestContext } from './request-context.js';
import { ApiError } from '../errors/errors.js';
import type { CallOptions } from '../options/client-options.js';
import { parseHttpDate } from '../retry/policy.js';
import type { ConfirmOptions } from '../errors/seller-error.js';

/** What was found out, and the last answer that was read. */
export interface Found {
  readonly confirmation: Confirmation;
  readonly answer: Pick<ResponseInfo, 'status' | 'headers'>;
}

/**
 * Reads back whether a write was carried out: again and again while it is not seen and the service may still be at it,
 * for `confirmWindowMs`.
 */
export async function confirmWrite(
  caller: Requester,
  errand: RequestContext,
  bounds: CancelScope,
  { signal, confirmWindowMs }: ConfirmOptions & { readonly confirmWindowMs: number },
): Promise<Found> {
  const { endpoint, input } = errand;
  const reader = new ConfirmContextImpl(caller, errand, bounds, signal);
  const until = performance.now() + confirmWindowMs;
  for (let pauseMs = 100; ; pauseMs *= 2) {
    const isLast = performance.now() >= until;
    const confirmation = await confirmOnce(endpoint, input, reader);
    bounds.throwIfAborted();
    if (confirmation.done || isLast) return { confirmation, answer: reader.answer };
    await bounds.sleep(Math.max(0, Math.min(pauseMs, until - performance.now())));
  }
}

/** `confirm()` of an error: the same after the call is over, with bounds of its own. */
export async function confirmLater(
  caller: Requester,
  errand: RequestContext,
  options: ConfirmOptions & { readonly confirmWindowMs: number },
): Promise<Confirmation> {
  const { method, path } = errand.endpoint;
  const bounds = new CancelScope(`Reading back ${method} ${path}`, options.signal, undefined);
  try {
    return (await confirmWrite(caller, errand, bounds, options)).confirmation;
  } finally {
    bounds.dispose();
  }
}

async function confirmOnce(endpoint: Endpoint, input: unknown, back: ConfirmContext): Promise<Confirmation> {
  if (!endpoint.confirm) return { unknown: 'there is no way to read back what this endpoint does' };
  try {
    return await endpoint.confirm(input, back);
  } catch (error) {
    return { unknown: `reading back failed: ${error instanceof Error ? error.message : 'for no stated reason'}` };
  }
}

/** Reads with the token and headers of the write, within the bounds of the search. */
class ConfirmContextImpl implements ConfirmContext {
  readonly #caller: Requester;
  readonly #errand: RequestContext;
  readonly #bounds: CancelScope;
  readonly #signal: AbortSignal | undefined;
  answer: Pick<ResponseInfo, 'status' | 'headers'> = { status: 200, headers: new Headers() };

  constructor(caller: Requester, errand: RequestContext, bounds: CancelScope, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#caller = caller;
    this.#errand = errand;
    this.#bounds = bounds;
  }

  call: ConfirmContext['call'] = (endpoint, input, options) => {
    const { accessToken, headers, timeoutMs } = this.#errand.options;
    const { remainingMs } = this.#bounds;
    const same: CallOptions = { signal: this.#signal, accessToken, headers, timeoutMs };
    const within: CallOptions = remainingMs === Infinity ? same : { ...same, deadlineMs: Math.max(1, remainingMs) };
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
    const now = parseHttpDate(answer.get('date')) ?? Date.now();
    return now - (performance.now() - this.#errand.firstSentAt);
  }
}
