import type { FakeMarketplace } from '../testing/marketplace.js';
import { connectionError } from '../testing/http/faults.js';
import { errorResponse, JsonResponse, jsonOrText } from '../testing/http/handler.js';
import type { Decisions } from './plan.js';
import type { RecordedCall, Recorder, Names } from './history.js';
import { callFaults, type SimulationOptions } from './options.js';
import type { SimulatedProcess } from './process.js';

/** What the network needs of a run. */
export interface NetworkInit {
  readonly marketplace: FakeMarketplace;
  /** The service itself. */
  readonly serve: (request: Request) => Promise<Response>;
  readonly world: SimulatedProcess;
  readonly names: Names;
  readonly recorder: Recorder;
  readonly decisions: Decisions;
  readonly outside: SimulationOptions['outside'];
  /** By how much the `Date` of the service's responses is ahead of the dates in them, in milliseconds. */
  readonly dateAheadMs: number;
}

type CallFault = keyof typeof callFaults;

/** How many milliseconds a call takes, without faults. */
const [leastMs, mostMs] = [10, 210];
const slowMs = 40_000;

/** What lies between the processes and the service: it takes time, and loses things. */
export class Network {
  /** Whether the bot has no network. */
  isOffline = false;
  /** Whether the service answers every call with 503. */
  isOut = false;
  /** Happens once, at some moment of the next write. */
  duringNextWrite: (() => void) | undefined;
  readonly #init: NetworkInit;
  /** By token: also those that are not valid any more. */
  readonly #users = new Map<string, number>();

  constructor(init: NetworkInit) {
    this.#init = init;
  }

  /** Sends a request of a process. Like `fetch`, it rejects when the request is aborted. */
  async send(request: Request, from: SimulatedProcess, start: number): Promise<Response> {
    // Nothing is received by a process that has ended, and nothing that it begins gets out.
    if (!from.isAlive) return new Promise(() => undefined);
    from.count('calls');
    request.signal.throwIfAborted();
    const { world } = this.#init;
    const body = request.body ? await request.arrayBuffer() : undefined;
    return new Promise((resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason as Error), { once: true });
      const isReceived = (): boolean => from.isAlive && !request.signal.aborted;
      // The service and the way to it go on without the process.
      world.run(() => this.#carry(request, body, start, isReceived)).then(resolve, reject);
    });
  }

  async #carry(
    request: Request,
    body: ArrayBuffer | undefined,
    start: number,
    isReceived: () => boolean,
  ): Promise<Response> {
    const { world, recorder, decisions, dateAheadMs } = this.#init;
    const isOurs = hostOfMarketplace.test(request.url);
    const call = this.#record(request, body, start, isOurs);
    const isOut = this.isOut && isOurs;
    const fault = isOut ? 'failed before' : decisions.choose(call.name, callFaults);
    call.fault = this.isOffline ? 'offline' : isOut ? 'outage' : fault;
    recorder.call(call);
    const slow = fault === 'slow' ? decisions.amount(call.name) * slowMs : 0;
    const tripMs = (leastMs + decisions.amount(call.name) * (mostMs - leastMs) + slow) / 2;
    if (request.method !== 'GET' && this.duringNextWrite) {
      setTimeout(this.duringNextWrite, decisions.amount(`moment in ${call.name}`) * 2 * tripMs);
      this.duringNextWrite = undefined;
    }
    await world.wait(tripMs);
    const response = await this.#responseTo(request, body, call, fault, isOurs).catch(
      (error: unknown) => error as Error,
    );
    const servedAt = world.time.now;
    await world.wait(tripMs);
    if (!isReceived()) return new Promise(() => undefined);
    call.receivedAt = world.time.now;
    if (response instanceof Error) throw response;
    if (isOurs) response.headers.set('date', new Date(servedAt + dateAheadMs).toUTCString());
    call.status = response.status;
    if (response instanceof JsonResponse) call.response = response.value;
    return response;
  }

  #record(request: Request, body: ArrayBuffer | undefined, start: number, isOurs: boolean): RecordedCall {
    const { names, world, marketplace } = this.#init;
    const { method } = request;
    const { pathname: path, search: query, host } = new URL(request.url);
    const text = textOf(body);
    const user_id = this.#userOf(request);
    const seller = user_id === undefined ? '' : (marketplace.accounts.get(user_id)?.nickname ?? '');
    const name = isOurs
      ? names.ofCall({ method, path, query, body: text, seller })
      : names.ofOutside(`${method} ${host}`, `${query} ${text}`);
    const [at, content] = [world.time.now, text === '' ? undefined : jsonOrText(text)];
    return { name, start, user_id, method, path: path + query, body: content, at, isCarriedOut: false };
  }

  #userOf(request: Request): number | undefined {
    const token = (request.headers.get('authorization') ?? '').replace(/^Bearer /i, '');
    const user_id = this.#init.marketplace.accounts.bearerOf(token)?.user_id ?? this.#users.get(token);
    if (user_id !== undefined) this.#users.set(token, user_id);
    return user_id;
  }

  async #responseTo(
    request: Request,
    body: ArrayBuffer | undefined,
    call: RecordedCall,
    fault: CallFault | undefined,
    isOurs: boolean,
  ): Promise<Response> {
    const { serve, outside, decisions } = this.#init;
    if (this.isOffline) throw connectionError('ECONNREFUSED', 'connect');
    if (fault === 'request lost') throw connectionError('ECONNRESET');
    if (fault === 'throttled') return rejection(429, decisions.amount(call.name) < 0.5 ? { 'retry-after': '1' } : {});
    const failed = (): Response => rejection(decisions.amount(call.name) < 0.5 ? 500 : 503);
    if (fault === 'failed before') return failed();
    const { method, headers } = request;
    const sent = body ? new Request(request.url, { method, headers, body }) : request;
    if (!isOurs && !outside) throw noOutside(request);
    const response = await (isOurs ? serve(sent) : outside?.(sent));
    call.isCarriedOut = true;
    if (fault === 'response lost') throw connectionError('ECONNRESET');
    return fault === 'failed after' ? failed() : (response ?? failed());
  }
}

const hostOfMarketplace = /^https:\/\/(?:[^/]+\.)?marketplace\.test(?:\/|$)/;

function noOutside({ url }: Request): TypeError {
  return new TypeError(
    `the bot asked ${new URL(url).host}: pass \`outside\`, which answers what is not the marketplace`,
  );
}

function rejection(status: number, headers: Record<string, string> = {}): Response {
  const message = status === 429 ? 'Too many requests' : 'The service is not available';
  return new JsonResponse(errorResponse({ status, message }).body, { status, headers });
}

const utf8 = new TextDecoder();

/** The text of a body that is not large. */
function textOf(bytes: ArrayBuffer | undefined): string {
  return bytes && bytes.byteLength <= 1_000_000 ? utf8.decode(bytes) : '';
}
