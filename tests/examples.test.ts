import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'examples');
// The first needs a Redis, so tests/examples/reliability.test.ts runs it beside one. The other is several processes, which
// tests/kills/seller-team.test.ts starts.
const needsMore = new Set(['notifications-bullmq.ts', 'seller-team.ts']);
const programs = readdirSync(folder).filter((name) => name.endsWith('.ts') && !needsMore.has(name));
const everything = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
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

/** What each program prints. One process runs them in turn, and ends only if none of them leaves anything open. */
let printed: Readonly<Record<string, string>> = {};
beforeAll(() => {
  const eachInTurn = programs.map((name) => `console.log('# ${name}'); await import('./examples/${name}');`);
  // Three chapters of the day: tests/day.test.ts reads all of them.
  const program = `process.argv[2] = '--short'; await import('./examples/day.ts'); process.argv.pop(); ${eachInTurn.join('\n')}`;
  const args = ['--input-type=module', '-e', program];
  // Node.js 22 warns that SQLite is experimental.
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --disable-warning=ExperimentalWarning`;
  const env = { ...process.env, TMPDIR, NODE_OPTIONS };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
  expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' });
  const parts = `# day.ts\n${stdout}`.split(/^# (\S+\.ts)\n/m).slice(1);
  printed = Object.fromEntries(programs.map((name) => [name, parts[parts.indexOf(name) + 1] ?? '']));
});

// These only export what others use.
const modules = ['application.ts', 'bars.ts', 'chart.ts', 'environment.ts'];
test.each(programs)('examples/%s runs to its end', (name) => {
  expect(printed[name] === '').toBe(modules.includes(name));
});

test('the Express example answers each question once', () => {
  const output = printed['notifications-express.ts'];
  expect(output?.match(/answered question \d+: .*/g)).toHaveLength(2);
  expect(output).toContain('Is there stock?');
});

test('the fetch example reads with the token of the seller who was asked', () => {
  const questions = /seller \d+ was asked question \d+: Do you ship to Salta\?/g;
  expect(printed['notifications-fetch.ts']?.match(questions)).toHaveLength(2);
});

test('the outbox ends with both jobs accepted, and one message with a file', () => {
  const output = printed['outbox.ts'];
  expect(output).toContain("'invoice-42-pdf: waiting', 'invoice-42-link: accepted'");
  expect(output).toContain("'invoice-42-link: accepted', 'invoice-42-pdf: accepted'");
  expect(output).toContain('messages with a file: 1');
});

test('the inbox bot answers for two sellers, refreshes each token once, and stops on SIGTERM', () => {
  const output = printed['inbox-bot.ts']!;
  expect(output.match(/seller 1001: question \d+ is answered/g)).toHaveLength(3);
  expect(output.match(/seller 1002: question \d+ is answered/g)).toHaveLength(3);
  // A handler runs at least once: catching up may deliver a question whose notification was handled already.
  expect(new Set(output.match(/question \d+ is left for a person/g))).toHaveProperty('size', 2);
  expect(output).toContain('6 questions answered, 2 refreshes, exit code 0\n');
});

test.each(needy)('examples/%s does not start without what it needs, and names each variable', async (name) => {
  const { env } = process;
  let runs = 0;
  let errors = '';
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (errors += `${line}\n`));
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit code ${code}`);
  });
  /** A module of another name is loaded, and so run, once more. */
  const run = async (given: NodeJS.ProcessEnv): Promise<string> => {
    errors = '';
    try {
      process.env = given;
      const path = `${join(folder, name)}?run=${(runs += 1)}`;
      const started = import(/* @vite-ignore */ path) as Promise<unknown>;
      await expect(started).rejects.toThrow('exit code 2');
    } finally {
      process.env = env;
    }
    return errors;
  };
  const names = (await run({})).match(/\b[A-Z]+(_[A-Z]+)+\b/g) ?? [];
  expect(names.length).toBeGreaterThan(0);
  const [opening = ''] = textOf(name).split(/^import /m);
  expect(names.filter((each) => !opening.includes(each))).toEqual([]);
  for (const missing of names) {
    const others = Object.fromEntries(names.filter((each) => each !== missing).map((each) => [each, 'x']));
    expect(await run(others)).toBe(`Set ${missing} in the environment\n`);
  }
});

test('no example has a secret, an address or a path of a real set-up as its default', () => {
  expect(needy).toEqual(expect.arrayContaining(['inbox-bot/bot.ts', 'notifications-bullmq.ts']));
  const defaults = everything.flatMap((name) => textOf(name).match(/process\.env\.\w+ \?\? .*/g) ?? []);
  expect(defaults).toEqual([]);
});
