import { describe } from 'vitest';
import { botsOfExamples } from './bots/all.ts';
import { testBadDaysOf } from './bots/bad-days.ts';

// In a file of its own, so that it runs beside those of the pages.
describe('on bad days, nothing goes wrong with the examples', () => {
  testBadDaysOf(botsOfExamples());
});
