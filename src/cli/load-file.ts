import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Schema } from '../core/schema/schema.js';
import { readAs } from '../testing/seed/read-as.js';
import { CliError } from './errors.js';
import { withLocation } from './with-location.js';

/** Reads a file that an option names, and checks its content. @throws {CliError} with one line per problem */
export async function loadFile<T>(kind: string, path: string, schema: Schema<T, unknown>): Promise<T> {
  const content = await readContent(kind, path).catch((error: unknown) => {
    const { code } = error as { code?: string };
    if (code === 'ENOENT') throw new CliError(`the ${kind} file ${path} does not exist`);
    if (error instanceof SyntaxError) throw new CliError(`${path} is not valid JSON: ${error.message}`);
    throw new CliError(`cannot read ${path}: ${code ?? String(error)}`);
  });
  return withLocation(path, () => readAs(schema, content));
}

/** Reads JSON, or a module's default export or export of this name: `.js`, `.mjs`, `.ts` or `.mts`. Rejects when it cannot be read. */
async function readContent(kind: string, path: string): Promise<unknown> {
  // Reading it first gives a missing module the same error as a missing file.
  const text = await readFile(path, 'utf8');
  if (!/\.m?[jt]s$/.test(path)) return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  const module = (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>;
  return module.default ?? module[kind];
}
