import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Returns what gives paths in a folder for the tests of one file, which is deleted after them: of a name, or of a new database. */
export function newFiles(): (name?: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return (name = `${(files += 1)}.db`) => join(folder, name);
}
