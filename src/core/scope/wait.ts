import { onAbort } from './abort-listeners.js';

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
