import { readFileSync, writeFileSync } from 'node:fs';
import { here } from '../measure.ts';

const part = /^(?=#+ Results of )/m;

/** Replaces the part of `bench/soak.md` with the same heading, and keeps the other part. */
export function writePart(text: string): void {
  const [heading] = text.split('\n', 1);
  const parts = readFileSync(here('soak.md'), 'utf8').split(part);
  const others = parts.filter((each) => !each.startsWith(`${heading}\n`));
  const all = [...others, text].sort((a, b) => a.indexOf(' ') - b.indexOf(' '));
  writeFileSync(here('soak.md'), `${all.map((each) => each.trim()).join('\n\n')}\n`);
}
