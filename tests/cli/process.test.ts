import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/program.js';
import { missingSteps } from '../../tools/prestart.mjs';
import { bundled } from '../support/program.ts';

const root = join(import.meta.dirname, '../..');
const running: ChildProcess[] = [];
beforeAll(() => {
  const steps = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (steps.length > 0) throw new Error(`These tests run dist; first run: ${steps.join(', ')}`);
});
afterEach(() => {
  for (const program of running.splice(0)) program.kill('SIGKILL');
});

/** Starts the program that the package brings, as `npx` does. */
function started(...args: string[]): { program: ChildProcess; printed: (pattern: RegExp) => Promise<string> } {
  const program = spawn(process.execPath, [join(root, 'dist/esm/cli/main.js'), ...args], { stdio: 'pipe' });
  running.push(program);
  let text = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (part) => (text += String(part)));
  const printed = (pattern: RegExp): Promise<string> =>
    expect
      .poll(() => text)
      .toMatch(pattern)
      .then(() => pattern.exec(text)?.[1] ?? '');
  return { program, printed };
}

test.each(['SIGINT', 'SIGTERM'] as const)('the built CLI serves until %s and exits with 0', async (signal) => {
  const { program, printed } = started('fake', '--port', '0');
  const url = await printed(/Fake marketplace at (\S+)/);
  const headers = { authorization: 'Bearer SELLER-TOKEN' };
  const response = await fetch(`${url}/questions/search?seller_id=1001`, { headers });
  expect(await response.json()).toMatchObject({ total: 6 });
  expect(await (await fetch(url)).text()).toContain('<title>Fake marketplace</title>');
  expect(await (await fetch(`${url}/__fake/style.css`)).text()).toContain('prefers-reduced-motion');
  await printed(/GET {4}200 \/questions\/search\?seller_id=1001 .* MATE_AND_CO/);
  const ended = once(program, 'exit');
  program.kill(signal);
  expect(await ended).toEqual([0, null]);
});

test('the built CLI names an unknown argument and exits with 2', async () => {
  const { program, printed } = started('fake', '--loud');
  expect(await once(program, 'exit')).toEqual([2, null]);
  await printed(/marketplace-seller-sdk: Unknown option '--loud'/);
});

test('inbox ends although its module leaves a connection open, after everything was printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'left-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'store.mjs');
  const entry = `{ key: 'k', groupId: 'g', notification: { topic: 'items', user_id: 7, resource: 'r'.repeat(200_000) } }`;
  writeFileSync(
    file,
    `setInterval(() => {}, 1_000);
    const no = async () => undefined;
    const list = async () => [{ key: 'k', data: ${entry}, state: 'waiting', failures: 0, notes: {}, addedAt: 0, number: 1, nextInMs: 0 }];
    export const store = { add: no, get: no, list, counts: no, again: no, remove: no, works: no };`,
  );
  const program = spawn(process.execPath, [await bundled('src/cli/main.ts'), 'inbox', file, 'waiting', '--json']);
  running.push(program);
  let text = '';
  program.stdout.on('data', (part) => (text += String(part)));
  expect(await once(program, 'close')).toEqual([0, null]);
  expect(JSON.parse(text)).toMatchObject([{ resource: 'r'.repeat(200_000) }]);
});

const lines = ['check', 'fake --port 0', 'inbox x.db', 'outbox x.db', 'mcp --fake', 'call currencies.list --fake'];
const tooOld = /^marketplace-seller-sdk: .*needs Node\.js 22\.12 or later.*\n$/;

test('the program loads where Node.js is too old, and says so in one sentence', async () => {
  const old = 'data:text/javascript,delete Promise.withResolvers';
  const file = await bundled('src/cli/main.ts');
  const program = spawn(process.execPath, ['--import', old, file, lines[0]!], { stdio: 'pipe' });
  running.push(program);
  let errors = '';
  program.stderr.on('data', (part) => (errors += String(part)));
  expect(await once(program, 'close')).toEqual([1, null]);
  expect(errors).toMatch(tooOld);
});

test.each(lines)('%s says that Node.js is too old', async (line) => {
  const { withResolvers } = Promise;
  Reflect.deleteProperty(Promise, 'withResolvers');
  const written: string[] = [];
  const write = (text: string): void => void written.push(`${text}\n`);
  try {
    expect(await run(line.split(' '), { out: write, err: write, ended: async () => {} })).toBe(1);
  } finally {
    Object.assign(Promise, { withResolvers });
  }
  expect(written.join('')).toMatch(tooOld);
});
