/**
 * Runs a function after the pending events of this turn of the event loop: what they ask for is then done together. It is
 * `setImmediate` as it was at import time, so that fake timers of tests do not stop the inbox. Workers have none, and do not call it.
 */
export const { setImmediate: atEndOfTurn } = globalThis;
