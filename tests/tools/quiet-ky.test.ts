import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { quieted } from '../../tools/quiet-ky.js';

const folder = dirname(createRequire(import.meta.url).resolve('ky'));
const constants = join(folder, 'core/constants.js');
const code = readFileSync(constants, 'utf8');

test('each feature check of ky at import is replaced by false, line by line', () => {
  const quiet = quieted(constants, code) ?? '';
  expect(quiet).not.toMatch(/globalThis\.(?:Request|FormData|AbortController|AbortSignal|ReadableStream)/);
  expect(quiet.match(/^export const supports\w+ = false;$/gm)).toHaveLength(5);
  const places = (text: string): number[] =>
    text.split('\n').flatMap((line, index) => (line.startsWith('export const') ? [index] : []));
  expect(places(quiet)).toEqual(places(code));
});

test('an unknown feature check stops the build', () => {
  const other = `${code}\nexport const supportsTea = typeof globalThis.Tea === 'function';\n`;
  expect(() => quieted(constants, other)).toThrow('supportsTea');
  expect(() => quieted(constants, code.replace('supportsFormData', 'supportsForms'))).toThrow('supportsForms');
});

test.each(['core/retry-timing.js', 'utils/body.js'])('another function in %s stops the build', (name) => {
  const path = join(folder, name);
  const own = readFileSync(path, 'utf8');
  expect(quieted(path, own)).toMatch(/^(?:export const \w+ = \(\w*\) => \w+;\n)+$/);
  expect(() => quieted(path, `${own}\nexport const pourTea = () => 1;\n`)).toThrow('pourTea');
});

test('every other file of ky stays as it is', () => {
  expect(quieted(join(folder, 'core/Ky.js'), 'any')).toBeUndefined();
  expect(quieted('/elsewhere/core/constants.js', 'any')).toBeUndefined();
});

test('the tests run on the changed ky', async () => {
  const { supportsRequestStreams } = (await import(/* @vite-ignore */ constants)) as Record<string, unknown>;
  expect(supportsRequestStreams).toBe(false);
});
