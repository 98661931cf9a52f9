/** A handler that does nothing. */
export const silent = () => {};

/** A logger that says nothing. */
export const silentLogger = { debug: silent, info: silent, warn: silent, error: silent };
