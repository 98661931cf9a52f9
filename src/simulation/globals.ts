import { platform } from '#platform';
import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import nodeTimers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { format } from 'node:util';
import { nodeModule } from '../core/scope/node-module.js';
import { withBody } from '../testing/http/respond.js';
import { trackedDatabase } from './databases.js';
import { currentProcess } from './process.js';
import { digest, randomBytes, randomFill, randomInt, randomUuid } from './randomness.js';
import { clearTimer, delay, setTimer, ticks, timeoutSignal } from './timers.js';
import { simulatedTransport } from './transport.js';

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
