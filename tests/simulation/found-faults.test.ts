import { SimulationError, checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { SimulationOptions } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import { naive } from './bots/question-bots.ts';

async function failureOf(options: SimulationOptions): Promise<SimulationError> {
  const error: unknown = await simulate(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SimulationError);
  return error as SimulationError;
}

test('a failure is the fewest events that cause it, and the line that replays them', async () => {
  const options: SimulationOptions = { seeds: [17], bot: naive, checks: [checks.answeredOnce] };
  const error = await failureOf(options);
  expect(error).toMatchObject({ seed: 17, only: ['q1'] });
  expect(error.message).toContain("await simulate({ ...options, seeds: [17], only: ['q1'] });");
  expect(Number(/found in (\d+) runs/.exec(error.message)?.[1])).toBeLessThanOrEqual(61);
  const again = await failureOf({ ...options, only: error.only });
  expect(again.trace).toEqual(error.trace);
});
