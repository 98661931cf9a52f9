import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import ts from 'typescript';

const src = join(import.meta.dirname, '../../src');

/** Patterns that never meet a text that someone else wrote at any length, and why. */
const exempt: Readonly<Record<string, string>> = {
  'testing/state/moderation.ts': 'messages that the fake has accepted: 350 characters',
  'testing/handlers/moderation.ts': 'messages that the fake has accepted: 350 characters',
};

/** Every regular expression of `src`, with its file. */
const patterns = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && exempt[file] === undefined)
  .flatMap((file) => literalsIn(readFileSync(join(src, file), 'utf8')).map((pattern) => ({ file, pattern })));

const length = 20_000;
/** What a linear pattern needs for this length is below a millisecond; what a quadratic one needs is above a second. */
const noticeableMs = 60;

/** Repeated, these have made patterns slow: what stands at the border of a repetition, and pairs of such. */
const units = [
  ...['a', 'A', '0', ' ', '\t', '\n', '"', "'", '\\', '\\"', '\\\\', '<', '(', ')', '[', '/', '/*', '.', '-', '@', '+'],
  ...[
    ';',
    ':',
    ',',
    '{',
    '}',
    '#',
    '%',
    '?',
    '&',
    '=',
    '*',
    '_',
    '"""',
    '\\"""',
    'a@',
    'a.',
    '1.',
    '1 ',
    '1-',
    '(1',
    'a ',
    '.a',
  ],
  ...['to ', 'from ', 'no ', 'not ', '25 ', '<a', '; ', ': ', '" ', 'e\u0301', '👍', '\u{1F44D}\u200D', '\u{E0041}'],
];

describe('no regular expression takes more than linear time', () => {
  test('every one of src is checked', () => {
    expect(patterns.length).toBeGreaterThan(60);
  });

  test.each(patterns)('$file: $pattern', ({ pattern }) => {
    const words = pattern.source.match(/[A-Za-z_]{2,}/g) ?? [];
    const pumps = [
      ...new Set([...units, ...words, ...words.map((word) => `${word} `), ...words.map((word) => `${word}=`)]),
    ];
    const prefixes = ['', words[0] ?? '"', '"'];
    const slow = prefixes.flatMap((prefix) => pumps.filter((unit) => grows(pattern, prefix, unit)));
    expect(slow).toEqual([]);
  });
});

/** Whether doubling a text more than doubles the time that a pattern takes for it. */
function grows(pattern: RegExp, prefix: string, unit: string): boolean {
  const text = (characters: number): string => `${prefix}${unit.repeat(Math.ceil(characters / unit.length))}\u0000`;
  if (timeOf(pattern, text(length)) <= noticeableMs) return false;
  // This machine may have been busy: the least of several times counts.
  const least = (characters: number): number => Math.min(...[1, 2, 3].map(() => timeOf(pattern, text(characters))));
  return least(length) > noticeableMs && least(length) > 3 * least(length / 2);
}

function timeOf(pattern: RegExp, text: string): number {
  const started = performance.now();
  // A global pattern goes on through the text; each other one stops at its first match.
  if (pattern.global) text.replace(pattern, '');
  else pattern.exec(text);
  return performance.now() - started;
}

function literalsIn(text: string): RegExp[] {
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = '', flags] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      found.push(new RegExp(source, flags));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2023));
  return found;
}
