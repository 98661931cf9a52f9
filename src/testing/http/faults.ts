import type { Endpoint } from '../../core/operation/endpoint.js';
import { wait } from '../../core/scope/cancel-scope.js';
import type { EndpointName } from '../../endpoints.js';
import { assertFields, FakeMarketplaceError } from '../errors.js';
import { createRandom } from '../random.js';
import { seededFault } from '../seed/schema.js';
import { respond, withBody, type Call, type Interceptor } from './handler.js';
import { assertFilter, filteredOf, matchesFilter, type RequestFilter } from './requests.js';
import type { Routes } from './routes.js';

/** What a fault does. Without any of these, the call only takes `delayMs` longer. */
export type FaultKind = Pick<
  Fault,
  'status' | 'body' | 'headers' | 'after' | 'reset' | 'stall' | 'truncate' | 'delayMs'
>;

/** A fault, and the calls it applies to. */
export interface Fault {
  /** Responds with this status. The service does not act, unless `after` is `true`. */
  readonly status?: number | undefined;
  /** The body of that response: a string is sent unchanged, other values are sent as JSON. */
  readonly body?: unknown;
  /** The headers of that response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** With `status`: the service acts first, and its own response is lost. */
  readonly after?: boolean | undefined;
  /** Breaks the connection, before or after the service acts. */
  readonly reset?: 'before' | 'after' | undefined;
  /** The service acts, and its response stalls: after half the body, or before the headers. */
  readonly stall?: boolean | 'headers' | undefined;
  /** The service acts, and the connection breaks in the middle of its response. */
  readonly truncate?: boolean | undefined;
  /** Delays the call, in milliseconds of the machine's time. */
  readonly delayMs?: number | undefined;
  /** Applies only to this endpoint, or the one of this name. @default every endpoint */
  readonly endpoint?: Endpoint | EndpointName | (string & {}) | undefined;
  /** Applies only to requests that match all given fields. @default every request */
  readonly match?: Omit<RequestFilter, 'endpoint'> | undefined;
  /** How many matching calls are not affected first: with `skip: 2`, the third call is affected. @default 0 */
  readonly skip?: number | undefined;
  /** How many calls it applies to. @default 1, or `Infinity` with a `probability` */
  readonly times?: number | undefined;
  /** The probability per call, from 0 to 1. @default 1 */
  readonly probability?: number | undefined;
  /** The seed of the random numbers: the same seed selects the same calls. @default 1 */
  readonly seed?: number | undefined;
}

interface PendingFault {
  readonly fault: Fault;
  readonly random: () => number;
  skip: number;
  left: number;
}

/**
 * Injects faults between a client and the marketplace.
 *
 * @example
 * marketplace.faults.inject({ reset: 'after', endpoint: endpoints.questions.answer });
 * marketplace.faults.inject({ status: 503, headers: { 'retry-after': '1' }, times: 2 });
 * marketplace.faults.inject({ delayMs: 50, probability: 0.1, seed: 42 });
 * marketplace.faults.inject({ status: 500, skip: 2, match: { path: '/questions/*', user_id: 1001 } });
 * marketplace.faults.clear();
 */
export class Faults {
  #pending: PendingFault[] = [];
  readonly #listeners = new Set<(request: Request, fault: Fault) => void>();
  readonly #routes: Routes;

  /** @internal */
  constructor(routes: Routes) {
    this.#routes = routes;
  }

  /**
   * Adds a fault for the next calls that match. Faults apply in the order in which they were added.
   *
   * @throws {FakeMarketplaceError} when the fault is invalid
   */
  inject(fault: Fault): void {
    this.assertValid(fault);
    const { probability = 1, seed = 1, times = probability < 1 ? Infinity : 1 } = fault;
    this.#pending.push({ fault, random: createRandom(seed), skip: fault.skip ?? 0, left: times });
  }

  /** @internal @throws {FakeMarketplaceError} when the fault is invalid */
  assertValid(fault: Fault): void {
    validateFault(fault, this.#routes);
  }

  /** @internal Adds a listener for faults that apply to a request. @returns a function that removes it */
  onApplied(listener: (request: Request, fault: Fault) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Removes all faults. */
  clear(): void {
    this.#pending = [];
  }

  /** The pending faults, with the number of calls that each still applies to. */
  get all(): readonly { readonly fault: Fault; readonly left: number }[] {
    return this.#pending.map(({ fault, left }) => ({ fault, left }));
  }

  /** The number of pending faults. */
  get pending(): number {
    return this.#pending.length;
  }

  /** @internal */
  readonly interceptor: Interceptor = async (call, next) => {
    const fault = this.#take(call);
    if (!fault) return next();
    for (const listener of this.#listeners) listener(call.request, fault);
    return applyFault(fault, call, next);
  };

  #take(call: Call): Fault | undefined {
    const request = filteredOf(call);
    const found = this.#pending.find((pending) => {
      const { fault, random } = pending;
      if (!matchesFilter(request, { ...fault.match, endpoint: fault.endpoint })) return false;
      if (pending.skip > 0) {
        pending.skip -= 1;
        return false;
      }
      return random() < (fault.probability ?? 1);
    });
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#pending.splice(this.#pending.indexOf(found), 1);
    return found.fault;
  }
}

/** Applies a fault to a call: before, instead of or after the service acts. */
async function applyFault(fault: FaultKind, call: Call, next: () => Promise<Response>): Promise<Response> {
  const { signal } = call.request;
  const { status, reset, stall, truncate, delayMs, after } = fault;
  if (delayMs !== undefined) await wait(delayMs, signal);
  signal.throwIfAborted();
  if (reset === 'before') throw connectionError('ECONNRESET');
  if (status !== undefined) {
    if (after) await next();
    return toResponse(fault, status, call);
  }
  const response = await next();
  if (reset === 'after') throw connectionError('ECONNRESET');
  if (stall === 'headers') return forever(signal);
  if (stall || truncate) return firstHalfOf(response, signal, truncate === true);
  return response;
}

function toResponse({ body, headers = {} }: FaultKind, status: number, call: Call): Response {
  const isText = typeof body === 'string' && !call.query.has('callback');
  return isText ? new Response(body, { status, headers }) : respond(call, { status, body, headers });
}

/** The error that `fetch` rejects with when the connection breaks, or is not made. */
export function connectionError(code: string, syscall = 'read'): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
}

/** The error that reading a body rejects with when the connection breaks. */
function bodyError(): TypeError {
  return new TypeError('bodyError', { cause: connectionError('UND_ERR_SOCKET').cause });
}

/** Returns a response with the first half of its body, after which it stalls or the connection breaks. */
async function firstHalfOf(response: Response, signal: AbortSignal, breaks: boolean): Promise<Response> {
  const bytes = new Uint8Array(await withBody(response).arrayBuffer());
  if (bytes.length === 0 && breaks) throw connectionError('ECONNRESET');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 1) controller.enqueue(bytes.slice(0, bytes.length >> 1));
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
    // A stalled body never ends: the reader waits until it is aborted.
    pull: () => (breaks ? Promise.reject(bodyError()) : new Promise<void>(() => undefined)),
  });
  const { status, headers } = response;
  return new Response(status === 204 ? null : body, { status, headers });
}

/** Never resolves, and rejects when the signal aborts. */
function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** An hour. Timers longer than 2^31 ms would fire immediately. */
const maxDelayMs = 3_600_000;

/** @throws {FakeMarketplaceError} when a fault is invalid */
function validateFault(fault: Fault, routes: Routes): void {
  assertFields('a fault', fault, Object.keys(seededFault.shape));
  assertKind(fault);
  const { endpoint, match, probability = 1, times = 1, skip = 0 } = fault;
  if (!(probability > 0 && probability <= 1))
    throw new FakeMarketplaceError('`probability` must be above 0 and at most 1');
  if (!(times >= 1)) throw new FakeMarketplaceError('`times` must be at least 1');
  if (!(Number.isInteger(skip) && skip >= 0)) throw new FakeMarketplaceError('`skip` must be an integer of at least 0');
  if (endpoint) routes.assertName(endpoint);
  if (match) assertFilter(match, routes);
}

function assertKind({ status, body, reset, stall, truncate, delayMs }: Fault): void {
  const kinds = [status, reset, stall, truncate].filter((kind) => kind !== undefined && kind !== false);
  if (kinds.length === 0 && delayMs === undefined)
    throw new FakeMarketplaceError('a fault needs `status`, `reset`, `stall`, `truncate` or `delayMs`');
  if (kinds.length > 1)
    throw new FakeMarketplaceError('a fault takes only one of `status`, `reset`, `stall` and `truncate`');
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    throw new FakeMarketplaceError(`\`status\` is from 200 to 599, not ${String(status)}`);
  if (body !== undefined && status === undefined)
    throw new FakeMarketplaceError('the `body` of a fault needs a `status`');
  if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= maxDelayMs))
    throw new FakeMarketplaceError(`\`delayMs\` must be from 0 to ${maxDelayMs}`);
}
