import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastVersionIn, unsaid, worsened } from '../../tools/worsened.ts';
import type { Figures } from '../../tools/worsened.ts';

const changelog = (said: string): string =>
  `# Changelog\n\n## [Unreleased]\n\n${said}\n\n### Calls\n\n- A file more: 29.\n\n## [1.1.0] - 2026-02-01\n\n- B.\n\n## [1.0.0] - 2026-01-01\n`;
const before = { KiB: 51.2, files: 18, requests: 206 };

test('the last version is the one before the first entry, which is under way', () => {
  expect(lastVersionIn(changelog(''))).toBe('1.1.0');
  expect(lastVersionIn(changelog('').replace('[Unreleased]', '[1.2.0]'))).toBe('1.1.0');
  expect(lastVersionIn('# Changelog\n\n## [Unreleased]\n')).toBeUndefined();
});

test.each<[Figures, string[]]>([
  [before, []],
  [{ ...before, KiB: 51.4 }, []],
  [{ ...before, KiB: 40, files: 17 }, []],
  [{ ...before, KiB: 55.7 }, ['KiB']],
  [{ ...before, KiB: 51.5, files: 19 }, ['KiB', 'files']],
])('%j is worse in %j', (now, expected) => {
  expect(worsened(before, now).map(({ what }) => what)).toEqual(expected);
});

test.each([
  ['### What became worse\n\n- A bundle has 56 KiB instead of 51.', []],
  ['### What became worse\n\n- A bundle has 57 KiB instead of 51.', ['KiB']],
  ['### What became worse\n\n- A bundle is larger: 56 KiB.', ['KiB']],
  ['### What became better\n\n- A bundle has 56 KiB instead of 51.', ['KiB']],
  ['', ['KiB']],
])('of a bundle that grew, %j leaves unsaid: %j', (said, expected) => {
  const worse = worsened(before, { ...before, KiB: 55.7 });
  expect(unsaid(changelog(said), worse).map(({ what }) => what)).toEqual(expected);
});

test('the figures of the last version in the changelog are kept', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const kept = JSON.parse(read('bench/versions.json')) as Readonly<Record<string, Figures>>;
  expect(Object.keys(kept)).toContain(lastVersionIn(read('CHANGELOG.md')));
});
