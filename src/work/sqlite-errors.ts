import { ConfigurationError } from '../core/errors/errors.js';

/** How long a write waits for other processes, in milliseconds. */
const lockTimeoutMs = 10_000;

/** Retries while another process holds the lock: after a few milliseconds at random, without blocking the event loop. */
export async function unlessBusy<R>(run: () => R): Promise<R> {
  const endsAt = performance.now() + lockTimeoutMs;
  for (let mostMs = 2; ; mostMs = Math.min(mostMs * 2, 8)) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error) || performance.now() > endsAt) throw error;
      const delayMs = 1 + Math.random() * mostMs;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** The primary result code of SQLite; `undefined` for other errors. */
function resultCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

/** Why a database cannot be opened, and what to do about it. */
export function explain(cause: unknown): { reason: string; remedy: string } {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof ConfigurationError) return { reason, remedy: '' };
  const code = resultCode(cause);
  if (code === undefined) return { reason, remedy: '; it needs Node 22.13 or later' };
  if (code === SQLITE_NOTADB || code === SQLITE_CORRUPT) {
    return { reason, remedy: '; the file is damaged or not a SQLite database: move it away' };
  }
  if (isBusy(cause)) return { reason, remedy: `; another process has locked it for ${lockTimeoutMs} ms` };
  return { reason, remedy: '; its folder must exist and be writable' };
}
