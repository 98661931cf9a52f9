import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moduleVariables } from '../tools/module-variables.ts';

const root = join(import.meta.dirname, '..');

function read(pattern: string): Map<string, string> {
  const files = globSync(pattern, { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

test('each variable of a module that can change has its owner and reason in a table, and each row its variable', () => {
  const tests = [...read('tests/**/*.ts')].filter(([, text]) => text.includes('/src/'));
  const found = moduleVariables(read('src/**/*.ts'), new Map(tests));
  const rooms = found.map(({ file, name }) => `${file.split('/')[1] ?? ''} ${name}`);
  const page = readFileSync(join(root, 'docs/decisions/what-a-module-remembers.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` `([\w.#]+)` +\| +([^|]+?) +\| +([^|]+?) +\|$/gm)];
  expect(new Set(rooms)).toEqual(new Set(rows.map(([, room = '', name = '']) => `${room} ${name}`)));
  expect(rows.filter(([, , , owner = '', reason = '']) => owner.length < 3 || reason.length < 5)).toEqual([]);
});

describe('a variable of a module can change if it is', () => {
  const namesIn = (text: string, others: Record<string, string> = {}): string[] => {
    const found = moduleVariables(new Map([['src/a.ts', text]]), new Map(Object.entries(others)));
    return found.map(({ name }) => name);
  };

  test.each([
    'let a = 0;',
    'export let a: number | undefined;',
    'var a = 1;',
    'const a = new Map<string, number>();',
    'export const a = new WeakMap<object, string>() as never;',
    'const a = new FifoMap<string>(10);',
    "const a = new Set(['b']); function f() { a.add('c'); }",
    'const a: string[] = []; export const f = () => a.push("b");',
    'const a = { b: 1 }; function f() { a.b += 1; }',
    'const a = { b: { c: 1 } }; function f() { a.b.c++; }',
    'const a = [1]; function f() { a[0] = 2; }',
    'const a = { b: 1 }; function f() { delete a.b; }',
    'const a = { b: 1 }; function f() { Object.assign(a, { b: 2 }); }',
    'const a = ofProcess(() => 1);',
  ])('%s', (text) => {
    expect(namesIn(text)).toEqual(['a']);
  });

  test.each(['static b = 0', 'static readonly b = new Map()', 'static #b: number | undefined'])(
    'a field of a class: %s',
    (field) => expect(namesIn(`class A { ${field}; }`)).toEqual([expect.stringMatching(/^A\.#?b$/)]),
  );

  test('a constant that another file changes', () => {
    const change = "import { a as b } from '../src/a.js';\nb.c = 2;";
    expect(namesIn('export const a = { c: 1 };', { 'tests/b.ts': change })).toEqual(['a']);
    expect(namesIn('export const a = { c: 1 };', { 'tests/b.ts': change.replace('b.c = 2', 'f(b.c)') })).toEqual([]);
  });

  test.each([
    'const a = 1;',
    "const a = new Set(['b']); const f = (b: string) => a.has(b);",
    "const a = new Map([['b', 1]]);",
    'const a = { b: 1 } as const;',
    'class A { static readonly b = 1; c = 0; }',
    'function f() { let a = 0; a += 1; const b = new Map(); b.set(1, 2); return a; }',
  ])('and not if it is %s', (text) => {
    expect(namesIn(text)).toEqual([]);
  });
});
