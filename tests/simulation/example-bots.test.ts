import { simulate } from 'marketplace-seller-sdk/simulation';
import { describe, expect, test } from 'vitest';
import { botsOfExamples } from './bots/all.ts';
import { testBadDaysOf } from './bots/bad-days.ts';
import { askedLater, outboxBot } from './bots/outbox-bot.ts';

// In a file of its own, so that it runs beside those of the pages.
describe('on bad days, nothing goes wrong with the examples', () => {
  testBadDaysOf(botsOfExamples());
});

test('a job of the outbox that is sent before its time is found', async () => {
  const day = { seeds: [1], load: { questions: 0, sales: 4 }, checks: [askedLater] };
  await simulate({ ...day, bot: (world) => outboxBot(world) });
  const hasty = simulate({ ...day, bot: (world) => outboxBot(world, true) });
  await expect(hasty).rejects.toThrow(/the buyer of s\d was asked too early/);
});
