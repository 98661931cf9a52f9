import type { Logger } from 'marketplace-seller-sdk';

/** A wait as a logger is told of it. */
export interface LoggedWait {
  readonly endpoint: string;
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
}

/** A logger that passes each wait on. */
export function waitLogger(onWait: (wait: LoggedWait) => void): Logger {
  const ignore = (): void => undefined;
  const info = (_: string, fields?: object): void => {
    if (fields && 'waitMs' in fields) onWait(fields as LoggedWait);
  };
  return { debug: ignore, info, warn: ignore, error: ignore };
}
