import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

/** For each rule that has found something here: a fault that it must name. */
const faults: Record<string, string> = {
  eqeqeq: `export const isNone = (value: unknown): boolean => value == null;`,
  'max-lines': Array.from({ length: 401 }, (_, line) => `export const line${line} = ${line};`).join('\n'),
  'no-console': `export const tell = (): void => { console.log('told'); };`,
  'no-restricted-exports': `export default 1;`,
  'no-restricted-imports': `import { z } from 'zod';\nexport const schema = z.string();`,
  'no-unused-vars': `const unused = 1;`,
  'prefer-const': `export function one(): number { let value = 1; return value; }`,
  'regexp/no-super-linear-backtracking': `export const slow = /^(a+)+$/;`,
  'regexp/no-super-linear-move': `export const slow = /\\s+$/;`,
  'typescript/await-thenable': `export async function wait(): Promise<void> { await 1; }`,
  'typescript/consistent-type-imports': `import { Stats } from 'node:fs';\nexport const stats: Stats[] = [];`,
  'typescript/explicit-module-boundary-types': `export function one() { return 1; }`,
  'typescript/no-base-to-string': 'export const text = (value: object): string => `${String(value)}`;',
  'typescript/no-confusing-void-expression': `export const told: unknown = [1].forEach(() => undefined);`,
  'typescript/no-deprecated': `/** @deprecated */\nfunction old(): void { return; }\nexport const call = (): void => { old(); };`,
  'typescript/no-explicit-any': `export const one: any = 1;`,
  'typescript/no-floating-promises': `export function start(): void { Promise.resolve(1); }`,
  'typescript/no-misused-promises': `export const all = (): void => { [1].forEach(async () => { await Promise.resolve(); }); };`,
  'typescript/no-non-null-assertion': `export const first = (list: number[]): number => list[0]!;`,
  'typescript/no-redundant-type-constituents': `export type Any = unknown | string;`,
  'typescript/no-unnecessary-condition': `export const has = (list: number[]): boolean => (list ? true : false);`,
  'typescript/no-unnecessary-type-assertion': `export const one = (value: number): number => value as number;`,
  'typescript/no-unnecessary-type-parameters': `export const size = <T>(list: readonly T[]): number => list.length;`,
  'typescript/no-unsafe-assignment': `export const read = (text: string): unknown => { const value = JSON.parse(text); return value; };`,
  'typescript/no-unsafe-member-access': `export const read = (text: string): unknown => JSON.parse(text).field;`,
  'typescript/only-throw-error': `export function fail(): never { throw 'text'; }`,
  'typescript/prefer-nullish-coalescing': `export const or = (value: string | undefined): string => value || 'none';`,
  'typescript/prefer-optional-chain': `export const id = (value?: { id: number }): unknown => value && value.id;`,
  'typescript/require-await': `export async function one(): Promise<number> { return 1; }`,
  'typescript/restrict-plus-operands': `export const sum = (value: { id: number }): string => value + 'text';`,
  'typescript/restrict-template-expressions': 'export const text = (value: unknown[]): string => `${value}`;',
  'typescript/return-await': `export async function one(): Promise<number> { try { return Promise.resolve(1); } catch { return await Promise.resolve(2); } }`,
  'typescript/switch-exhaustiveness-check': `export function name(value: 'a' | 'b'): string { switch (value) { case 'a': return 'a'; } return ''; }`,
  'typescript/unbound-method': `class A { one(): number { return 1; } }\nexport const { one } = new A();`,
  'typescript/use-unknown-in-catch-callback-variable': `export const quiet = (): Promise<unknown> => Promise.reject(new Error('x')).catch((error) => error);`,
};

const root = join(import.meta.dirname, '..');
let named: Map<string, Set<string>>;

// A project of its own with the same settings: other tests read `src` meanwhile.
beforeAll(async () => {
  const project = mkdtempSync(join(tmpdir(), 'seeded-faults-'));
  mkdirSync(join(project, 'src'));
  for (const settings of ['.oxlintrc.json', 'tsconfig.json'])
    copyFileSync(join(root, settings), join(project, settings));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction');
  for (const [rule, code] of Object.entries(faults)) writeFileSync(join(project, 'src', fileOf(rule)), `${code}\n`);
  const bin = join(root, 'node_modules/oxlint/bin/oxlint');
  const run = promisify(execFile)(process.execPath, [bin, '--format', 'json', 'src'], { cwd: project });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  rmSync(project, { recursive: true });
  named = new Map();
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  for (const { code, filename } of diagnostics) {
    const rule = code.replace(/^eslint\((.*)\)$/, '$1').replace(/^(\w+)\((.*)\)$/, '$1/$2');
    const file = filename.split(/[\\/]/).at(-1) ?? '';
    named.set(file, (named.get(file) ?? new Set()).add(rule));
  }
});

test.each(Object.keys(faults))('%s names its fault', (rule) => {
  expect([...(named.get(fileOf(rule)) ?? [])]).toContain(rule);
});

function fileOf(rule: string): string {
  return `${rule.replace('/', '-')}.ts`;
}
