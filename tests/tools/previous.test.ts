import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
let folder: string;

/** A package whose source has these lines, with a file of types that uses `answer`. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-'));
  mkdirSync(join(folder, 'tests/types'), { recursive: true });
  mkdirSync(join(folder, 'src'));
  cpSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'tests/types/use.ts'),
    "import { answer } from 'marketplace-seller-sdk';\nexport const text: string = answer(42);\n",
  );
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  source('export function answer(id: number): string { return String(id); }');
  git('init', '--quiet');
  commit();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function source(text: string): void {
  writeFileSync(join(folder, 'src/index.ts'), `${text}\n`);
}
function git(...args: string[]): void {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.example', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
}
function commit(): void {
  git('add', 'src', 'tests', 'tsconfig.json');
  git('commit', '--quiet', '-m', 'A state');
}
function checked(): { status: number | null; output: string } {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'tools/test-previous.mjs')], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: stdout };
}

describe('what compiled with the last release', () => {
  test('before the first release there is nothing to check', () => {
    expect(checked()).toMatchObject({
      status: 0,
      output: expect.stringContaining('No version has been released') as string,
    });
  });

  test('an addition still compiles', () => {
    git('tag', 'v1.2.0');
    git('tag', 'v1.10.0');
    source('export function answer(id: number | string, more?: boolean): string { return String(id) + String(more); }');
    expect(checked()).toEqual({ status: 0, output: 'The tests of v1.10.0 still compile\n' });
  });

  test('a removal does not compile, and its place is named', () => {
    git('tag', 'v1.0.0');
    source('export function reply(id: number): string { return String(id); }');
    const { status, output } = checked();
    expect(status).not.toBe(0);
    expect(output).toContain('tests/types/use.ts');
    expect(output).toContain("has no exported member 'answer'");
  });
});
