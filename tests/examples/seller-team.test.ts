import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('the guide quotes the program as it stands, which has at most 350 lines', () => {
  const text = readFileSync(join(root, 'examples/seller-team.ts'), 'utf8');
  const page = readFileSync(join(root, 'docs/guide/seller-team.md'), 'utf8');
  const quoted = [...page.matchAll(/^```ts quoted\n([^]*?)^```/gm)].map(([, code = '']) => code);
  const words = (code: string): string => code.replaceAll(/\s+/g, ' ').trim();
  expect(quoted.length).toBeGreaterThan(5);
  expect(quoted.filter((code) => !words(text).includes(words(code)))).toEqual([]);
  expect(text.split('\n').length).toBeLessThanOrEqual(350);
  expect(page.split('\n').length).toBeLessThanOrEqual(170);
});
