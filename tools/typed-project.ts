import { mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a temporary folder whose files are compiled with the settings of this repository: they import the package by its
 * name, and what is installed. Its caller removes it.
 *
 * @param files The texts by their names.
 */
export function createTypedProject(root: string, files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'typed-project-')));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const include = ['*.ts', join(root, 'src/**/*.d.ts')];
  const own = {
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({ extends: join(root, 'tsconfig.json'), include, exclude: [] }),
  };
  for (const [name, text] of Object.entries({ ...files, ...own })) writeFileSync(join(folder, name), text);
  return folder;
}
