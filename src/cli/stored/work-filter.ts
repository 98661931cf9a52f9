import { millisecondsOf } from '../../core/schema/dates.js';
import { UsageError } from '../errors.js';
import type { Option, Values } from '../options.js';

/** The options that say which pieces of work are meant: those for which all of it is true. */
export const filterOptions = {
  key: { value: 'KEY', text: 'only the one with this key' },
  topic: { value: 'TOPIC', text: 'only those of this topic' },
  since: {
    value: 'TIME',
    text: 'only those that were given up, or added, since then: 2030-01-01T12:00:00Z, or 30m, 12h or 7d ago',
  },
  error: { value: 'TEXT', text: 'only those whose last error contains this' },
} satisfies Record<string, Option>;

/** What a filter looks at. */
export interface Filtered {
  readonly key: string;
  readonly topic: string;
  /** When it was given up, or added. */
  readonly at: number;
  readonly failure?: string | undefined;
}

/** Whether the command line limits what is meant. */
export function isFiltered(values: Values): boolean {
  return Object.keys(filterOptions).some((name) => values.text(name) !== undefined);
}

/** Returns what decides whether something is meant. @throws {UsageError} when `--since` is no time */
export function filterOf(values: Values): (found: Filtered) => boolean {
  const [key, topic, error = ''] = ['key', 'topic', 'error'].map((name) => values.text(name));
  const since = timeOf(values.text('since'));
  return (found) =>
    (key === undefined || found.key === key) &&
    (topic === undefined || found.topic.toLowerCase() === topic.toLowerCase()) &&
    found.at >= since &&
    (found.failure ?? '').includes(error);
}

const msOf: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws {UsageError} */
function timeOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? millisecondsOf(text) : Date.now() - Number(count) * (msOf[unit] ?? 0);
  if (Number.isFinite(time)) return time;
  throw new UsageError(`--since must be a time such as 2030-01-01T12:00:00Z, 30m, 12h or 7d, not "${text}"`);
}
