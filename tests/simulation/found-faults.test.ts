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

test('a bot that fails at each of its starts is told in a few lines', async () => {
  const bot = (): never => {
    throw new TypeError('there is no such option');
  };
  const { only, message, trace } = await failureOf({ seeds: [1], bot });
  expect(only).toEqual([]);
  expect(trace.length).toBeGreaterThan(100);
  expect(message.split('\n').length).toBeLessThan(15);
  expect(message).toContain('start 1 ended with an error that nobody handled: TypeError: there is no such option');
});
