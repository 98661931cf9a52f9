import { outcomes } from './check-operations.js';
import type { Checked } from './check-operations.js';
import { idOptions, idsToGive } from './ids.js';

/** Formats the results as a table, with one line per operation and per detail, and their numbers. */
export function formatChecked(rows: readonly Checked[]): string {
  const nameWidth = widthOf(rows.map(({ operation }) => operation));
  const resultWidth = widthOf(outcomes);
  const lines = rows.flatMap(({ operation, result, details }) => {
    const left = `${operation.padEnd(nameWidth)}  ${result.padEnd(resultWidth)}`;
    const [first = '', ...more] = details;
    return [`${left}  ${first}`.trimEnd(), ...more.map((detail) => `${' '.repeat(left.length)}  ${detail}`)];
  });
  return [...lines, '', ...missingOf(rows), summaryOf(rows), ...triedOf(rows)].join('\n');
}

/** How few operations were tried, and the options that try the others: the last line, because the exit code is 0. */
function triedOf(rows: readonly Checked[]): string[] {
  const missing = rows.flatMap((row) => row.missing ?? []);
  if (missing.length === 0) return [];
  const tried = rows.filter(({ result }) => result !== 'not tried').length;
  const options = idsToGive(missing).map((name) => `--${name}`);
  return [
    `${tried} of ${rows.length} operations were tried; ${options.join(' and ')} ${options.length === 1 ? 'tries' : 'try'} the others`,
  ];
}

/** How many operations were not tried because of ids, and the options that give them. */
function missingOf(rows: readonly Checked[]): string[] {
  const untried = rows.filter(({ missing }) => missing !== undefined);
  if (untried.length === 0) return [];
  const options = idsToGive(untried.flatMap(({ missing = [] }) => missing)).map((name) => {
    const { value, text } = idOptions[name];
    return [`--${name} ${value}`, text] as const;
  });
  const width = widthOf(options.map(([option]) => option));
  const verb = untried.length === 1 ? 'was' : 'were';
  return [
    `${untried.length} of ${rows.length} ${verb} not tried, because ids are missing. Give them with these options:`,
    ...options.map(([option, text]) => `  ${option.padEnd(width)}  ${text}`),
    '',
  ];
}

function summaryOf(rows: readonly Checked[]): string {
  const counts = outcomes.map((outcome) => [outcome, rows.filter(({ result }) => result === outcome).length] as const);
  const named = counts.filter(([, count]) => count > 0).map(([outcome, count]) => `${outcome} ${count}`);
  return `${rows.length} reading operations: ${named.join(', ')}`;
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
