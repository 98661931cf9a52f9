import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../core/json/plain-object.js';
import { openInbox } from '../../notifications/open-inbox.js';
import type { QueuedNotification } from '../../notifications/queued-notification.js';
import { sqliteStore } from '../../notifications/stores/sqlite.js';
import type { NotificationStore } from '../../notifications/stores/store.js';
import type { Command } from '../command.js';
import { CliError } from '../errors.js';
import { storedCommand } from '../stored/stored-command.js';

/** `inbox`: shows and changes what an inbox of notifications holds, while its receivers run. */
export const inbox: Command = storedCommand(
  {
    name: 'inbox',
    summary: `Shows and changes the notifications of an inbox while its receivers run: counts them (stats), lists those
that wait with their attempts, last error and next attempt (waiting), and those that were given up (dead), has them
handled again (replay) or now (retry-now), and removes them. FILE is the file of a sqliteStore, or a .js, .mjs, .cjs
or .ts module that exports a \`store\` or a \`queue\`. A file is neither created nor migrated.`,
  },
  async (path) => ({
    ...openInbox(await storeOf(path)),
    columnsOf: ({ notification: { topic, user_id, resource } }: QueuedNotification) => ({ topic, user_id, resource }),
  }),
);

/** What a module may export. */
interface Exports {
  readonly store?: unknown;
  readonly queue?: unknown;
}

/** @throws {CliError} when a module cannot be imported, or exports no store */
async function storeOf(path: string): Promise<NotificationStore> {
  if (!/\.[cm]?[jt]s$/.test(path)) return sqliteStore({ path });
  const module = (await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    const { code, message } = error as { code?: string; message?: string };
    throw new CliError(`cannot import ${path}: ${code ?? message ?? String(error)}`);
  })) as Exports & { readonly default?: Exports };
  const { default: main } = module;
  // A CommonJS module is its default export.
  const exported = [main, module.store, module.queue, main?.store, main?.queue].find(
    (each) => isObject(each) && 'add' in each,
  );
  if (exported === undefined) throw new CliError(`${path} must export a store or a queue as default, store or queue`);
  return exported as NotificationStore;
}
