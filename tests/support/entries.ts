import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  name: string;
  exports: Readonly<Record<string, unknown>>;
};
const folders = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'));

/** What users can import, by the name they import it under. */
export const entries: Readonly<Record<string, object>> = Object.fromEntries(
  await Promise.all(
    folders.map(async (name) => {
      // The fake has a second name, for pages.
      const path = name === './testing/browser' ? './testing' : name;
      const file = existsSync(join(import.meta.dirname, '../../src', `${path}.ts`)) ? `${path}.ts` : `${path}/index.ts`;
      const module = (await import(join('../../src', file))) as object;
      return [manifest.name + name.slice(1), module] as const;
    }),
  ),
);
