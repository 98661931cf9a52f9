import { checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { History } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import type { Fault } from './bots/faulty-bot.ts';
import { faultyInboxBot } from './bots/faulty-inbox-bot.ts';

interface Judged {
  readonly violations: readonly string[];
  /** How often a fault would have done harm without the inbox. */
  readonly harms: number;
  /** The messages that a buyer has more than once, by their texts, which differ. */
  readonly doubled: number;
}

/** Runs a small day of a seed. Without a failure, nothing looks for the fewest events. */
async function judged(seed: number, fault?: Fault): Promise<Judged> {
  let found: Judged | undefined;
  const judge = (history: History): string[] => {
    const { trace, marketplace } = history;
    const texts = marketplace.messages.all.filter(({ client_id }) => client_id !== null).map(({ text }) => text);
    found = {
      violations: checks.usual.flatMap((check) => check(history)),
      harms: trace.filter((line) => line.includes('log: harm')).length,
      doubled: texts.length - new Set(texts).size,
    };
    return [];
  };
  const load = { questions: 6, sales: 4, messages: 8, cancellations: 1, byHand: 2 };
  await simulate({ seeds: [seed], load, bot: (world) => faultyInboxBot(world, fault), checks: [judge] });
  return found!;
}

// The first seeds at which each is found.
test.each<[Fault, number, RegExp]>([
  ['takes a lost response for done', 40, /^m\S+ has no reply at the end$/],
  ['repeats blindly', 21, /^POST \/answers x\d#\d was rejected with 400 before, as POST \/answers x\d#\d$/],
  ['forgets a seller after a restart', 2, /^q\d+ is not answered at the end$/],
  ['tells messages apart by text', 1, /^m\S+ has no reply at the end$/],
  ['swallows errors', 23, /^m\S+ has no reply at the end$/],
])('the usual checks find a bot with an inbox that %s', async (fault, seed, says) => {
  const { violations } = await judged(seed, fault);
  expect(violations[0]).toMatch(says);
});

test('nothing goes wrong in a bot with an inbox that has none of the faults', async () => {
  expect(await judged(40)).toEqual({ violations: [], harms: 0, doubled: 0 });
});

test.each<[Fault, number, string]>([
  ['sends before it stores', 8, 'it reads back what was sent'],
  ['acknowledges before storing', 1, 'it looks for what nobody has answered'],
  ['has two loops at once', 10, 'they take turns'],
])('an inbox cures a bot that %s, with seed %i: %s', async (fault, seed) => {
  const { harms, ...rest } = await judged(seed, fault);
  expect(harms).toBeGreaterThan(0);
  expect(rest).toEqual({ violations: [], doubled: 0 });
});
