import { outcomes } from './check-operations.js';
import type { Checked } from './check-operations.js';

/** Formats the results as a table, with one line per operation and per detail, and their numbers. */
export function formatChecked(rows: readonly Checked[]): string {
  const nameWidth = widthOf(rows.map(({ operation }) => operation));
  const resultWidth = widthOf(outcomes);
  const lines = rows.flatMap(({ operation, result, details }) => {
    const left = `${operation.padEnd(nameWidth)}  ${result.padEnd(resultWidth)}`;
    const [first = '', ...more] = details;
    return [`${left}  ${first}`.trimEnd(), ...more.map((detail) => `${' '.repeat(left.length)}  ${detail}`)];
  });
  return [...lines, '', summaryOf(rows)].join('\n');
}

function summaryOf(rows: readonly Checked[]): string {
  const counts = outcomes.map((outcome) => [outcome, rows.filter(({ result }) => result === outcome).length] as const);
  const named = counts.filter(([, count]) => count > 0).map(([outcome, count]) => `${outcome} ${count}`);
  return `${rows.length} reading operations: ${named.join(', ')}`;
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
