import type { Endpoint } from '../../core/endpoint.js';
import type { Accounts } from '../state/accounts.js';
import { assertFields } from '../state/assert-fields.js';
import { asJsonp } from './conventions.js';
import { HandlerResponse } from './handler.js';
import { jsonResponse } from './recorded-body.js';
import { assertEndpoint, assertFilter, matchesFilter } from './request-filter.js';
import type { FilteredRequest, RequestFilter } from './request-filter.js';
import { bodyOf } from './requests.js';
import { createRandom } from '../random.js';
import { FakeMarketplaceError } from '../errors.js';
import type { Interceptor } from './router.js';

/** What a fault does. Without any of these, the call only takes `delayMs` longer. */
export interface FaultKind {
  /** Responds with this status. The service does not act, unless `after` is `true`. */
  readonly status?: number | undefined;
  /** The body of that response: a string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The headers of that response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** With `status`: the service acts first, and its own response is lost. */
  readonly after?: boolean | undefined;
  /** Breaks the connection, before or after the service acts. */
  readonly reset?: 'before' | 'after' | undefined;
  /** The service acts, and its response stalls: after half the body, or before the headers. */
  readonly stall?: true | 'headers' | undefined;
  /** The service acts, and the connection breaks in the middle of its response. */
  readonly truncate?: true | undefined;
  /** Delays the call, in milliseconds of the machine's time. */
  readonly delayMs?: number | undefined;
}

/** A fault, and the calls it applies to. */
export interface Fault extends FaultKind {
  /** Applies only to this endpoint. @default every endpoint */
  readonly endpoint?: Endpoint | undefined;
  /** Applies only to requests that match all given fields. @default every request */
  readonly match?: Omit<RequestFilter, 'endpoint'> | undefined;
  /** How many matching calls pass first: `skip: 2` affects the third. @default 0 */
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
 */
export class Faults {
  readonly #accounts: () => Accounts;
  #pending: PendingFault[] = [];

  constructor(accounts: () => Accounts) {
    this.#accounts = accounts;
  }

  /** Adds a fault for the next calls that match. Faults apply in the order in which they were added. @throws {FakeMarketplaceError} when the fault makes no sense */
  inject(fault: Fault): void {
    validate(fault);
    const { probability = 1, seed = 1, times = probability < 1 ? Infinity : 1 } = fault;
    this.#pending.push({ fault, random: createRandom(seed), skip: fault.skip ?? 0, left: times });
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
  readonly interceptor: Interceptor = async (request, endpoint, next) => {
    const fault =
      this.#pending.length > 0 ? this.#take(await describeRequest(request, endpoint, this.#accounts())) : undefined;
    return fault ? apply(fault, request, next) : next();
  };

  #take(request: FilteredRequest): Fault | undefined {
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

const faultFields: readonly (keyof Fault)[] = [
  'status',
  'body',
  'headers',
  'after',
  'reset',
  'stall',
  'truncate',
  'delayMs',
  'endpoint',
  'match',
  'skip',
  'times',
  'probability',
  'seed',
];

function validate(fault: Fault): void {
  const { status, body, reset, stall, truncate, delayMs, endpoint, match } = fault;
  const { probability = 1, times = 1, skip = 0 } = fault;
  assertFields('a fault', fault, faultFields);
  const kinds = [status, reset, stall, truncate].filter((kind) => kind !== undefined);
  if (kinds.length === 0 && delayMs === undefined)
    throw new FakeMarketplaceError('a fault needs `status`, `reset`, `stall`, `truncate` or `delayMs`');
  if (kinds.length > 1)
    throw new FakeMarketplaceError('a fault takes only one of `status`, `reset`, `stall` and `truncate`');
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    throw new FakeMarketplaceError(`\`status\` is from 200 to 599, not ${String(status)}`);
  if (body !== undefined && status === undefined)
    throw new FakeMarketplaceError('the `body` of a fault needs a `status`');
  if (!(probability > 0 && probability <= 1))
    throw new FakeMarketplaceError('`probability` must be above 0 and at most 1');
  if (!(times >= 1)) throw new FakeMarketplaceError('`times` must be at least 1');
  if (!(Number.isInteger(skip) && skip >= 0)) throw new FakeMarketplaceError('`skip` must be an integer of at least 0');
  if (delayMs !== undefined && !(delayMs >= 0)) throw new FakeMarketplaceError('`delayMs` must be at least 0');
  if (endpoint) assertEndpoint(endpoint);
  if (match) assertFilter(match);
}

async function describeRequest(
  request: Request,
  endpoint: Endpoint | undefined,
  accounts: Accounts,
): Promise<FilteredRequest> {
  const token = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    endpoint: endpoint?.name ?? null,
    user_id: accounts.bearerOf(token)?.user_id ?? null,
    body: await bodyOf(request),
  };
}

async function apply(fault: FaultKind, request: Request, next: () => Promise<Response>): Promise<Response> {
  const { status, reset, stall, truncate, delayMs, after } = fault;
  if (delayMs !== undefined) await wait(delayMs, request.signal);
  if (reset === 'before') throw connectionError('ECONNRESET');
  if (status !== undefined) {
    if (after) await next();
    return toResponse(fault, status, request);
  }
  const response = await next();
  if (reset === 'after') throw connectionError('ECONNRESET');
  if (stall === 'headers') await wait(undefined, request.signal);
  if (stall !== undefined || truncate) return firstHalfOf(response, request.signal, truncate === true);
  return response;
}

function toResponse({ body, headers }: FaultKind, status: number, request: Request): Response {
  // JSONP keeps its HTTP 200, as every response of the service does.
  const callback = new URL(request.url).searchParams.get('callback');
  if (callback !== null) return asJsonp(callback, new HandlerResponse(status, body), { ...headers });
  if (body === undefined) return new Response(null, { status, headers: { ...headers } });
  if (typeof body === 'string') return new Response(body, { status, headers: { ...headers } });
  return jsonResponse(body, { status, headers: { ...headers } });
}

/** The error that `fetch` rejects with when the connection breaks. */
function connectionError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`read ${code}`), { code }) });
}

/** The error that reading a body rejects with when the connection breaks. */
function bodyError(): TypeError {
  return new TypeError('bodyError', { cause: connectionError('UND_ERR_SOCKET').cause });
}

/** Returns a response with the first half of its body, after which it stalls or the connection breaks. */
async function firstHalfOf(response: Response, signal: AbortSignal, breaks: boolean): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
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

/** Waits, without `ms` for ever, until the signal aborts. */
function wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === undefined ? undefined : setTimeout(done, ms);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    function done(): void {
      signal.removeEventListener('abort', end);
      resolve();
    }
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
