import { endpoints } from '../library.ts';
import { child, compare, median } from '../measure.ts';
import type { Row } from '../measure.ts';

const question = {
  id: 42,
  seller_id: 7,
  item_id: 'MLA1234567',
  text: 'Is there stock of the blue one? I would like to buy it today.',
  status: 'ANSWERED',
  date_created: '2026-01-01T00:00:00.000Z',
  deleted_from_listing: false,
  hold: false,
  from: { id: 9, answered_questions: 3 },
  answer: { text: 'Yes, there is.', status: 'ACTIVE', date_created: '2026-01-01T01:00:00.000Z' },
};

/** Validating a page of fifty questions in steady state, against parsing its text; and the first question of a process. */
export async function validation(): Promise<Row[]> {
  return [steadyState(), await firstQuestion()];
}

async function firstQuestion(): Promise<Row> {
  const measured: number[] = [];
  for (let run = 0; run < 11; run += 1)
    measured.push(await child<number>('children/first-validation.mjs', JSON.stringify(question)));
  return {
    title: 'first question that is validated in a process',
    unit: 'ms',
    figures: [{ who: 'marketplace-seller-sdk', value: median(measured) }],
    goal: 'at most 5',
    limits: [{ who: 'marketplace-seller-sdk', value: 5 }],
  };
}

function steadyState(): Row {
  const value = { total: 50, limit: 50, questions: Array.from({ length: 50 }, (_, id) => ({ ...question, id })) };
  const text = JSON.stringify(value);
  const measured: Record<string, number[]> = { 'JSON.parse': [], validation: [] };
  const time = (name: string, work: () => unknown): void => {
    const start = performance.now();
    for (let count = 0; count < 20; count += 1) work();
    measured[name]?.push(((performance.now() - start) / 20) * 1000);
  };
  for (let round = 0; round < 200; round += 1) {
    time('JSON.parse', () => JSON.parse(text) as unknown);
    time('validation', () => endpoints.questions.search.output.safeParse(value));
  }
  return {
    title: 'validation of a page of 50',
    unit: 'µs',
    figures: compare(measured),
    goal: 'at most 0.9 of JSON.parse',
    limits: [{ who: 'validation', ratio: 0.9 }],
  };
}
