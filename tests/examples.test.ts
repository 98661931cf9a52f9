import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'examples');
// The first needs a Redis, so tests/notifications/examples.test.ts runs it beside one. The other is several processes, which
// tests/examples/seller-team.test.ts starts.
const needsMore = new Set(['notifications-bullmq.ts', 'seller-team.ts']);
const programs = readdirSync(folder).filter((name) => name.endsWith('.ts') && !needsMore.has(name));
const everything = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const [, shown = ''] = /\$ npm start\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/index.md'), 'utf8')) ?? [];
const shownOfTheDay = shown.split('\n').map((line) =>
  line
    .replace('…', '')
    .replace(/^ *\S+ /, '')
    .trim(),
);
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
// A program reads no variable without a default in another way than by `needed`.
const needy = everything.filter((name) => /\bneeded\(/.test(textOf(name)) && name !== 'environment.ts');

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
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, name)], options);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  // The first page of the documentation site shows a part of this.
  if (name === 'day.ts') expect(shownOfTheDay.filter((line) => !stdout.includes(line))).toEqual([]);
});

test('the inbox bot answers for two sellers, refreshes each token once, and stops on SIGTERM', () => {
  const { stdout, status } = spawnSync(process.execPath, [join(folder, 'inbox-bot.ts')], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stdout.match(/seller 1001: question \d+ is answered/g)).toHaveLength(3);
  expect(stdout.match(/seller 1002: question \d+ is answered/g)).toHaveLength(3);
  // A handler runs at least once: catching up may deliver a question whose notification was handled already.
  expect(new Set(stdout.match(/question \d+ is left for a person/g))).toHaveProperty('size', 2);
  expect(stdout).toContain('6 questions answered, 2 refreshes, exit code 0\n');
  expect(status).toBe(0);
});

test.each(needy)('examples/%s does not start without what it needs, and names each variable', (name) => {
  const run = (env: object): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, [join(folder, name)], {
      cwd: root,
      encoding: 'utf8',
      // The first versions of Node.js 22 run TypeScript only if an option says so.
      env: { ...env, NODE_ENV: 'test', NODE_OPTIONS: process.env.NODE_OPTIONS ?? '' },
    });
  const { status, stderr } = run({});
  expect(status).toBe(2);
  const names = stderr.match(/\b[A-Z]+(_[A-Z]+)+\b/g) ?? [];
  expect(names.length).toBeGreaterThan(0);
  const [opening = ''] = textOf(name).split(/^import /m);
  expect(names.filter((each) => !opening.includes(each))).toEqual([]);
  // Any one of them is missed: the first and the last show it.
  const all = Object.fromEntries(names.map((each) => [each, 'x']));
  for (const each of [names[0]!, names.at(-1)!])
    expect(run({ ...all, [each]: '' })).toMatchObject({ status: 2, stderr: `Set ${each} in the environment\n` });
});

test('no example has a secret, an address or a path of a real set-up as its default', () => {
  expect(needy).toEqual(expect.arrayContaining(['inbox-bot/bot.ts', 'notifications-bullmq.ts']));
  const defaults = everything.flatMap((name) => textOf(name).match(/process\.env\.\w+ \?\? .*/g) ?? []);
  expect(defaults).toEqual([]);
});
