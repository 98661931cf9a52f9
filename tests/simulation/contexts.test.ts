import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, hasStatus } from 'marketplace-seller-sdk';
import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, SimulationOptions, World } from 'marketplace-seller-sdk/simulation';
import { describe, expect, test } from 'vitest';

const ofApplication = new AsyncLocalStorage<string>();
const outside = AsyncLocalStorage.snapshot();
const load = { questions: 10, sales: 3, messages: 4, cancellations: 0 };

type Posted = Record<'user_id' | 'topic' | 'resource', string>;

/** Reads the question of a notification, and answers it. */
async function answer(request: Request, world: World): Promise<Response> {
  const { user_id, topic, resource } = (await request.json()) as Posted;
  if (topic !== 'questions') return new Response();
  const { questions } = world.client(Number(user_id));
  const { id, status } = await questions.get({ question_id: Number(resource.split('/').pop()) });
  if (hasStatus({ status }, 'UNANSWERED')) await questions.answer({ question_id: id, text: 'Yes.' });
  return new Response();
}

describe('an async context of the application', () => {
  test('is that of no other notification, start, stop or count, whatever is killed in it', async () => {
    const found: (string | undefined)[] = [];
    const note = (): number => found.push(ofApplication.getStore());
    const bot = (world: World): Bot => {
      note();
      return ofApplication.run(`start ${world.start}`, () => {
        // What is set in a context fires in it.
        setTimeout(() => world.log(ofApplication.getStore() ?? 'no context'), 1000);
        return {
          callback: (request) => (note(), ofApplication.run('a notification', () => answer(request, world))),
          stop: note,
          stats: () => (note(), { waiting: 0, running: 0, dead: 0 }),
        };
      });
    };
    const logged: string[] = [];
    const check: NonNullable<SimulationOptions['checks']>[number] = ({ trace }) => (logged.push(...trace), []);
    await simulate({ seeds: 3, bot, load, faults: { kills: 12, stops: 4, responseLost: 0.1 }, checks: [check] });
    expect(logged.filter((line) => line.includes('the bot is killed')).length).toBeGreaterThan(10);
    expect(logged.filter((line) => line.includes('log: start')).length).toBeGreaterThan(10);
    expect(logged.join('\n')).not.toContain('no context');
    expect(new Set(found)).toEqual(new Set([undefined]));
  });
});

describe('a bot that was made in another context, and leaves the world there, is told so', () => {
  test.each<[string, string, (world: World) => Bot | Promise<Bot>]>([
    [
      'with a timer of bot(world)',
      'set a real timer',
      () => outside(() => (setInterval(() => undefined, 60_000).unref(), {})),
    ],
    [
      'with a timer of bot(world) after an await',
      'set a real timer',
      () => outside(async () => (await Promise.resolve(), setTimeout(() => undefined, 1).unref(), {})),
    ],
    [
      'with a timer of its callback',
      'set a real timer',
      () => ({ callback: () => outside(async () => (await sleep(1), new Response())) }),
    ],
    ['with a call', 'sent a request', (world) => ({ callback: (request) => outside(() => answer(request, world)) })],
    [
      'with a call of bot(world)',
      'sent a request',
      ({ baseUrl }) => outside(() => (void fetch(`${baseUrl}/sites`).catch(() => undefined), {})),
    ],
    [
      'with a call in a later turn',
      'sent a request',
      ({ baseUrl }) => outside(() => (setImmediate(() => void fetch(`${baseUrl}/sites`).catch(() => undefined)), {})),
    ],
  ])('%s', async (_, did, bot) => {
    const failing = simulate({ seeds: 1, bot, load, faults: 'none', checks: [] });
    await expect(failing).rejects.toThrow(ConfigurationError);
    await expect(failing).rejects.toThrow(
      new RegExp(
        `^The bot ${did} at \\S+:\\d+:\\d+\\. It ran in an async context from outside .* It was with seed 1, on day 1`,
      ),
    );
  });

  test('while other code of the process may set timers and send requests', async () => {
    const timer = setInterval(() => (setTimeout(() => undefined, 1), void fetch('data:,hello')), 1);
    await simulate({ seeds: 2, bot: () => ({}), load, checks: [] });
    clearInterval(timer);
  });
});
