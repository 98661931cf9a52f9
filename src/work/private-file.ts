import { nodeModule } from '../core/scope/node-module.js';

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
  if (!fs || isInMemory || fs.existsSync(file)) return;
  try {
    fs.closeSync(fs.openSync(file, 'a', 0o600));
  } catch {
    // SQLite says why the file cannot be created.
  }
}
