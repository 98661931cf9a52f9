import { millisecondsOf } from '../../core/schema/date-time.js';
import { pageOf } from '../http/conventions.js';

/** The parameters of a window. */
export interface WindowInput {
  readonly last: number;
  readonly unit: 'day' | 'hour';
  readonly ending?: Date | string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const hour = 3_600_000;
const lengths = { day: 24 * hour, hour } as const;

/**
 * Counts times per interval of a window: whole days or hours in UTC. The last interval contains `ending`. Times after
 * `ending` are not counted.
 */
export function countWindow(times: readonly number[], input: WindowInput, now: number): object {
  const { last, unit, ending, order = 'asc' } = input;
  const length = lengths[unit];
  const end = ending === undefined ? now : millisecondsOf(String(ending));
  const start = Math.floor(end / length) * length - (last - 1) * length;
  const counted = times.filter((at) => at >= start && at <= end);
  const results = Array.from({ length: last }, (_, index) => {
    const from = start + index * length;
    return { date: iso(from), total: counted.filter((at) => at >= from && at < from + length).length };
  });
  if (order === 'desc') results.reverse();
  return {
    total: counted.length,
    date_from: iso(start),
    date_to: iso(end),
    last,
    unit,
    results: pageOf(results, { limit: last, ...definedPage(input) }).items,
  };
}

function definedPage({ limit, offset }: WindowInput): { limit?: number; offset?: number } {
  return { ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) };
}

/** Formats a time without milliseconds. */
function iso(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
