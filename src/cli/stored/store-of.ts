import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../core/json/plain-object.js';
import { sqliteStore } from '../../work/sqlite-store.js';
import { storeRule } from '../../work/store-rule.js';
import type { Shelf } from '../../work/works.js';
import { CliError } from '../errors.js';

/**
 * Returns the store that a path names: a file of a `sqliteStore`, or a module that exports any store.
 *
 * @throws {CliError} when a module cannot be imported, or exports no store
 */
export async function storeOf(path: string): Promise<Shelf> {
  if (!/\.[cm]?[jt]s$/.test(path)) return sqliteStore(path);
  const module = await (import(pathToFileURL(resolve(path)).href) as Promise<unknown>).catch((error: unknown) => {
    const { code, message } = error as { code?: string; message?: string };
    throw new CliError(`cannot import ${path}: ${code ?? message ?? String(error)}`);
  });
  const exported = exportsOf(module).find((each) => storeRule(each) === undefined);
  if (exported !== undefined) return exported as Shelf;
  throw new CliError(
    `${path} exports no store; export what sqliteStore, postgresStore, memoryStore or bullmq returns, as \`store\``,
  );
}

/** What a module exports, `store` first. A CommonJS module is its default export. */
function exportsOf(module: unknown): readonly unknown[] {
  const { default: main, ...named } = module as Readonly<Record<string, unknown>>;
  const all = { ...(isObject(main) && main), ...named };
  return [all.store, main, ...Object.values(all)];
}
