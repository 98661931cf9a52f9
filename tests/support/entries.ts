import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  name: string;
  exports: Readonly<Record<string, unknown>>;
};
// The fake has a second name, for pages.
const folders = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json') && path !== './testing/browser');

/** What users can import, by the name they import it under. */
export const entries: Readonly<Record<string, object>> = Object.fromEntries(
  await Promise.all(
    folders.map(async (path) => {
      const file = existsSync(join(import.meta.dirname, '../../src', `${path}.ts`)) ? `${path}.ts` : `${path}/index.ts`;
      const module = (await import(join('../../src', file))) as object;
      return [manifest.name + path.slice(1), module] as const;
    }),
  ),
);
