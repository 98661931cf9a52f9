import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { probes, quieted } from '../../tools/quiet-ky.js';

const file = join(dirname(createRequire(import.meta.url).resolve('ky')), 'core/constants.js');
const code = readFileSync(file, 'utf8');

test('each feature check of ky at import is replaced by false, line by line', () => {
  expect(file).toMatch(probes);
  const quiet = quieted(code);
  expect(quiet).not.toMatch(/globalThis\.(?:Request|FormData|AbortController|AbortSignal|ReadableStream)/);
  expect(quiet.match(/^export const supports\w+ = false;$/gm)).toHaveLength(5);
  const places = (text: string): number[] =>
    text.split('\n').flatMap((line, index) => (line.startsWith('export const') ? [index] : []));
  expect(places(quiet)).toEqual(places(code));
});

test('an unknown feature check stops the build', () => {
  const other = `${code}\nexport const supportsTea = typeof globalThis.Tea === 'function';\n`;
  expect(() => quieted(other)).toThrow('supportsTea');
  expect(() => quieted(code.replace('supportsFormData', 'supportsForms'))).toThrow('supportsForms');
});

test('the tests run on the changed ky', async () => {
  const constants = (await import(/* @vite-ignore */ file)) as Record<string, unknown>;
  expect(constants.supportsRequestStreams).toBe(false);
});
