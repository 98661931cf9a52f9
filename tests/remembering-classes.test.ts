import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rememberingClasses } from '../tools/remembering-classes.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/decisions/what-a-class-remembers.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(\w+)` ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\| `(tests\/[^`]+)` +\|$/gm)].map(
  ([, room = '', names = '', life = '', what = '', file = '']) => {
    return { room, names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name), life, what, file };
  },
);

/** The fake, the simulation and the program end with what they are asked for. */
const leftOut = ['testing', 'simulation', 'cli'];

test('each class that remembers has a row in a table, and each row its classes', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  const found = rememberingClasses(new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])))
    .map(({ file, name }) => ({ room: /^src\/(\w+)/.exec(file)?.[1] ?? '', name }))
    .filter(({ room }) => !leftOut.includes(room));
  const named = rows.flatMap(({ room, names }) => names.map((name) => `${room} ${name}`));
  expect(named.toSorted()).toEqual(found.map(({ room, name }) => `${room} ${name}`).toSorted());
  expect(rows.filter(({ life, what }) => life.length < 5 || what.length < 8)).toEqual([]);
});

test.each(rows)('$names is tried by $file, which is there and, where it is a model, plays it', ({ names, file }) => {
  expect(existsSync(join(root, file))).toBe(true);
  if (!file.startsWith('tests/memory/')) return;
  const text = readFileSync(join(root, file), 'utf8');
  const played = [...text.matchAll(/remembering<\w+>\(\s*'([^']+)'/g)].map(([, classes = '']) => classes);
  const inTable = [...text.matchAll(/: '([\w ,]+)',$/gm)].map(([, classes = '']) => classes);
  const all = [...played, ...inTable].flatMap((classes) => classes.split(', '));
  expect(all).toEqual(expect.arrayContaining(names));
});

test.each([
  ['class A { #a = 0; }', ['A']],
  ['class A { readonly #a = new Map<string, number>(); }', ['A']],
  ['class A { readonly #a: string[] = []; }', ['A']],
  ['export function a() { let b = 0; return { next: () => (b += 1) }; }', ['a']],
  ['function a() { const b = new Map(); return (c) => b.set(c, 1); }', ['a']],
  ['class A { readonly #a: number; constructor() { this.#a = 1; } }', []],
  ["class A { readonly #a = new Map([['b', 1]]); static c = 1; }", []],
  ['function a() { let b = 0; b += 1; return b; }', []],
  ['function a() { const b = [1]; return () => b.map((c) => c); }', []],
])('%s', (text, names) => {
  expect(rememberingClasses(new Map([['src/core/a.ts', text]])).map(({ name }) => name)).toEqual(names);
});
