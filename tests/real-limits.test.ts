import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realLimits } from '../tools/real-limits.ts';

const root = join(import.meta.dirname, '..');

// Kept out: processes with real leases (kills, stored), types that nobody runs, projects that use the package, and this list.
const files = globSync('tests/**/*.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/^tests\/(?:kills|types|consumers|browser)\/|real-limits/.test(file));

test('no verdict of a test depends on a real limit below ten seconds', () => {
  const found = files.flatMap((file) =>
    realLimits(readFileSync(join(root, file), 'utf8')).map(({ line, text }) => `${file}:${line}: ${text}`),
  );
  expect(found).toEqual([]);
});

const inTest = (line: string): string => `test('a', async () => { ${line} });`;

test.each([
  inTest('await call({ deadlineMs: 150 });'),
  inTest('await call({ timeoutMs: 9_999 });'),
  inTest('await vi.waitFor(() => isDone(), 1_000);'),
  inTest('await vi.waitFor(() => isDone(), { interval: 5, timeout: 500 });'),
  inTest('await call({ signal: AbortSignal.timeout(50) });'),
  `test('b', () => { vi.useFakeTimers(); });\n${inTest('await call({ deadlineMs: 150 });')}`,
  `describe('b', () => { beforeEach(() => vi.useFakeTimers()); });\n${inTest('await call({ graceMs: 150 });')}`,
])('is a real limit: %s', (text) => {
  expect(realLimits(text)).toHaveLength(1);
});

test.each([
  inTest('await call({ deadlineMs: 10_000 });'),
  inTest('await call({ deadlineMs: 0 });'),
  inTest('await vi.waitFor(() => isDone());'),
  inTest('await vi.waitFor(() => isDone(), 240_000);'),
  inTest('vi.useFakeTimers(); await call({ deadlineMs: 150 });'),
  inTest('await overSockets(() => call({ timeoutMs: 150 }));'),
  `beforeEach(() => vi.useFakeTimers());\n${inTest('await call({ deadlineMs: 150 });')}`,
  `describe('b', () => { beforeEach(() => vi.useFakeTimers()); ${inTest('await call({ deadlineMs: 150 });')} });`,
  inTest('\n// real: it never responds\nawait call({ timeoutMs: 50 });\n'),
])('is none: %s', (text) => {
  expect(realLimits(text)).toEqual([]);
});
