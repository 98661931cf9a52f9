import { TimeoutError } from '../errors/errors.js';
import { checkOptions } from '../options/resolve-options.js';
import { integerFrom, ofType, withMethods } from '../options/rules.js';

/** Options of `forEach` of a list. `T` is the type of an entry. */
export interface ForEachOptions<T = unknown> {
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
  /**
   * Called with the error of one entry, and the entry. If it returns, the others are worked through; if it throws, `forEach`
   * stops with that error. It is not called for an error of the list, nor after the signal has aborted.
   *
   * @default the first error stops `forEach`
   */
  readonly onError?: ((error: unknown, entry: T) => unknown) | undefined;
}

/** @throws {InvalidInputError} when an option is unknown or wrong. */
export function checkForEach<T>(options: ForEachOptions<T>): ForEachOptions<T> {
  return checkOptions(options, {
    concurrency: integerFrom(1),
    signal: withMethods('addEventListener'),
    onError: ofType('function'),
  });
}

/**
 * Calls a function for each entry, in their order, at most `concurrency` at the same time.
 *
 * @returns the number of entries whose work had no error
 */
export async function forEachOf<T>(
  entries: AsyncIterable<T> | Iterable<T>,
  work: (entry: T, context: { readonly signal: AbortSignal }) => unknown,
  { concurrency = 1, signal: given, onError }: ForEachOptions<T>,
): Promise<number> {
  const started: { readonly entry: T; isDone: boolean }[] = [];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const deadline = new AbortController();
  const signal = given ? AbortSignal.any([given, deadline.signal]) : deadline.signal;
  const onFailure = async (error: unknown, entry: T): Promise<void> => {
    if (!onError || signal.aborted) throw error;
    await onError(error, entry);
  };
  const start = (entry: T): void => {
    const state = { entry, isDone: false };
    started.push(state);
    const run = async (): Promise<void> => {
      await work(entry, { signal });
      state.isDone = true;
    };
    const own = run()
      .catch((error: unknown) => onFailure(error, entry))
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
  const done = started.flatMap(({ entry, isDone }) => (isDone ? [entry] : []));
  if (failures.length === 0) return done.length;
  throw withDone(failures[0], done);
}

/** Adds what was done to an error of any origin. A value that cannot hold it is thrown as it is. */
function withDone(error: unknown, done: readonly unknown[]): unknown {
  if (typeof error === 'object' && error !== null)
    Reflect.defineProperty(error, 'done', { value: done, configurable: true });
  return error;
}
