import { isSame } from './verify.js';
import type { Verified } from './verify.js';

/** Prints how far the fake is from the service: a line per endpoint, and what differs below it. */
export function reportOf(results: readonly Verified[]): string {
  const names = [...new Set(results.map(({ endpoint }) => endpoint))].sort();
  const same = results.filter(isSame).length;
  return [...names.map((name) => linesOf(name, results)), `${same} of ${results.length} exchanges are the same.`].join(
    '\n',
  );
}

function linesOf(name: string, results: readonly Verified[]): string {
  const own = results.filter(({ endpoint }) => endpoint === name);
  const same = own.filter(isSame).length;
  const details = new Set(own.flatMap(differencesOf));
  return [`${same === own.length ? 'same   ' : 'differs'}  ${name}  ${same}/${own.length}`, ...details].join('\n  ');
}

function differencesOf({ status, code, missing, extra, retyped }: Verified): string[] {
  return [
    ...(status.expected === status.actual ? [] : [`status ${status.actual}, not ${status.expected}`]),
    ...(code.expected === code.actual ? [] : [`code ${code.actual ?? 'none'}, not ${code.expected ?? 'none'}`]),
    ...missing.map((path) => `missing ${path}`),
    ...extra.map((path) => `extra ${path}`),
    ...retyped.map((line) => `retyped ${line}`),
  ];
}
