import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import { platform } from '#platform';
import { collectGarbageUntil } from '../support/garbage.ts';
import { careful, carefulInMemory } from './bots/question-bots.ts';

const load = { questions: 10, sales: 3, messages: 4 };
/** Processes are killed while a timer waits, in a transaction, and in a call that listens to a signal. */
const faults = { kills: 40, stops: 2, slow: 0.3, responseLost: 0.05, outages: 1 };

test.each([
  ['in memory', carefulInMemory],
  ['with SQLite', careful],
])('at the end of a run nothing of it is reachable: a bot %s, also by an error that is kept', async (_, bot) => {
  const kept = new Map(platform.memory());
  const worlds: WeakRef<World>[] = [];
  const marketplaces: WeakRef<World['marketplace']>[] = [];
  const noted = (world: World): Bot => {
    worlds.push(new WeakRef(world));
    marketplaces.push(new WeakRef(world.marketplace));
    return bot(world);
  };
  const failing = simulate({ seeds: [2], bot: noted, load, faults, checks: [() => ['it is wrong']] });
  const error: unknown = await failing.catch((reason: unknown) => reason);
  const left = (): number => [...worlds, ...marketplaces].filter((each) => each.deref() !== undefined).length;
  await collectGarbageUntil(() => left() === 0);
  expect(worlds.length).toBeGreaterThan(10);
  expect(left()).toBe(0);
  // What clients of one service share is kept for as long as their process, which was a simulated one.
  expect(platform.memory()).toEqual(kept);
  expect(error).toMatchObject({ seed: 2 });
});
