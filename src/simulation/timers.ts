import { AsyncResource } from 'node:async_hooks';
import { promisify } from 'node:util';
import { wait } from '../core/scope/wait.js';
import { currentProcess } from './process.js';
import { VirtualTimer } from './virtual-time.js';

type TimerCallback = (...args: unknown[]) => unknown;
type SetTimer = (callback: TimerCallback, delayMs?: number, ...args: unknown[]) => unknown;
type ClearTimer = (timer: unknown) => void;

/** The options of the functions of `node:timers/promises`. */
interface WaitOptions {
  readonly signal?: AbortSignal;
}

/** `setTimeout` or `setInterval`: of the virtual time in a simulated process, else the one that was there. */
export function setTimer(original: SetTimer, repeats: boolean): SetTimer {
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
export function clearTimer(original: ClearTimer): ClearTimer {
  return (timer) => {
    if (timer instanceof VirtualTimer) timer.close();
    else original(timer);
  };
}

/** `setTimeout` of `node:timers/promises`. */
export async function delay<T>(ms = 0, value?: T, { signal }: WaitOptions = {}): Promise<T> {
  await wait(ms, signal);
  if (!signal?.aborted) return value as T;
  const error = new Error('The operation was aborted', { cause: signal.reason });
  throw Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

/** `setInterval` of `node:timers/promises`. */
export async function* ticks<T>(ms?: number, value?: T, options?: WaitOptions): AsyncGenerator<T> {
  for (;;) yield await delay(ms, value as T, options);
}

/** `AbortSignal.timeout`. */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}
