import type { Endpoint } from '../../core/endpoint.js';
import { createRandom } from '../random.js';
import { FakeMarketplaceError } from '../errors.js';
import type { Interceptor } from './router.js';

/** What goes wrong. Without any of it the call goes through, after its `delayMs`. */
export interface FaultKind {
  /** An answer with this status; the service does nothing, unless `after` says so. */
  readonly status?: number | undefined;
  /** The body of that answer: text as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The headers of that answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** With `status`: the service acts first, and its answer is lost. */
  readonly after?: boolean | undefined;
  /** The connection breaks, before or after the service acts. */
  readonly reset?: 'before' | 'after' | undefined;
  /** The service acts, and its answer stops coming: after the headers and half the body, or before the headers. */
  readonly stall?: true | 'headers' | undefined;
  /** The service acts, and the connection breaks in the middle of its answer. */
  readonly truncate?: true | undefined;
  /** The call takes so much longer, in milliseconds of the machine's time. */
  readonly delayMs?: number | undefined;
}

/** A fault, and which calls it strikes. */
export interface Fault extends FaultKind {
  /** Strikes only this endpoint. */
  readonly endpoint?: Endpoint | undefined;
  /** How many calls it strikes. Default 1; `Infinity` with a `probability`. */
  readonly times?: number | undefined;
  /** How likely it strikes each call, from 0 to 1. Default 1. */
  readonly probability?: number | undefined;
  /** What the dice begin with: the same seed strikes the same calls. Default 1. */
  readonly seed?: number | undefined;
}

interface PendingFault {
  readonly fault: Fault;
  readonly dice: () => number;
  left: number;
}

/**
 * What goes wrong between a client and the marketplace, on purpose.
 *
 * @example
 * marketplace.faults.inject({ reset: 'after', endpoint: endpoints.questions.answer });
 * marketplace.faults.inject({ status: 503, headers: { 'retry-after': '1' }, times: 2 });
 * marketplace.faults.inject({ delayMs: 50, probability: 0.1, seed: 42 });
 */
export class Faults {
  readonly #pending: PendingFault[] = [];

  /** The next call that the fault fits is struck; several faults strike in the order in which they were given. */
  inject(fault: Fault): void {
    check(fault);
    const { probability = 1, seed = 1, times = probability < 1 ? Infinity : 1 } = fault;
    this.#pending.push({ fault, dice: createRandom(seed), left: times });
  }

  /** Nothing goes wrong any more. */
  clear(): void {
    this.#pending.length = 0;
  }

  /** The faults that have not struck yet, or may strike again, and how often. */
  get all(): readonly { readonly fault: Fault; readonly left: number }[] {
    return this.#pending.map(({ fault, left }) => ({ fault, left }));
  }

  /** How many faults have not struck yet, or may strike again. */
  get pending(): number {
    return this.#pending.length;
  }

  /** @internal */
  readonly interceptor: Interceptor = async (request, endpoint, next) => {
    const fault = this.#take(endpoint);
    return fault ? apply(fault, request, next) : next();
  };

  #take(endpoint: Endpoint | undefined): Fault | undefined {
    const found = this.#pending.find(({ fault, dice }) => {
      if (fault.endpoint && fault.endpoint.name !== endpoint?.name) return false;
      return dice() < (fault.probability ?? 1);
    });
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#pending.splice(this.#pending.indexOf(found), 1);
    return found.fault;
  }
}

function check({ status, body, reset, stall, truncate, probability = 1, times = 1 }: Fault): void {
  const kinds = [status, reset, stall, truncate].filter((kind) => kind !== undefined);
  if (kinds.length > 1) throw new FakeMarketplaceError('a fault is one of `status`, `reset`, `stall` and `truncate`');
  if (body !== undefined && status === undefined)
    throw new FakeMarketplaceError('the `body` of a fault takes its `status`');
  if (!(probability > 0 && probability <= 1)) throw new FakeMarketplaceError('`probability` is above 0 and at most 1');
  if (!(times >= 1)) throw new FakeMarketplaceError('`times` is at least 1');
}

async function apply(fault: FaultKind, request: Request, next: () => Promise<Response>): Promise<Response> {
  const { status, reset, stall, truncate, delayMs, after } = fault;
  if (delayMs !== undefined) await wait(delayMs, request.signal);
  if (reset === 'before') throw broken('ECONNRESET');
  if (status !== undefined) {
    if (after) await next();
    return answerOf(fault, status);
  }
  const response = await next();
  if (reset === 'after') throw broken('ECONNRESET');
  if (stall === 'headers') await wait(undefined, request.signal);
  if (stall !== undefined || truncate) return halfOf(response, request.signal, truncate === true);
  return response;
}

function answerOf({ body, headers }: FaultKind, status: number): Response {
  if (body === undefined) return new Response(null, { status, headers: { ...headers } });
  if (typeof body === 'string') return new Response(body, { status, headers: { ...headers } });
  return Response.json(body, { status, headers: { ...headers } });
}

/** What `fetch` rejects with when the connection breaks. */
function broken(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`read ${code}`), { code }) });
}

/** What reading a body rejects with when the connection breaks. */
function terminated(): TypeError {
  return new TypeError('terminated', { cause: broken('UND_ERR_SOCKET').cause });
}

/** The answer with half of its body, after which nothing more comes, or the connection breaks. */
async function halfOf(response: Response, signal: AbortSignal, breaks: boolean): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0 && breaks) throw broken('ECONNRESET');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 1) controller.enqueue(bytes.slice(0, bytes.length >> 1));
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
    // What was given up on never comes: the reader waits until it is aborted.
    pull: () => (breaks ? Promise.reject(terminated()) : new Promise<void>(() => undefined)),
  });
  const { status, headers } = response;
  return new Response(status === 204 ? null : body, { status, headers });
}

/** Waits; for ever without a time. An abort ends it. */
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
