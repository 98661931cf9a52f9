/**
 * Calls a function of the user whose result is not awaited. An observer must not make a call fail or end the process, so
 * its errors are ignored, also those of an asynchronous function.
 */
export function ignoreErrors(callback: () => unknown): void {
  (async () => await callback())().catch(() => undefined);
}
