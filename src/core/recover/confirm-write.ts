import type { ResponseInfo, Requester } from '../operation/api-promise.js';
import { userOfToken } from './token-source.js';
import type { ClockTimes, ConfirmContext, Endpoint, SentTime } from '../operation/endpoint.js';
import { cannotConfirm, SellerError, type ConfirmOptions, type Confirmation } from '../errors/seller-error.js';
import { TimeoutError } from '../errors/errors.js';
import { ApiError } from '../errors/response-errors.js';
import type { CallOptions } from '../scope/call-options.js';
import { CancelScope, type CallProgress } from '../scope/cancel-scope.js';
import type { BookView } from './memory-book.js';
import { parseHttpDate } from '../errors/response-headers.js';
import { userAgentOf } from '../request/build-request.js';
import { unknown } from '../schema/define.js';
import { compareIds } from '../response/read-output.js';
import { validate } from '../schema/read.js';

/** A confirmation, and the last response that it is based on. */
export interface ConfirmResult {
  readonly confirmation: Confirmation;
  readonly response: Pick<ResponseInfo, 'status' | 'headers'>;
}

/** The call of a write that is read back. */
export interface UnconfirmedCall {
  readonly request: { readonly endpoint: Endpoint; readonly input: unknown };
  readonly options: CallOptions;
  readonly token: string | undefined;
  /** A time of `performance.now()`. */
  readonly sentAt: number;
  /** By how much the clock that says so is ahead of the service's at least, in milliseconds. */
  readonly aheadMs: number;
  readonly view: BookView;
  /** What the endpoint's `readBefore` returned. */
  readonly before?: unknown;
}

interface ConfirmLimits extends Pick<ConfirmOptions, 'signal'> {
  readonly confirmWindowMs: number;
  /**
   * Whether a failure of reading that may pass is thrown, in place of `unknown`.
   *
   * @default false
   */
  readonly throwsFailures?: boolean;
}

/**
 * Clocks that differ by less count as equal: the header has no fraction of a second, and the response took some time.
 */
const clocksAgreeMs = 2000;
/** The first pause between two reads. It doubles each time. */
const firstPauseMs = 100;
/** How long after a failure the service may still carry out a write. */
const usualWindowMs = 3000;

/**
 * Returns how long a write is read back whose response was lost through `cause`. After a timeout, the service may still be
 * processing the write, so it gets at least `timeoutMs` to finish.
 */
export function confirmWindowMs(cause: unknown, timeoutMs: number): number {
  return cause instanceof TimeoutError ? Math.max(usualWindowMs, timeoutMs) : usualWindowMs;
}

/** Reads back whether a write was carried out, repeatedly until it is found or `confirmWindowMs` has passed. */
export async function confirmWrite(
  requester: Requester,
  context: UnconfirmedCall,
  scope: CancelScope,
  { signal, confirmWindowMs: windowMs, throwsFailures = false }: ConfirmLimits,
): Promise<ConfirmResult> {
  const { endpoint, input } = context.request;
  const confirmContext = confirmContextOf(requester, context, scope, signal);
  const until = performance.now() + windowMs;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    const isLast = !endpoint.confirm || performance.now() >= until;
    const confirmation = await confirmOnce(endpoint, input, confirmContext, throwsFailures);
    scope.throwIfAborted();
    if (confirmation.done || isLast) return { confirmation, response: confirmContext.response };
    await scope.sleep(Math.max(0, Math.min(pauseMs, until - performance.now())));
  }
}

/** Reads back after the call has ended. The deadline of `confirm` applies to `read` as a whole. */
export async function confirmLater(
  { method, path }: Endpoint,
  { signal, deadlineMs }: ConfirmOptions,
  progress: CallProgress,
  read: (scope: CancelScope) => Promise<ConfirmResult>,
): Promise<Confirmation> {
  const scope = new CancelScope({ what: `Confirming ${method} ${path}`, signal, deadlineMs, progress });
  try {
    return (await read(scope)).confirmation;
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    return { unknown: `reading back did not end within its deadline of ${deadlineMs} ms` };
  } finally {
    scope.dispose();
  }
}

/** Reads what `confirm` will compare with; `undefined` if the endpoint needs nothing. */
export async function readBefore(
  requester: Requester,
  context: UnconfirmedCall,
  scope: CancelScope,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { endpoint, input } = context.request;
  return endpoint.readBefore?.(input, confirmContextOf(requester, context, scope, signal));
}

async function confirmOnce(
  endpoint: Endpoint,
  input: unknown,
  context: ConfirmContext,
  throwsFailures: boolean,
): Promise<Confirmation> {
  if (!endpoint.confirm) return cannotConfirm;
  try {
    return await endpoint.confirm(input, context);
  } catch (error) {
    if (throwsFailures && error instanceof SellerError && !isFinal(error)) throw error;
    return { unknown: `reading back failed: ${error instanceof Error ? error.message : 'without a stated reason'}` };
  }
}

/** Whether reading again cannot help. A 404 of what was just written may pass, whatever `isLasting` says of it. */
function isFinal(error: SellerError): boolean {
  const { lasting } = error.constructor as typeof SellerError;
  const mayPass = error instanceof ApiError && (error.status === 403 || error.status === 404);
  return error.isLasting && (lasting ?? !mayPass);
}

/** Reads with the token and headers of the write, within the deadline and the signal of the confirmation. */
function confirmContextOf(
  requester: Requester,
  call: UnconfirmedCall,
  scope: CancelScope,
  signal: AbortSignal | undefined,
): ConfirmContext & Pick<ConfirmResult, 'response'> {
  const { options, token, before, view } = call;
  const { accessToken, timeoutMs } = options;
  // Not in a browser, where the service would have to allow the header.
  const headers = userAgentOf() === undefined ? options.headers : { 'cache-control': 'no-cache', ...options.headers };
  let sent = sentTime(call, new Headers());
  let response: ConfirmResult['response'] = { status: 200, headers: new Headers() };
  const read: ConfirmContext['read'] = async (endpoint, input, status = 200) => {
    const deadlineMs = Math.max(1, scope.remainingMs);
    const limits: CallOptions = { signal, accessToken, headers, timeoutMs, deadlineMs };
    // Nothing is left out or set aside: a response of another shape proves nothing, and an error counts by its real status.
    const reading = requester.call(asItCame(endpoint), input, limits).withResponse();
    const { data: body, response: received } = await reading.catch((error: unknown) => {
      if (error instanceof ApiError) response = error;
      throw error;
    });
    response = received;
    if (received.status !== status) throw new TypeError(`the response has status ${received.status}, not ${status}`);
    const parsed = validate(endpoint.output, body);
    if (!parsed.success) throw new TypeError('the response has another shape');
    const { ofAnother } = compareIds(endpoint, input, parsed.data);
    if (ofAnother) throw new TypeError(`the response is of another resource: ${ofAnother.message}`);
    sent = sentTime(call, received.headers);
    return { data: parsed.data, body, sent };
  };
  return {
    userId: userOfToken(token ?? ''),
    before,
    read,
    look: (...asked) => view.look(asked, sent, token),
    claim: (entry) => view.claim(entry),
    get response() {
      return response;
    },
  };
}

/** Endpoints whose output is the body, by the endpoint: each is made once. */
const rawEndpoints = new WeakMap<object, Endpoint>();

function asItCame(endpoint: Endpoint): Endpoint {
  const { errorInBody = () => null } = endpoint;
  const known = rawEndpoints.get(endpoint);
  const raw = known ?? { ...endpoint, errorInBody, complete: (body: unknown) => body, output: unknown };
  rawEndpoints.set(endpoint, raw);
  return raw;
}

/** By this machine's clock and by the service's: either may be wrong, and a cached response has an old date. */
function sentTime({ sentAt, aheadMs: provenMs }: UnconfirmedCall, headers: Headers): SentTime {
  const elapsedMs = performance.now() - sentAt;
  const local = Date.now() - elapsedMs;
  const stated = parseHttpDate(headers.get('date'));
  const aheadMs = Date.now() - (stated ?? Date.now());
  const proven = local - provenMs;
  const byClock = (...times: readonly number[]): readonly ClockTimes[] =>
    times.map((sent) => ({ sent, read: sent + elapsedMs }));
  // The header has no fraction of a second, so this machine's clock is more exact if both clocks agree.
  if (stated === undefined || (aheadMs >= 0 && aheadMs < clocksAgreeMs))
    return { earliest: proven, latest: proven, clocks: byClock(local, proven) };
  const service = stated - elapsedMs;
  // A cache can only be behind: a service's time that is ahead shows that this machine is behind.
  const clocks = aheadMs < 0 ? byClock(service) : byClock(local, proven, service);
  return { earliest: Math.min(proven, service), latest: Math.max(proven, service), clocks };
}
