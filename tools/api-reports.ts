import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file name of each report on what an entry declares, and the declaration of its entry. */
export function reports(): Map<string, string> {
  const manifest = readFileSync(join(dirname(import.meta.dirname), 'package.json'), 'utf8');
  const { exports } = JSON.parse(manifest) as { exports: Record<string, { import?: { types: string } }> };
  const found = new Map<string, string>();
  for (const [path, { import: entry }] of Object.entries(exports)) {
    // A second name of an entry declares nothing of its own.
    const isKnown = entry === undefined || [...found.values()].includes(entry.types);
    if (!isKnown) found.set(`${path.slice(2).replaceAll('/', '-') || 'index'}.api.md`, entry.types);
  }
  return found;
}
