import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

/** Gives the whole run a temporary folder of its own. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'tests-'));
  process.env.TMPDIR = folder;
  // The compiler and the linter, where a test starts them, keep compiled code in the temporary folder.
  process.env.NODE_DISABLE_COMPILE_CACHE = '1';
}

/** Fails the run when a test has left something in the temporary folder. */
export function teardown(): void {
  const left = readdirSync(folder);
  rmSync(folder, { recursive: true, force: true });
  if (left.length > 0) throw new Error(`The tests left files in the temporary folder: ${left.join(', ')}`);
}
