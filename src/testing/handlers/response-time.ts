import type { ResponseTime, ResponseTimeBand } from '../../resources/questions/schemas.js';
import type { StoredQuestion } from '../state/questions.js';
import { localTime } from '../local-time.js';
import type { Stores } from '../state/stores.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * Returns a function that computes the response time of a seller, once per day of the seller's site; `undefined` without
 * questions. Spec: Response time record.
 */
export function responseTimes({ accounts, clock, questions }: Stores): (seller_id: number) => ResponseTime | undefined {
  const computed = new Map<number, { readonly date: string; readonly record: ResponseTime }>();
  return (seller_id) => {
    const site_id = accounts.get(seller_id)?.site_id ?? '';
    const { date } = localTime(clock.ms, site_id);
    const known = computed.get(seller_id);
    if (known?.date === date) return known.record;
    const counted = questions.all.filter((each) => each.seller_id === seller_id && !each.removed);
    if (counted.length === 0) return undefined;
    const record = { user_id: seller_id, ...responseTimeOf(counted, clock.ms, site_id) };
    computed.set(seller_id, { date, record });
    return record;
  };
}

/** Computes the averages over a seller's questions. */
function responseTimeOf(
  questions: readonly StoredQuestion[],
  now: number,
  site_id: string,
): Omit<ResponseTime, 'user_id'> {
  const counted = firstPerBuyerAndItem(questions).filter(({ askedAt }) => askedAt > now - 14 * day && askedAt <= now);
  const inBand = (name: Band): StoredQuestion[] => counted.filter(({ askedAt }) => bandOf(askedAt, site_id) === name);
  const total = average(counted, now);
  return {
    total: { response_time: total ?? 0 },
    weekend: band(inBand('weekend'), now),
    weekdays_working_hours: band(inBand('weekdays_working_hours'), now),
    weekdays_extra_hours: band(inBand('weekdays_extra_hours'), now),
  };
}

type Band = 'weekend' | 'weekdays_working_hours' | 'weekdays_extra_hours';

/** Returns the time band of a question; `undefined` from 00:00 to 09:00 on a weekday. */
function bandOf(ms: number, site_id: string): Band | undefined {
  const { weekday, hour } = localTime(ms, site_id);
  if (weekday === 0 || weekday === 6) return 'weekend';
  if (hour < 9) return undefined;
  return hour < 18 ? 'weekdays_working_hours' : 'weekdays_extra_hours';
}

/** Keeps the first question of each buyer about each item. */
function firstPerBuyerAndItem(questions: readonly StoredQuestion[]): StoredQuestion[] {
  const firsts = new Map<string, StoredQuestion>();
  for (const question of questions) {
    const key = `${question.from} ${question.item_id}`;
    const first = firsts.get(key);
    if (!first || question.askedAt < first.askedAt) firsts.set(key, question);
  }
  return [...firsts.values()];
}

function band(questions: readonly StoredQuestion[], now: number): ResponseTimeBand | null {
  const response_time = average(questions, now);
  if (response_time === undefined) return null;
  return { response_time, sales_percent_increase: forecast(response_time) };
}

/** Averages in whole minutes; `undefined` without questions. */
function average(questions: readonly StoredQuestion[], now: number): number | undefined {
  if (questions.length === 0) return undefined;
  // An unanswered question counts as answered now, capped at one week.
  const waits = questions.map(({ askedAt, answer }) =>
    answer ? answer.answeredAt - askedAt : Math.min(now - askedAt, 7 * day),
  );
  return Math.round(waits.reduce((sum, wait) => sum + wait, 0) / waits.length / minute);
}

/** The service's forecast is not documented; this one grows with the hours and ends at 30 percent. */
function forecast(minutes: number): number | null {
  return minutes > 60 ? Math.min(2 + Math.floor(minutes / 60), 30) : null;
}
