// As it was at import time, so that fake timers of tests do not stop the inbox. Workers have none, and use neither caller.
const { setImmediate: schedule } = globalThis;

/** Runs a function after the pending events of this turn of the event loop: what they ask for is then done together. */
export function atEndOfTurn(run: () => void): void {
  schedule(run);
}
