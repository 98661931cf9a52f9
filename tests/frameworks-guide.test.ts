import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const consumers = join(root, 'tests/consumers');
const guide = readFileSync(join(root, 'docs/guide/frameworks.md'), 'utf8');
const shown = [...guide.matchAll(/^#+ (.+)$|^```(?:ts|js) consumer\n([\s\S]*?)^```/gm)];

/** The code of a file without imports, comments and layout: a page has shorter lines than a file. */
function bare(code: string): string {
  return code
    .replace(/^import [\s\S]*?;$|^ *\/[/*].*$/gm, '')
    .replace(/\s+/g, '')
    .replace(/,(?=[)}\]])/g, '');
}

const files = readdirSync(consumers, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|js)$/.test(path))
  .map((path) => bare(readFileSync(join(consumers, path), 'utf8')));

test.each(['Express', 'Fastify', 'Nest', 'Next.js', 'Koa and Hono', 'Workers', 'Lambda'])(
  'the code for %s is that of a project that is installed and run',
  (framework) => {
    const from = shown.findIndex(([, heading]) => heading === framework);
    const following = shown.slice(from + 1);
    const to = following.findIndex(([, heading]) => heading !== undefined);
    const blocks = following.slice(0, to).map(([, , code = '']) => bare(code));
    expect(blocks).not.toEqual([]);
    expect(blocks.filter((block) => !files.some((file) => file.includes(block)))).toEqual([]);
  },
);
