import { ConfigurationError } from '../core/errors/errors.js';
import { nodeModule } from '../core/scope/node-module.js';
import { LayoutError } from './store.js';

/**
 * Creates the file of a database, so that only its user can read it: SQLite alone would let everybody. What SQLite puts beside it
 * (`-wal`, `-shm`) gets the same mode. A file that exists keeps its mode, because several users may share it.
 *
 * An existing file is not even opened: to close it would end the locks that SQLite has on it in this process.
 *
 * @param path As SQLite takes it: also a URI (`file:`), or a database in memory.
 */
export function createPrivateFile(path: string): void {
  const fs = nodeModule('node:fs');
  const isInMemory = /^(?:file:)?:memory:|^file:.*[?&]mode=memory|^$/.test(path);
  const uri = /^file:(?:\/\/[^/]*)?([^?#]*)/.exec(path)?.[1];
  const file = uri === undefined ? path : decodeURIComponent(uri);
  if (isInMemory) return;
  warnOfFault(process.versions.sqlite);
  if (!fs || fs.existsSync(file)) return;
  try {
    fs.closeSync(fs.openSync(file, 'a', 0o600));
  } catch {
    // SQLite says why the file cannot be created.
  }
}

/** The first SQLite whose log stays whole when several processes use one file. */
const soundVersion = '3.51.3';
let hasWarned = false;

/** Says once in a process that its SQLite may damage a file that several processes use. */
function warnOfFault(version: string | undefined): void {
  if (hasWarned || version === undefined) return;
  const isSound = version.localeCompare(soundVersion, 'en', { numeric: true }) >= 0;
  if (isSound) return;
  hasWarned = true;
  process.emitWarning(
    `SQLite ${version} of Node.js ${process.versions.node} may damage a file that several processes use; it is mended in ` +
      `SQLite ${soundVersion}: use Node.js 22.22.3, 24.15 or later, or one process for each file`,
    { type: 'MarketplaceSellerWarning', code: 'SQLITE_LOG' },
  );
}

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
    return {
      reason,
      remedy: '; the file is damaged or not a SQLite database: move it away, and restore it from a backup',
    };
  }
  if (isBusy(cause)) return { reason, remedy: `; another process has locked it for ${lockTimeoutMs} ms` };
  return { reason, remedy: '; its folder must exist and be writable' };
}

/** Whether a file can be opened by no attempt: it is of another layout, or no database. */
export function isOfLayout(cause: unknown): boolean {
  const code = resultCode(cause);
  return cause instanceof LayoutError || code === SQLITE_NOTADB || code === SQLITE_CORRUPT;
}
