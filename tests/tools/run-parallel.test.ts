import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scripts-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function run(scripts: Record<string, string>, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
  const program = join(import.meta.dirname, '../../tools/run-parallel.mjs');
  return spawnSync(process.execPath, [program, ...Object.keys(scripts)], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

describe('npm scripts that run in parallel', () => {
  test('what takes long is named from time to time, until it ends', () => {
    // Windows has no program that waits.
    const wait = (ms: number): string => `node -e "setTimeout(() => {}, ${ms})"`;
    const { status, stdout } = run({ long: wait(1500), longer: wait(3000) }, { PROGRESS_MS: '100' });
    expect(stdout).toMatch(/^running: long, longer \(\d+\.\d s\)$/m);
    const afterLong = stdout.slice(stdout.indexOf('passed: npm run long ('));
    expect(afterLong).toMatch(/^running: longer \(/m);
    expect(afterLong).not.toContain('running: long,');
    expect(status).toBe(0);
  });

  test('a script that passes is one line; one that fails is shown with its output, stops no other, and fails the run', () => {
    const { status, stdout, stderr } = run({
      wrong: 'echo line 7 && echo is wrong >&2 && exit 3',
      right: 'echo a lot of text',
    });
    expect(stdout).toMatch(/^passed: npm run right \(\d+\.\d s\)$/m);
    expect(stdout + stderr).not.toContain('a lot of text');
    expect(stderr).toMatch(/^failed: npm run wrong \(.+\)$/m);
    expect(stderr).toMatch(/^line 7$/m);
    expect(stderr).toMatch(/^is wrong$/m);
    expect(stderr).toMatch(/Failed: npm run wrong\n$/);
    expect(status).toBe(1);
  });
});
