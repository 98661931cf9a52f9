import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAnswerable } from 'marketplace-seller-sdk';
import type { Question, SellerClient } from 'marketplace-seller-sdk';
import { handleNow } from 'marketplace-seller-sdk/inbox';
import type { HandlerContext } from 'marketplace-seller-sdk/inbox';
import { checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, SimulationOptions, World } from 'marketplace-seller-sdk/simulation';
import { describe, expect, test, vi } from 'vitest';
import { botsOfExamples, botsOfPages } from './bots/all.ts';
import { tracesOf } from './bots/bad-days.ts';
import { careful, carefulInMemory } from './bots/question-bots.ts';

/** The traces of a small day, with all that a bad day has. */
function traces(options: Partial<SimulationOptions>): Promise<string[]> {
  const load = { questions: 8, sales: 3, messages: 4 };
  return tracesOf({ seeds: [3], load, bot: carefulInMemory, ...options, checks: [] });
}

describe('the same seed gives the same trace', () => {
  // Beside an inbox in memory, the bots that use most: files, outboxes, tools and tokens that are refreshed.
  test.each([
    { name: 'an inbox in memory', options: { bot: carefulInMemory } },
    ...botsOfExamples().filter(({ name }) => name.includes('bot')),
  ])('$name, with kills and restarts', async ({ options: { bot } }) => {
    const first = await traces({ bot });
    expect(await traces({ bot })).toEqual(first);
    expect(first.join('\n')).toContain('the bot is killed');
    expect(first.join('\n')).toContain('response lost');
  });

  test('under fake timers too, which are there afterwards', async () => {
    const [plain, other] = await traces({ seeds: [5, 4] });
    // Another seed gives another day.
    expect(other).not.toEqual(plain);
    vi.useFakeTimers({ now: 1000 });
    const fake = { setTimeout, Date, fetch };
    expect(await traces({ seeds: [5] })).toEqual([plain]);
    expect({ setTimeout, Date, fetch }).toEqual(fake);
    expect(Date.now()).toBe(1000);
  });

  test('what the package loads on first use is loaded before, because that takes real time', () => {
    const src = join(import.meta.dirname, '../../src');
    const loadedIn = (path: string): string[] =>
      [...readFileSync(join(src, path), 'utf8').matchAll(/(?<!typeof )\bimport\('([^']+)'\)/g)].map(([, target = '']) =>
        target.startsWith('.') ? join(path, '..', target) : target,
      );
    const isElsewhere = /^cli|^simulation|dashboard|platform-portable/;
    const late = globSync('**/*.ts', { cwd: src })
      .filter((path) => !isElsewhere.test(path))
      .flatMap(loadedIn);
    const wanted = late.filter((target) => !target.includes('dashboard'));
    expect(wanted.length).toBeGreaterThan(5);
    expect(loadedIn('simulation/simulate.ts')).toEqual(expect.arrayContaining(wanted));
  });

  test('the addresses of all starts are equally long, so that a message is cut off at the same place', async () => {
    const lengths = new Set<number>();
    const bot = ({ baseUrl }: World): Bot => (lengths.add(baseUrl.length), {});
    await simulate({ seeds: 100, bot, faults: 'none', load: { questions: 0, sales: 0, messages: 0 }, checks: [] });
    expect(lengths.size).toBe(1);
  });

  test('a fault that is left out moves no other', async () => {
    const faultsOf = async (faults: SimulationOptions['faults']): Promise<string[]> => {
      const [trace = ''] = await traces({ seeds: [6], ...(faults && { faults }) });
      return trace.split('\n').flatMap((line) => /^day \d \S+ +(.*): carried out, response lost/.exec(line)?.[1] ?? []);
    };
    const few = await faultsOf({ responseLost: 0.02 });
    expect(few.length).toBeGreaterThan(0);
    expect(await faultsOf({ responseLost: 0.04 })).toEqual(expect.arrayContaining(few));
  });
});

/** A bot without a store, whose notifications are handled before the response. */
function answeringNow({ client, log }: World): Bot {
  const questions = async (
    _: unknown,
    { read, client: seller }: HandlerContext<Question, SellerClient>,
  ): Promise<void> => {
    const question = await read();
    if (isAnswerable(question)) await seller.questions.answer({ question_id: question.id, text: 'Yes.' });
  };
  const logger = { debug: () => {}, info: log, warn: log, error: log };
  return {
    callback: (request) => handleNow(request, { clientFor: (user_id) => client(user_id), on: { questions }, logger }),
  };
}

// What a module remembers belongs to the simulated process that caused it: no day knows of an earlier one.
test.each([
  { name: 'an inbox in memory', options: { bot: carefulInMemory } },
  { name: 'an inbox in a file', options: { bot: careful } },
  { name: 'handleNow', options: { bot: answeringNow } },
  { name: 'handleNow, which prints', options: { bot: (world: World) => answeringNow({ ...world, log: console.log }) } },
  ...botsOfExamples(),
  ...botsOfPages(),
])('seeds 1 to 4 are the same days alone, together and backwards: $name', async ({ options }) => {
  const small = { ...options, load: { questions: 3, sales: 1, messages: 2 } };
  const together = await traces({ ...small, seeds: [1, 2, 3, 4] });
  expect((await traces({ ...small, seeds: [4, 3, 2, 1] })).toReversed()).toEqual(together);
  expect(await traces({ ...small, seeds: [3] })).toEqual([together[2]]);
});

describe('outside of a run', () => {
  test('clock, chance, timers and network are those that were there, also after a failure', async () => {
    const replaced = () => {
      // oxlint-disable-next-line no-restricted-properties -- the function is compared, not called
      const { random } = Math;
      return { Date, setTimeout, fetch, random, uuid: crypto.randomUUID, log: console.log };
    };
    const before = replaced();
    const failing = simulate({ seeds: 1, bot: () => ({}), checks: [() => ['wrong']] });
    const started = Date.now();
    // Other code of the process sees no virtual time meanwhile.
    expect(Math.abs(Date.now() - started)).toBeLessThan(600_000);
    await expect(failing).rejects.toThrow('wrong');
    expect(replaced()).toEqual(before);
  });

  test('one simulation runs at a time', async () => {
    const options: SimulationOptions = { seeds: 1, bot: () => ({}), checks: [], load: { questions: 0 } };
    const first = simulate(options);
    await expect(simulate(options)).rejects.toThrow('another simulation runs in this process');
    await first;
    await simulate(options);
  });

  test.each([
    [{ seeds: 0, bot: () => ({}) }, '`seeds` takes an integer, at least 1'],
    [{ seeds: 1 }, '`bot` is missing'],
    [{ seeds: 1, bot: () => ({}), days: 0.5 }, '`days` takes an integer'],
    [{ seeds: 1, bot: () => ({}), fault: 'none' }, 'fault'],
    [{ seeds: 1, bot: () => ({}), faults: { kills: -1 } }, '`faults`: `kills` takes a number, at least 0'],
    [{ seeds: 1, bot: () => ({}), faults: { kils: 1 } }, 'kils'],
    [{ seeds: 1, bot: () => ({}), load: { question: 1 } }, 'question'],
  ])('%o is rejected', async (options, message) => {
    await expect(simulate(options as never)).rejects.toThrow(message);
  });

  test('the usual checks are those that everybody wants', () => {
    expect(checks.usual).not.toContain(checks.nothingLeft);
    expect(new Set(checks.usual).size).toBe(Object.keys(checks).length - 2);
  });
});
