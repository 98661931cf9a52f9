import { TimeoutError } from '../errors/errors.js';
import { checkOptions } from '../options/resolve-options.js';
import { integerFrom, withMethod } from '../options/rules.js';

/** Options of `forEach` of a list. */
export interface ForEachOptions {
  /**
   * How many entries are worked on at the same time.
   *
   * @default 1
   */
  readonly concurrency?: number | undefined;
  /**
   * Starts no further entry when it aborts. The signal that the function receives aborts then, too, and at the deadline of the
   * list.
   *
   * @default the signal of the list
   */
  readonly signal?: AbortSignal | undefined;
}

/** @throws {InvalidInputError} when an option is unknown or wrong. */
export function checkForEach(options: ForEachOptions): ForEachOptions {
  return checkOptions(options, { concurrency: integerFrom(1), signal: withMethod('addEventListener') });
}

/**
 * Calls a function for each entry, in their order, at most `concurrency` at the same time.
 *
 * @returns the number of entries
 */
export async function forEachOf<T>(
  entries: AsyncIterable<T>,
  work: (entry: T, context: { readonly signal: AbortSignal }) => unknown,
  concurrency: number,
  given?: AbortSignal,
): Promise<number> {
  const started: { readonly entry: T; isDone: boolean }[] = [];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const deadline = new AbortController();
  const signal = given ? AbortSignal.any([given, deadline.signal]) : deadline.signal;
  const start = (entry: T): void => {
    const state = { entry, isDone: false };
    started.push(state);
    const run = async (): Promise<void> => {
      await work(entry, { signal });
      state.isDone = true;
    };
    const own = run()
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(own));
    running.add(own);
  };
  try {
    for await (const entry of entries) {
      // One may have failed while the next page was requested.
      if (failures.length === 0) start(entry);
      while (running.size >= concurrency && failures.length === 0) await Promise.race(running);
      if (failures.length > 0) break;
    }
  } catch (error) {
    failures.push(error);
    if (error instanceof TimeoutError) deadline.abort(error);
  }
  // What has begun may be a write: it is not abandoned, and counts as done if it succeeds.
  await Promise.all(running);
  if (failures.length === 0) return started.length;
  const done = started.flatMap(({ entry, isDone }) => (isDone ? [entry] : []));
  throw withDone(failures[0], done);
}

/** Adds what was done to an error of any origin. A value that cannot hold it is thrown as it is. */
function withDone(error: unknown, done: readonly unknown[]): unknown {
  if (typeof error === 'object' && error !== null)
    Reflect.defineProperty(error, 'done', { value: done, configurable: true });
  return error;
}
