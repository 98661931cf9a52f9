import { inspect } from 'node:util';
import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, SimulationError, SimulationOptions, World } from 'marketplace-seller-sdk/simulation';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expect, test } from 'vitest';
import { naive } from './bots/question-bots.ts';

async function traceOf(options: Omit<SimulationOptions, 'seeds' | 'checks' | 'faults'>): Promise<readonly string[]> {
  const traces: string[] = [];
  await simulate({ ...options, seeds: [1], faults: 'none', checks: [({ trace }) => (traces.push(...trace), [])] });
  return traces;
}

test('the trace has the names of questions, sales and messages where the bot prints their ids', async () => {
  const bot = (world: World): Bot => ({
    callback: async (request) => {
      const { resource } = (await request.json()) as { resource: string };
      world.log(`told of ${resource}`);
      console.warn('reads', resource);
      if (resource.startsWith('/orders')) throw new RangeError(`cannot read ${resource}`);
      return new Response();
    },
  });
  const trace = await traceOf({ bot, load: { questions: 3, sales: 3, messages: 3 } });
  const lines = trace.filter((line) => /log: |bot: |callback fails/.test(line));
  expect(lines.join('\n')).toMatch(/log: told of \/questions\/q\d\n/);
  expect(lines.join('\n')).toMatch(/bot: reads m\d\.\d\n/);
  expect(lines.join('\n')).toMatch(/the callback fails: RangeError: cannot read \/orders\/s\d\n/);
  expect(lines.filter((line) => /\w{7,}\d/.test(line))).toEqual([]);
});

test('the end of a run reads as one, also for a call that is under way', async () => {
  const bot = ({ baseUrl }: World): Bot => {
    const ask = async (): Promise<void> => {
      for (;;) {
        await fetch(`${baseUrl}/sites`);
        await new Promise((resolve) => setTimeout(resolve, 600_000));
      }
    };
    void ask();
    return { stop: () => void fetch(`${baseUrl}/sites/MLA`) };
  };
  const trace = await traceOf({ bot, load: { questions: 0, sales: 0 } });
  const [ends, call] = trace.slice(-2);
  expect(ends).toMatch(/^day 2 23:5\d:\S+ {2}the simulation ends, and stops the bot$/);
  expect(call).toMatch(/GET \/sites\/MLA#1: not carried out when the simulation ended$/);
  expect(trace.join('\n')).not.toContain('nobody received');
});

test('an error that is printed is the message and the place, and its fields are there', async () => {
  const load = { questions: 10, sales: 0, messages: 0 };
  const error: unknown = await simulate({ seeds: [19], load, bot: naive }).catch((reason: unknown) => reason);
  const { message, trace, only, violations, seed } = error as SimulationError;
  const places = /^ {4}at .*$/;
  const lines = inspect(error).split('\n');
  expect(lines.filter((line) => !places.test(line)).join('\n')).toBe(`SimulationError: ${message}`);
  expect(lines.length).toBeLessThan(40);
  expect(trace.length).toBeGreaterThan(60);
  expect([seed, only.length, violations]).toEqual([19, 4, ['q5 is not answered at the end']]);
});

test('the types of own operations are inferred as those of `new FakeMarketplace` are', async () => {
  const rates = { ...endpoints.currencies.get, name: 'rates.get', path: '/rates/{id}' } as const;
  const received: unknown[] = [];
  const bot = (world: World): Bot => {
    void world
      .client(7)
      .call(rates, { id: 'USD' })
      .then((rate) => received.push(rate.id));
    return {};
  };
  await simulate({
    seeds: 1,
    faults: 'none',
    load: { questions: 0, sales: 0 },
    checks: [],
    bot,
    marketplace: { operations: [{ endpoint: rates, handle: ({ input }) => ({ id: String(input.id).toLowerCase() }) }] },
  });
  expect(received).toEqual(['usd']);
});
