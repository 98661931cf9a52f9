/** Waits, or until a signal aborts. Leaves no timer or listener behind. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stopListening?.();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const stopListening = signal && onAbort(signal, end);
  });
}

/**
 * Calls a function of the user whose result is not awaited. An observer must not make a call fail or end the process, so
 * its errors are ignored, also those of an asynchronous function.
 */
export function ignoreErrors(callback: () => unknown): void {
  try {
    const returned = callback();
    if (returned !== undefined) Promise.resolve(returned).catch(() => undefined);
  } catch {
    // See above.
  }
}

/** The listeners of a signal. */
interface Listeners {
  readonly all: Set<() => void>;
  readonly notify: () => void;
}

/** The signals that calls listen to now. One whose call never ends is not kept. */
const listenersOf = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls a listener when a signal aborts, and returns a function that removes it.
 *
 * The platform searches all listeners of a signal when one is added or removed. So a signal that many calls share has
 * only one, which calls the others.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  listeners.all.add(listener);
  return () => {
    if (!listeners.all.delete(listener) || listeners.all.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener('abort', listeners.notify);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>();
  const listeners = { all, notify: () => all.forEach((listener) => listener()) };
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', listeners.notify);
  return listeners;
}
