import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { proseOf, sentencesOf, wordsOf } from './support/prose.js';

// Most readers have English as a second language, and read one guide once.

const root = join(import.meta.dirname, '..');
const inOtherLanguages = ['docs/es.md', 'docs/pt.md', 'docs/guide/primeros-pasos.md', 'docs/guide/primeiros-passos.md'];
const guides = pagesIn('docs/guide').filter((path) => !inOtherLanguages.includes(path));
const errors = pagesIn('docs/errors');
const pages = ['README.md', 'docs/index.md', 'docs/README.md', 'docs/open-points.md', ...guides, ...errors];

describe('a page that people read', () => {
  test.each([...pages, ...inOtherLanguages])('has no sentence of more than 25 words: %s', (path) => {
    const sentences = proseOf(read(path)).flatMap(sentencesOf);
    expect(sentences.length).toBeGreaterThan(5);
    expect(sentences.filter((sentence) => wordsOf(sentence).length > 25)).toEqual([]);
  });

  test.each(pages)('has sentences of 14 words on average at most: %s', (path) => {
    // Titles and cells are short: they would hide long sentences.
    const sentences = proseOf(read(path))
      .filter(({ kind }) => kind === 'text')
      .flatMap(sentencesOf);
    const words = sentences.map((sentence) => wordsOf(sentence).length);
    expect(words.reduce((sum, count) => sum + count, 0) / sentences.length).toBeLessThanOrEqual(14);
  });
});

test('the guides are at most 20, with 155 KB and 13,500 words, and 205 KB with the errors', () => {
  const words = guides.flatMap((path) => proseOf(read(path)).flatMap(({ text }) => wordsOf(text)));
  const bytes = (paths: readonly string[]): number =>
    paths.reduce((sum, path) => sum + Buffer.byteLength(read(path)), 0);
  expect(guides.length).toBeLessThanOrEqual(20);
  expect(bytes(guides)).toBeLessThanOrEqual(155_000);
  expect(words.length).toBeLessThanOrEqual(13_500);
  expect(bytes([...guides, ...errors])).toBeLessThanOrEqual(205_000);
});

describe('the prose of a page', () => {
  const texts = (markdown: string): string[] => proseOf(markdown).flatMap(sentencesOf);

  test('is read by paragraph, item of a list, and cell', () => {
    const page =
      '# Title\n\nOne line\nand its second. Another one:\n\n- first item,\n  which goes on\n- second\n\n1. third\n';
    expect(texts(page)).toEqual([
      'Title',
      'One line and its second.',
      'Another one:',
      'first item, which goes on',
      'second',
      'third',
    ]);
    expect(texts('| a b | c |\n| --- | :-: |\n| One. Two | three |\nText.')).toEqual([
      'a b',
      'c',
      'One.',
      'Two',
      'three',
      'Text.',
    ]);
    expect(texts('| one of: - first; - second |')).toEqual(['one of:', 'first;', 'second']);
  });

  test('has no code, front matter, comment or element', () => {
    expect(texts('---\na: b\n---\n\nText.\n\n````md\n```ts\nLet this.\n```\nNo.\n````\n')).toEqual(['Text.']);
    expect(texts('- Item:\n\n  ```ts\n  Some code. More.\n  ```\n\n  Text <!-- No. --> with <b>more</b>.')).toEqual([
      'Item:',
      'Text  with more.',
    ]);
  });

  test('counts a code span and a link by what is read', () => {
    const [sentence = ''] = texts('Call `await seller.get({ id: 1 })` of **the** [first page](a.md#b) _now_. ');
    expect(sentence).toBe('Call `x` of the first page now.');
    expect(wordsOf(`${sentence} – ✓`)).toHaveLength(7);
  });

  test('ends a sentence where the next one begins, not at each dot', () => {
    expect(texts('Node.js 22.12, e.g. on a server, is fine. `get` reads! It does (really). 12 words?')).toEqual([
      'Node.js 22.12, e.g. on a server, is fine.',
      '`x` reads!',
      'It does (really).',
      '12 words?',
    ]);
  });
});

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
