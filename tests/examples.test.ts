import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'examples');
// It needs a Redis, so tests/notifications/examples.test.ts runs it beside one.
const needsMore = new Set(['notifications-bullmq.ts']);
const programs = readdirSync(folder).filter((name) => name.endsWith('.ts') && !needsMore.has(name));

// Some examples save a file in the temporary folder when they are not told where.
const TMPDIR = mkdtempSync(join(tmpdir(), 'examples-'));
afterAll(() => rmSync(TMPDIR, { recursive: true }));

beforeAll(() => {
  const steps = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (steps.length > 0) throw new Error(`The examples use dist; first run: ${steps.join(', ')}`);
});

test.each(programs)('examples/%s runs to its end', (name) => {
  // Node.js 22 warns that SQLite is experimental.
  const env = {
    ...process.env,
    TMPDIR,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --disable-warning=ExperimentalWarning`,
  };
  const options = { cwd: root, encoding: 'utf8', env } as const;
  const { status, stderr } = spawnSync(process.execPath, [join(folder, name)], options);
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('the inbox bot answers for two sellers, refreshes each token once, and stops on SIGTERM', () => {
  const { stdout, status } = spawnSync(process.execPath, [join(folder, 'inbox-bot.ts')], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stdout.match(/seller 1001: question \d+ is answered/g)).toHaveLength(3);
  expect(stdout.match(/seller 1002: question \d+ is answered/g)).toHaveLength(3);
  expect(stdout.match(/is left for a person/g)).toHaveLength(2);
  expect(stdout).toContain('6 questions answered, 2 refreshes, exit code 0\n');
  expect(status).toBe(0);
});
