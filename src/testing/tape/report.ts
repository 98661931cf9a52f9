import type { ResponseDifference } from './compare.js';
import { isSame } from './replay.js';
import type { Verified } from './replay.js';

/** Prints how far the fake is from the service: a line per endpoint, and what differs below it. */
export function reportOf(results: readonly Verified[]): string {
  const names = [...new Set(results.map(({ endpoint }) => endpoint))].sort();
  const width = Math.max(0, ...names.map(({ length }) => length));
  const same = results.filter(isSame).length;
  return [
    ...names.map((name) => linesOf(name, width, results)),
    `${same} of ${results.length} exchanges are the same.`,
  ].join('\n');
}

function linesOf(name: string, width: number, results: readonly Verified[]): string {
  const own = results.filter(({ endpoint }) => endpoint === name);
  const same = own.filter(isSame).length;
  const details = new Set(
    own.flatMap(({ differences, lacks }) => [...differences.map(lineOf), ...(lacks ? [lacks] : [])]),
  );
  const first = `${same === own.length ? 'same   ' : 'differs'}  ${name.padEnd(width)}  ${same}/${own.length}`;
  return [first, ...details].join('\n  ');
}

/** Returns a difference in words: what the fake sends, and what the service sent. */
export function lineOf({ path, what, expected, actual }: ResponseDifference): string {
  const at = path === '' ? 'the body' : path;
  if (what === 'missing') return `missing ${at}`;
  if (what === 'extra') return `extra ${at}`;
  if (what === 'type') return `retyped ${at}: ${actual}, not ${expected}`;
  if (at === 'status' || at === 'code') return `${at} ${actual}, not ${expected}`;
  if (what === 'entries') return `${at}: ${actual} entries, not ${expected}`;
  return `${at}: ${actual}, not ${expected}`;
}
