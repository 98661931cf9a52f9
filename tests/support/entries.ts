import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  name: string;
  exports: Readonly<Record<string, string | { import: { types: string } }>>;
};

/** What users can import, by the name they import it under. */
export const entries: Readonly<Record<string, object>> = Object.fromEntries(
  await Promise.all(
    Object.entries(manifest.exports).flatMap(([path, target]) =>
      typeof target === 'string' ? [] : [load(path, target)],
    ),
  ),
);

/** The declarations of an entry lie in `dist/esm` as its source lies in `src`. */
async function load(path: string, target: { import: { types: string } }): Promise<readonly [string, object]> {
  const file = target.import.types.replace('./dist/esm/', '').replace(/\.d\.ts$/, '.ts');
  const module = (await import(join('../../src', file))) as object;
  return [manifest.name + path.slice(1), module];
}
