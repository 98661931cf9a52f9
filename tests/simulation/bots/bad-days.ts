import { simulate } from 'marketplace-seller-sdk/simulation';
import type { SimulationOptions } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import { failedOnce } from '../failed-seeds.ts';
import type { ShownBot } from './all.ts';

/** `npm run explore` sets them; in `npm test` they are always the same. */
const { SIMULATION_SEEDS: count = '', SIMULATION_SEED: first = '1' } = process.env;
const drawn = Array.from({ length: Number(count) || 2 }, (_, index) => Number(first) + index);
/** In `npm test`, a smaller day: it has every fault, and fewer questions. */
const small = count === '' ? { questions: 10, sales: 4, messages: 6, cancellations: 1, byHand: 2 } : {};

/** Nothing goes wrong in them that its page does not name, and each can be repeated. */
export function testBadDaysOf(bots: readonly ShownBot[]): void {
  test.each(bots)('$name', async ({ name, options }) => {
    const traces: string[][] = [];
    const day: SimulationOptions = { ...options, seeds: drawn, load: { ...small, ...options.load } };
    await simulate({ ...day, checks: [...(options.checks ?? []), ({ trace }) => (traces.push([...trace]), [])] });
    const again = [...(failedOnce[name] ?? [])];
    if (again.length > 0) await simulate({ ...options, seeds: again });
    await simulate({ ...day, seeds: drawn.slice(0, 1), checks: [({ trace }) => (traces.push([...trace]), [])] });
    expect(traces.at(-1)).toEqual(traces[0]);
  });
}
