import { simulate } from 'marketplace-seller-sdk/simulation';
import type { SimulationOptions } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import type { ShownBot } from './all.ts';

/** `npm run explore` sets them; in `npm test` they are always the same. */
const { SIMULATION_SEEDS: count = '', SIMULATION_SEED: first = '1' } = process.env;
const isExploring = count !== '';
const drawn = Array.from({ length: Number(count) || 2 }, (_, index) => Number(first) + index);

/** A day that has every fault, and few questions. */
const smallDay = { questions: 10, sales: 4, messages: 6, cancellations: 1, byHand: 2 };

/** Nothing goes wrong in them that its page does not name. `npm run explore` repeats the first of each bot. */
export function testBadDaysOf(bots: readonly ShownBot[]): void {
  test.each(bots)('$name', async ({ options }) => {
    const day = { ...options, seeds: drawn, load: { ...(isExploring ? {} : smallDay), ...options.load } };
    const [trace] = await tracesOf(day);
    if (isExploring) expect(await tracesOf({ ...day, seeds: drawn.slice(0, 1) })).toEqual([trace]);
  });
}

/** The traces of days on which nothing goes wrong. */
export async function tracesOf(day: SimulationOptions): Promise<string[]> {
  const traces: string[] = [];
  await simulate({ ...day, checks: [...(day.checks ?? []), ({ trace }) => (traces.push(trace.join('\n')), [])] });
  return traces;
}
