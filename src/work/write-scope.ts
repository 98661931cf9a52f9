import type { AsyncLocalStorage } from 'node:async_hooks';
import { nodeModule } from '../core/scope/node-module.js';
import { hookOfRun } from '../core/recover/write-hook.js';
import type { WriteHook } from '../core/recover/write-hook.js';

interface HookedRun {
  readonly hook: WriteHook;
  isOver: boolean;
}

let runs: AsyncLocalStorage<HookedRun> | undefined;

/**
 * Runs a function whose writes the hook decides about, also those of clients that the function did not get from the run, on
 * platforms that have `AsyncLocalStorage`. What is still running when the function has ended is no part of it: it may be a
 * timer that works for everybody.
 */
export async function runWithWrites<T>(hook: WriteHook, run: () => Promise<T>): Promise<T> {
  const Storage = nodeModule('node:async_hooks')?.AsyncLocalStorage;
  if (!Storage) return run();
  runs ??= new Storage<HookedRun>();
  hookOfRun.find = currentWriteHook;
  const current: HookedRun = { hook, isOver: false };
  try {
    return await runs.run(current, run);
  } finally {
    current.isOver = true;
  }
}

/** The hook of the run that is making a call; `undefined` outside. */
function currentWriteHook(): WriteHook | undefined {
  const current = runs?.getStore();
  return current?.isOver === false ? current.hook : undefined;
}
