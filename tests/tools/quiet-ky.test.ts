import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { probes, quieted } from '../../tools/quiet-ky.js';

const file = join(dirname(createRequire(import.meta.url).resolve('ky')), 'core/constants.js');
const code = readFileSync(file, 'utf8');

test('every question that ky asks the platform at import is answered with no, line by line', () => {
  expect(file).toMatch(probes);
  const quiet = quieted(code);
  expect(quiet).not.toMatch(/globalThis\.(?:Request|FormData|AbortController|AbortSignal|ReadableStream)/);
  expect(quiet.match(/^export const supports\w+ = false;$/gm)).toHaveLength(5);
  const places = (text: string): number[] =>
    text.split('\n').flatMap((line, index) => (line.startsWith('export const') ? [index] : []));
  expect(places(quiet)).toEqual(places(code));
});

test('a ky that asks something else stops the build', () => {
  const other = `${code}\nexport const supportsTea = typeof globalThis.Tea === 'function';\n`;
  expect(() => quieted(other)).toThrow('supportsTea');
  expect(() => quieted(code.replace('supportsFormData', 'supportsForms'))).toThrow('supportsForms');
});

test('tests run on the quiet ky', async () => {
  const constants = (await import(/* @vite-ignore */ file)) as Record<string, unknown>;
  expect(constants.supportsRequestStreams).toBe(false);
});
