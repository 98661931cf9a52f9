import { checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { Check, SimulationOptions } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import { faultyBot } from './bots/faulty-bot.ts';
import type { Fault } from './bots/faulty-bot.ts';

/** The bot has no catching up, so no notification is lost for good; all else of a bad day happens. */
const faults = {
  requestLost: 0.01,
  responseLost: 0.02,
  failedBefore: 0.02,
  failedAfter: 0.01,
  throttled: 0.02,
  slow: 0.01,
  notificationTwice: 0.05,
  notificationLate: 0.05,
  kills: 6,
  stops: 2,
  slowModeration: 0.5,
  clockDifferenceMs: 60_000,
};
const load = { questions: 12, sales: 8, messages: 14, cancellations: 1 };
const day: Omit<SimulationOptions, 'bot' | 'seeds'> = { faults, load };
/** The first seed at which each is found. */
const foundAt: Readonly<Record<Fault, number>> = {
  'sends before it stores': 1,
  'takes a lost response for done': 7,
  'repeats blindly': 5,
  'forgets a seller after a restart': 1,
  'acknowledges before storing': 4,
  'tells messages apart by text': 1,
  'has two loops at once': 1,
  'swallows errors': 7,
};

test('with the same seeds, nothing goes wrong in a bot that has none of the faults', async () => {
  await simulate({ ...day, seeds: [...new Set(Object.values(foundAt))], bot: (world) => faultyBot(world) });
});

/** What the first check finds that fails on a day. Nothing looks for the fewest events. */
async function violationsOf(fault: Fault): Promise<readonly string[]> {
  const found: (readonly string[])[] = [];
  const judge: Check = (history) => [...(found.push(...checks.usual.map((check) => check(history))), [])];
  await simulate({ ...day, seeds: [foundAt[fault]], bot: (world) => faultyBot(world, fault), checks: [judge] });
  return found.find(({ length }) => length > 0) ?? [];
}

test.each(Object.keys(foundAt) as Fault[])('the usual checks find a bot that %s', async (fault) => {
  const [first] = await violationsOf(fault);
  const doubles = ['sends before it stores', 'repeats blindly', 'has two loops at once'].includes(fault);
  expect(first).toMatch(
    doubles ? /has the same message 2 times after writing 1$/ : /is not answered at the end$|has no reply at the end$/,
  );
});
