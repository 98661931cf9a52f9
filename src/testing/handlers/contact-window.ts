import { pageOf } from '../http/conventions.js';
import type { PageParams } from '../http/conventions.js';
import { badRequest } from '../http/handler.js';
import type { Call } from '../http/call.js';
import { queryDate, queryInteger, queryOneOf, queryPage } from '../http/read-request.js';
import { startsOfDays } from '../local-time.js';
import type { MarketplaceSettings } from '../settings.js';
import type { StoredContact } from '../state/contacts.js';

/** The parameters of a window. */
interface WindowParams {
  readonly last: number;
  readonly unit: 'day' | 'hour';
  /** The end of the window, in milliseconds since 1970. */
  readonly end: number;
  readonly order: 'asc' | 'desc';
  readonly page: PageParams;
  /** The site in whose time zone days start; `undefined` for UTC. */
  readonly site_id: string | undefined;
}

const lengths = { day: 86_400_000, hour: 3_600_000 } as const;

/** Reads the parameters of a window. @throws {ErrorResponse} 400 when one is invalid */
export function readWindow(
  call: Call,
  now: number,
  { maxWindowIntervals, contactTimeZone }: MarketplaceSettings,
  site_id: string,
): WindowParams {
  const last = queryInteger(call, 'last', 1) ?? 1;
  if (last > maxWindowIntervals) throw badRequest(`last must be at most ${maxWindowIntervals}`);
  const end = queryDate(call, 'ending')?.ms ?? now;
  return {
    last,
    unit: queryOneOf(call, 'unit', ['day', 'hour']),
    end,
    order: queryOneOf(call, 'order', ['asc', 'desc'], 'asc'),
    page: queryPage(call, maxWindowIntervals, maxWindowIntervals),
    site_id: contactTimeZone === 'site' ? site_id : undefined,
  };
}

/**
 * Counts contacts per interval of a window: whole days or hours. The last interval contains the end of the window;
 * contacts after the end are not counted.
 */
export function countWindow(contacts: readonly StoredContact[], params: WindowParams, isPaged = true): object {
  const { last, unit, end, order, page } = params;
  const starts = startsOf(params);
  const totals = new Array<number>(last).fill(0);
  for (const { at, times } of contacts) {
    const index = starts.findLastIndex((start) => start <= at);
    if (at <= end && index >= 0) totals[index] = (totals[index] ?? 0) + times;
  }
  const results = totals.map((total, index) => ({ date: toSeconds(starts[index] ?? end), total }));
  if (order === 'desc') results.reverse();
  return {
    total: totals.reduce((sum, each) => sum + each, 0),
    date_from: toSeconds(starts[0] ?? end),
    date_to: toSeconds(end),
    last,
    unit,
    results: isPaged ? pageOf(results, page).items : results,
  };
}

/** Returns when each interval starts, the oldest first. Hours start at the same times in the zones of all sites. */
function startsOf({ last, unit, end, site_id }: WindowParams): number[] {
  if (unit === 'day' && site_id !== undefined) return startsOfDays(end, last, site_id);
  const length = lengths[unit];
  const lastStart = Math.floor(end / length) * length;
  return Array.from({ length: last }, (_, index) => lastStart - (last - 1 - index) * length);
}

/** Formats a time without milliseconds. */
function toSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
