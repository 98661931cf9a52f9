import { AsyncResource } from 'node:async_hooks';
import nodeCrypto from 'node:crypto';
import { createHash, type UUID } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { DatabaseSync } from 'node:sqlite';
import nodeTimers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { format, promisify } from 'node:util';
import { platform } from '#platform';
import { networkError } from '../core/errors/errors.js';
import { wait } from '../core/scope/cancel-scope.js';
import { nodeModule } from '../core/scope/node-module.js';
import { FetchResponse } from '../core/transport/transport.js';
import type {
  Exchange,
  OutgoingRequest,
  Platform,
  RequestDelivery,
  TransportResponse,
} from '../core/transport/transport.js';
import { JsonResponse, withBody } from '../testing/http/handler.js';
import { ofAnyStart } from './history.js';
import { currentProcess, VirtualTimer, type SimulatedProcess } from './process.js';

/** Values of objects that are not ours, and how they are put back. */
class Replacements {
  readonly #undo: (() => void)[] = [];

  replace<T extends object, K extends keyof T>(owner: T, key: K, replacement: (original: T[K]) => unknown): void {
    const before = Object.getOwnPropertyDescriptor(owner, key);
    const value = replacement(owner[key]);
    Object.defineProperty(owner, key, { value, writable: true, configurable: true, enumerable: true });
    this.#undo.push(() => {
      if (before) Object.defineProperty(owner, key, before);
      else Reflect.deleteProperty(owner, key);
    });
  }

  undo(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    syncBuiltinESMExports();
  }
}

/**
 * Replaces the clock, timers, chance, `fetch`, `console`, `process.exit` and SQLite for simulated processes. Other code still gets what was
 * there before.
 *
 * @param onOther told of the URL of a request that no process sends
 * @returns a function that puts everything back
 */
export function installGlobals(onOther: (url: string) => void): () => void {
  const all = new Replacements();
  replaceTimers(all);
  replaceClocks(all);
  replaceChance(all);
  all.replace(process, 'exit', (original) => (code?: string | number | null): never => {
    const simulated = currentProcess();
    return simulated ? simulated.exit(code ?? undefined) : original.call(process, code);
  });
  all.replace(globalThis, 'fetch', (original) => (input: Request | string | URL, init?: RequestInit) => {
    const simulated = currentProcess();
    if (simulated) return simulated.fetch(requestOf(input, init), simulated).then(withBody);
    onOther(input instanceof Request ? input.url : String(input));
    return original(input, init);
  });
  const { fetch } = globalThis;
  all.replace(platform, 'chooseTransport', () => simulatedTransport({ ...platform }, () => globalThis.fetch === fetch));
  for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    all.replace(console, level, (original: (...args: unknown[]) => void) => (...args: unknown[]) => {
      const process = currentProcess();
      if (process) process.print(format(...args));
      else original.apply(console, args);
    });
  }
  const sqlite = nodeModule('node:sqlite');
  if (sqlite) all.replace(sqlite, 'DatabaseSync', () => trackedDatabase(sqlite));
  // A database has one process at a time: hundreds of thousands of polls for what others do would find nothing.
  all.replace(platform, 'sharesFiles', (original) => () => !currentProcess() && original());
  // The processes of a run reach one service.
  all.replace(platform, 'addressOf', (original) => (url: string) => original(currentProcess() ? ofAnyStart(url) : url));
  all.replace(platform, 'memory', (original) => () => currentProcess()?.memory ?? original());
  syncBuiltinESMExports();
  return () => all.undo();
}

/** A copy costs a tenth of a call, and a simulated service has no cache. */
function requestOf(input: Request | string | URL, init: RequestInit = {}): Request {
  const isWhole = input instanceof Request && Object.keys(init).every((key) => key === 'cache');
  return isWhole ? input : new Request(input, init);
}

function replaceTimers(all: Replacements): void {
  for (const owner of [globalThis, nodeTimers] as unknown as Record<string, never>[]) {
    all.replace(owner, 'setTimeout', (original) => setTimer(original, false));
    all.replace(owner, 'setInterval', (original) => setTimer(original, true));
    all.replace(owner, 'clearTimeout', clearTimer);
    all.replace(owner, 'clearInterval', clearTimer);
  }
  const promises = timersPromises as unknown as Record<string, (...args: never[]) => unknown>;
  for (const [key, simulated] of Object.entries({ setTimeout: delay, setInterval: ticks })) {
    all.replace(promises, key, (original) => orElse(simulated as typeof original, original));
  }
  const { scheduler } = timersPromises;
  all.replace(scheduler, 'wait', (original) =>
    orElse(
      (ms: number, options?: { signal?: AbortSignal }) => delay<undefined>(ms, undefined, options),
      original.bind(scheduler),
    ),
  );
  all.replace(AbortSignal, 'timeout', (original) => orElse(timeoutSignal, original.bind(AbortSignal)));
}

/** A function of simulated processes, and the one of all others. */
function orElse<A extends unknown[], R>(simulated: (...args: A) => R, original: (...args: A) => R): (...args: A) => R {
  return (...args) => (currentProcess() ? simulated(...args) : original(...args));
}

function replaceClocks(all: Replacements): void {
  all.replace(globalThis, 'Date', simulatedDate);
  all.replace(performance, 'now', (original) => () => currentProcess()?.elapsedMs ?? original.call(performance));
  all.replace(process, 'hrtime', (original) => {
    const bigint = (): bigint => nanoseconds() ?? original.bigint();
    const hrtime = (since?: [number, number]): [number, number] => {
      const now = nanoseconds();
      if (now === undefined) return original(since);
      const passed = now - (since ? BigInt(since[0]) * second + BigInt(since[1]) : 0n);
      return [Number(passed / second), Number(passed % second)];
    };
    return Object.assign(hrtime, { bigint });
  });
}

const second = 1_000_000_000n;

function nanoseconds(): bigint | undefined {
  const elapsedMs = currentProcess()?.elapsedMs;
  return elapsedMs === undefined ? undefined : BigInt(Math.round(elapsedMs * 1e6));
}

function simulatedDate(Original: DateConstructor): DateConstructor {
  const now = (): number => currentProcess()?.now ?? Original.now();
  const simulated: DateConstructor = new Proxy(Original, {
    construct: (target, args, made) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, made === simulated ? target : made) as Date,
    apply: () => new Original(now()).toString(),
    get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
  });
  return simulated;
}

function replaceChance(all: Replacements): void {
  all.replace(Math, 'random', (original) => () => currentProcess()?.random() ?? original());
  const { crypto } = globalThis;
  all.replace(crypto, 'randomUUID', (original) => orElse(randomUuid, original.bind(crypto)));
  const fill: (view: never) => unknown = randomFill;
  all.replace(crypto, 'getRandomValues', (original) => orElse(fill, original.bind(crypto)));
  const { subtle } = crypto;
  all.replace(subtle, 'digest', (original) => orElse(digest, original.bind(subtle)));
  // Its `getRandomValues` cannot be replaced; it leads to that of the global `crypto`.
  const node = nodeCrypto as unknown as Record<string, (...args: never[]) => unknown>;
  const simulated = {
    randomUUID: randomUuid,
    randomFillSync: randomFill,
    randomBytes,
    randomInt,
  };
  for (const [key, each] of Object.entries(simulated))
    all.replace(node, key, (original) => orElse(each as typeof original, original));
}

type Databases = { DatabaseSync: typeof DatabaseSync };

/** `DatabaseSync` whose files are closed when the process that has opened them ends, so that open transactions are rolled back. */
function trackedDatabase({ DatabaseSync: Original }: Databases): typeof DatabaseSync {
  return class extends Original {
    readonly #forget: (() => void) | undefined;

    constructor(...[path, options]: ConstructorParameters<typeof DatabaseSync>) {
      const process = currentProcess();
      if (process?.isAlive === false) throw new Error('The process was killed');
      // Node.js takes no `undefined` as options.
      super(...((options ? [path, options] : [path]) as [typeof path]));
      this.#forget = process?.onEnd(() => super.close());
    }

    override exec(sql: string): void {
      super.exec(withoutDisk(sql));
    }

    override close(): void {
      this.#forget?.();
      super.close();
    }
  };
}

/** A simulated process dies without the machine, so nothing has to wait for the disk. */
function withoutDisk(sql: string): string {
  return sql.replace(/(PRAGMA\s+synchronous\s*=\s*)\w+/gi, '$1OFF');
}

/** `crypto.getRandomValues`, from the random numbers of the process. */
function randomFill<T extends ArrayBufferView>(view: T): T {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(Math.random() * 256);
  return view;
}

/** `crypto.randomUUID`. */
function randomUuid(): UUID {
  const digits = randomBytes(16).toString('hex');
  const variant = (8 + (Number.parseInt(digits.charAt(16), 16) & 3)).toString(16);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

type Done<T> = (error: null, value: T) => void;

/** `crypto.randomBytes`. */
function randomBytes(size: number, done?: Done<Buffer>): Buffer {
  const bytes = randomFill(Buffer.alloc(size));
  if (done) setImmediate(done, null, bytes);
  return bytes;
}

/** `crypto.randomInt`. */
function randomInt(...args: readonly [number | Done<number>, (number | Done<number>)?, Done<number>?]): number {
  const [low, high] = typeof args[1] === 'number' ? [Number(args[0]), args[1]] : [0, Number(args[0])];
  const value = low + Math.floor(Math.random() * (high - low));
  const done = args.find((each) => typeof each === 'function');
  if (done) setImmediate(done, null, value);
  return value;
}

/** `crypto.subtle.digest` without Node's threads, in which several end in any order. */
function digest(algorithm: { readonly name: string } | string, data: BufferSource): Promise<ArrayBuffer> {
  const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data;
  const hashed = createHash(name.replace('-', '')).update(new Uint8Array(bytes)).digest();
  return Promise.resolve(new Uint8Array(hashed).buffer);
}

type TimerCallback = (...args: unknown[]) => unknown;
type SetTimer = (callback: TimerCallback, delayMs?: number, ...args: unknown[]) => unknown;
type ClearTimer = (timer: unknown) => void;

/** The options of the functions of `node:timers/promises`. */
interface WaitOptions {
  readonly signal?: AbortSignal;
}

/** `setTimeout` or `setInterval`: of the virtual time in a simulated process, else the one that was there. */
function setTimer(original: SetTimer, repeats: boolean): SetTimer {
  const set: SetTimer = (callback, delayMs, ...args) => {
    const process = currentProcess();
    if (!process) return original(callback, delayMs, ...args);
    // What `AsyncLocalStorage.snapshot()` does, without a destroy hook for each of many thousand timers.
    const context = new AsyncResource('SimulatedTimer', { requireManualDestroy: true });
    const fire = (): void => {
      try {
        context.runInAsyncScope(callback, undefined, ...args);
      } catch (error) {
        process.failed(error);
      }
    };
    return process.time.set(process, fire, delayMs, repeats);
  };
  // Its promises are those of node:timers/promises.
  const custom = (ms: number, value: unknown): Promise<unknown> => delay(ms, value);
  return repeats ? set : Object.assign(set, { [promisify.custom]: custom });
}

/** `clearTimeout` or `clearInterval`. */
function clearTimer(original: ClearTimer): ClearTimer {
  return (timer) => {
    if (timer instanceof VirtualTimer) timer.close();
    else original(timer);
  };
}

/** `setTimeout` of `node:timers/promises`. */
async function delay<T>(ms = 0, value?: T, { signal }: WaitOptions = {}): Promise<T> {
  await wait(ms, signal);
  if (!signal?.aborted) return value as T;
  const error = new Error('The operation was aborted', { cause: signal.reason });
  throw Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

/** `setInterval` of `node:timers/promises`. */
async function* ticks<T>(ms?: number, value?: T, options?: WaitOptions): AsyncGenerator<T> {
  for (;;) yield await delay(ms, value as T, options);
}

/** `AbortSignal.timeout`. */
function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}

/**
 * Passes the requests of a client in a simulated process to its network, as a real one passes them to `node:http`: what `fetch` and
 * ky do for each is a fifth of a simulated day. What needs `fetch`, and all while somebody has replaced that of the simulation, goes
 * through it.
 */
function simulatedTransport(platform: Platform, isFetchOurs: () => boolean): Platform['chooseTransport'] {
  return (options) => {
    const chosen = platform.chooseTransport(options);
    const { fetch, middleware = [], tracing } = options;
    if (fetch || middleware.length > 0 || tracing?.middleware) return chosen;
    return (outgoing) => {
      const process = currentProcess();
      const isPlain = outgoing.endpoint.responseBody !== 'stream' && typeof outgoing.body !== 'object';
      return process && isPlain && isFetchOurs()
        ? new SimulatedExchange(outgoing, process, platform)
        : chosen(outgoing);
    };
  };
}

class SimulatedExchange implements Exchange {
  delivery: RequestDelivery = 'maybe';
  readonly response: Promise<TransportResponse>;

  constructor(outgoing: OutgoingRequest, process: SimulatedProcess, platform: Platform) {
    this.response = this.#send(outgoing, process, platform);
  }

  async #send(outgoing: OutgoingRequest, process: SimulatedProcess, platform: Platform): Promise<TransportResponse> {
    const { endpoint, url, headers, signal } = outgoing;
    const body = typeof outgoing.body === 'string' ? outgoing.body : null;
    try {
      const request = new Request(url, { method: endpoint.method, headers, body, signal });
      return received(await process.fetch(request, process));
    } catch (error) {
      if (platform.connectErrorOf(error)) this.delivery = 'never';
      throw error instanceof TypeError ? networkError(error) : error;
    }
  }
}

/** A response to read. The text of most is known. */
function received(response: Response): TransportResponse {
  if (!(response instanceof JsonResponse)) return new FetchResponse(response, false);
  const { status, headers, content } = response;
  return {
    status,
    headers: { get: (name) => headers.get(name), toHeaders: () => headers },
    text: (most) => Promise.resolve({ text: content.slice(0, most), isTruncated: Buffer.byteLength(content) > most }),
    stream: () => null,
  };
}
