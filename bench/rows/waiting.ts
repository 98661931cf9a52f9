import type * as Library from 'marketplace-seller-sdk';
import { compare, here } from '../measure.ts';
import type { Row } from '../measure.ts';

const rounds = 5;
const body = JSON.stringify({ id: 1, text: 'Is there stock?', status: 'UNANSWERED' });

/** The CPU of a call that waits for `concurrency`, by how many others wait. */
export async function waiting(): Promise<Row[]> {
  const built: unknown = await import(here('../dist/esm/index.js'));
  const library = built as typeof Library;
  await microsecondsPerCall(library, 20_000);
  const measured: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const count of [5000, 10_000, 20_000]) {
      (measured[`${count} calls at once`] ??= []).push(await microsecondsPerCall(library, count));
    }
  }
  return [
    {
      title: 'CPU of a call that waits, with concurrency 10, stubbed',
      unit: 'µs',
      goal: 'the same, however many wait',
      figures: compare(measured),
    },
  ];
}

async function microsecondsPerCall({ SellerClient }: typeof Library, count: number): Promise<number> {
  const { questions } = new SellerClient({
    baseUrl: 'https://api.test',
    accessToken: 'token-1',
    concurrency: 10,
    fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } })),
  });
  globalThis.gc?.();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: count }, () => questions.get({ question_id: 1 })));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
