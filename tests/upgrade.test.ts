import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { entriesOf, isLater } from '../tools/release.ts';
import { createTypedProject } from '../tools/typed-project.ts';
import { test as testOfPort } from './consumers/upgrade/after/bot.ts';

// A program for 0.2.0, which compiled and ran with it, and its port: the changelog names whatever differs.

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'consumers/upgrade');
const [before, after] = ['before', 'after'].map((each) => readFileSync(join(folder, each, 'bot.ts'), 'utf8'));

/** What the changelog states of all later versions, as what was and what is: the lines with an arrow. */
const told = entriesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  .filter(({ version }) => version === 'Unreleased' || isLater(version, '0.2.0'))
  .flatMap(({ text }) => text.split(/^(?=- |### )/m))
  .flatMap((line) => {
    const [was, is] = line.split(' → ');
    return is === undefined ? [] : [{ was: codeIn(was), is: codeIn(is) }];
  });

interface Hunk {
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}
const hunks = hunksBetween(linesOf(before), linesOf(after));
/** The names that the port does not have any more. */
const goneNames = wordsOf(hunks.flatMap(({ removed }) => removed)).filter(
  (word) => !wordsOf(linesOf(after)).includes(word),
);

describe('the port of a program for 0.2.0', () => {
  let errors: { line: number; text: string }[];
  let ported: { line: number; text: string }[];
  beforeAll(async () => {
    [errors, ported] = await Promise.all([compile(before ?? ''), compile(after ?? '')]);
  });

  test('compiles, and its test passes', async () => {
    expect(ported).toEqual([]);
    await testOfPort();
  });

  test('changes each line that no longer compiles, unless only a name above is missing', () => {
    expect(errors.length).toBeGreaterThan(5);
    const changed = new Set(hunks.flatMap(({ line, removed }) => removed.map((_, index) => line + index)));
    // A parameter of a function that is not known any more has no type.
    const own = errors.filter(({ text }) => !/TS70(?:06|31)/.test(text));
    expect(own.filter(({ line }) => !changed.has(line))).toEqual([]);
  });

  test('has as many errors, and changed names behind them, as the page on upgrades says', () => {
    const page = readFileSync(join(root, 'docs/upgrade.md'), 'utf8').replace(/\s+/g, ' ');
    expect(page).toContain(`had ${errors.length} errors, and ${goneNames.length} names behind them`);
  });
});

describe('the changelog names what differs', () => {
  test.each(hunks.map((hunk) => ({ ...hunk, at: `line ${hunk.line}: ${hunk.removed.join(' ').trim()}` })))(
    '$at',
    ({ removed, added }) => {
      const gone = wordsOf(removed).filter((word) => !wordsOf(linesOf(after)).includes(word));
      const come = wordsOf(added).filter((word) => !wordsOf(linesOf(before)).includes(word));
      expect(gone.filter((word) => !told.some(({ was }) => was.includes(word)))).toEqual([]);
      expect(come.filter((word) => !told.some(({ is }) => is.includes(word)))).toEqual([]);
      if (gone.length + come.length > 0) return;
      // The same names behave differently, or take something else.
      const calls = removed.flatMap((line) => line.match(/\w+\.\w+(?=\()|\w+(?=\(\{)/g) ?? []);
      expect(
        calls.filter((call) => told.some(({ was }) => was.join(' ').includes(call.replace('.', ' ')))),
      ).not.toEqual([]);
    },
  );

  test('and so it would name a change that nobody wrote down', () => {
    const renamed = linesOf(after).map((line) => line.replaceAll('createInbox', 'openReceiver'));
    const words = hunksBetween(linesOf(after), renamed).flatMap(({ added }) => wordsOf(added));
    expect(words.filter((word) => !told.some(({ is }) => is.includes(word)))).toContain('openReceiver');
  });
});

/** The words of all code in a text. */
function codeIn(text = ''): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => wordsOf([code]));
}

/** The names in some lines of code. */
function wordsOf(lines: readonly string[]): string[] {
  const code = lines.filter((line) => !line.startsWith('//')).join('\n');
  return [...new Set(code.replace(/'[^'\n]*'/g, '').match(/\b(?!(?:true|false)\b)[A-Za-z]\w+/g))];
}

function linesOf(text = ''): string[] {
  return text.split('\n').filter((line) => !line.startsWith('//'));
}

/** What differs, by the longest common sequence of lines. */
function hunksBetween(one: readonly string[], two: readonly string[]): Hunk[] {
  const length: number[][] = Array.from({ length: one.length + 1 }, () => Array<number>(two.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1)
      length[i]![j] = one[i] === two[j] ? length[i + 1]![j + 1]! + 1 : Math.max(length[i + 1]![j]!, length[i]![j + 1]!);
  }
  const found: { line: number; removed: string[]; added: string[] }[] = [];
  let [i, j] = [0, 0];
  let isOpen = false;
  while (i < one.length || j < two.length) {
    if (i < one.length && one[i] === two[j]) {
      [i, j, isOpen] = [i + 1, j + 1, false];
      continue;
    }
    if (!isOpen) found.push({ line: i + 1, removed: [], added: [] });
    isOpen = true;
    if (j >= two.length || (i < one.length && length[i + 1]![j]! >= length[i]![j + 1]!))
      found.at(-1)!.removed.push(one[i++]!);
    else found.at(-1)!.added.push(two[j++]!);
  }
  return found;
}

/** What the compiler says of a program with the settings of this repository, by the line without its comment above. */
async function compile(text: string): Promise<{ line: number; text: string }[]> {
  const project = createTypedProject(root, { 'bot.ts': linesOf(text).join('\n') });
  try {
    const options = [join(root, 'tools/tsc.mjs'), '--pretty', 'false'];
    await promisify(execFile)(process.execPath, options, { cwd: project });
    return [];
  } catch (error) {
    const printed = (error as { stdout?: string }).stdout ?? '';
    const errors = [...printed.matchAll(/^bot\.ts\((\d+),\d+\): error (.*)/gm)];
    if (errors.length === 0) throw error;
    return errors.map(([, line, said = '']) => ({ line: Number(line), text: said }));
  } finally {
    rmSync(project, { recursive: true });
  }
}
