import { isAnswerable } from 'marketplace-seller-sdk';
import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, History, World } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import { careful, carefulInMemory } from './bots/question-bots.ts';

const hourMs = 3_600_000;
const load = { questions: 4, sales: 1, messages: 1, cancellations: 0 };

/** How many hours of the quiet day the bot makes calls. */
async function quietHours(bot: (world: World) => Bot): Promise<number> {
  const histories: History[] = [];
  await simulate({ seeds: [3], bot, load, checks: [(history) => (histories.push(history), [])] });
  const last = histories[0]?.calls.at(-1)?.at ?? 0;
  return (last - Date.UTC(2026, 2, 3)) / hourMs;
}

test.each([
  ['in memory', carefulInMemory],
  ['with SQLite, which keeps notifications that no handler wants', careful],
])('the quiet day ends once the bot has nothing more to do: %s', async (_, bot) => {
  const hours = await quietHours(bot);
  expect(hours).toBeGreaterThan(2);
  expect(hours).toBeLessThan(4);
});

test('a bot that counts nothing has the whole day', async () => {
  const uncounted = (world: World): Bot => {
    const { stats: _, ...bot } = careful(world);
    return bot;
  };
  expect(await quietHours(uncounted)).toBeGreaterThan(23);
});

test('a bot that counts has the whole day while something is open: it looks for open questions each seven hours', async () => {
  const bot = (world: World): Bot => {
    const look = async (): Promise<void> => {
      for (const { user_id } of world.sellers) {
        const { questions } = world.client(user_id);
        for await (const question of questions.search({ seller_id: user_id }))
          if (isAnswerable(question))
            await questions.answer({ question_id: question.id, text: 'Yes.' }).catch(() => undefined);
      }
    };
    setInterval(() => void look().catch(() => undefined), 7 * hourMs);
    return { stats: () => ({ waiting: 0, running: 0, dead: 0 }) };
  };
  await simulate({ seeds: 3, bot, load: { ...load, questions: 16 }, faults: { kills: 2 } });
});
