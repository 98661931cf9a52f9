import { millisecondsOf } from '../../core/schema/dates.js';
import { UsageError } from '../errors.js';
import type { Options, Values } from '../options.js';
import type { IsMeant } from './stored-work.js';

/** The options that say which pieces of work are meant: those for which all of it is true. */
export const filters = {
  key: { value: 'KEY', text: 'only the one with this key' },
  since: {
    value: 'TIME',
    text: 'only those that were added, or have ended, since then: 2030-01-01T12:00:00Z, or 30m, 12h or 7d ago',
  },
  error: { value: 'TEXT', text: 'only those whose last error, or reason, contains this' },
} satisfies Options;

/** Returns what decides whether something is meant. @throws {UsageError} when `--since` is no time */
export function filterOf(values: Values): IsMeant {
  const [key, topic, error = ''] = ['key', 'topic', 'error'].map((name) => values.text(name));
  const since = timeOf(values.text('since'));
  return (found) =>
    (key === undefined || found.key === key) &&
    (topic === undefined || String(found.row.topic).toLowerCase() === topic.toLowerCase()) &&
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
