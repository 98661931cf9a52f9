import { printable } from '../../work/printable.js';
import type { WorkRow } from './stored-work.js';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Formats counts: one line for each. */
export function formatStats(stats: object): string {
  const entries = Object.entries(stats);
  const width = Math.max(0, ...entries.map(([name]) => titleOf(name).length));
  return entries.map(([name, value]) => `${titleOf(name).padEnd(width)}  ${formatValue(name, value)}`).join('\n');
}

/** Formats rows as a table. */
export function formatRows(rows: readonly WorkRow[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => formatValue(name, row[name])));
  const lines = [names.map(titleOf), ...cells];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n'); // prettier-ignore
}

/** `oldestAgeMs` is `oldest age`, and `addedAt` is `added`. */
function titleOf(name: string): string {
  const words = name.replace(/(?:Ms|At)$/, '').replace(/_/g, ' ');
  return words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function formatValue(name: string, value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (typeof value !== 'number') return printable(typeof value === 'string' ? value : JSON.stringify(value));
  if (name.endsWith('At')) return new Date(value).toISOString().replace(/\.\d+Z$/, 'Z');
  return name.endsWith('Ms') ? formatDuration(value) : String(value);
}

/** The largest unit that fits, and the next smaller one: `2 h 5 min`. */
function formatDuration(ms: number): string {
  const first = units.findIndex(([, unitMs]) => ms >= unitMs);
  if (first < 0) return ms > 0 ? 'under 1 s' : 'now';
  const parts = units.slice(first, first + 2).map(([unit, unitMs], index) => {
    const count = Math.floor(index === 0 ? ms / unitMs : (ms % (units[first]?.[1] ?? 1)) / unitMs);
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter(Boolean).join(' ');
}
