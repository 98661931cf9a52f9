import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Reads a seed: JSON, or the default export of a `.js`, `.mjs`, `.ts` or `.mts` module. Rejects when it cannot be read. */
export async function readSeed(path: string): Promise<unknown> {
  // Reading it first gives a missing module the same error as a missing file.
  const text = await readFile(path, 'utf8');
  if (!/\.m?[jt]s$/.test(path)) return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  const module = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown };
  return module.default;
}
