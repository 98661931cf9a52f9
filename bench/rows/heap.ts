import { SellerClient } from '../library.ts';
import { median } from '../measure.ts';
import type { Row } from '../measure.ts';

/**
 * What 10,000 calls over one client and one signal add to the heap, in KiB: five times the median growth of 2,000, so
 * that one late collection does not count. Needs --expose-gc.
 */
export async function heapGrowth(): Promise<number> {
  const fetch = (): Promise<Response> => Promise.resolve(Response.json({ id: 42 }));
  const seller = new SellerClient({ baseUrl: 'https://stub.test', accessToken: 'token', fetch });
  const { signal } = new AbortController();
  const growths: number[] = [];
  let before = Number.NaN;
  for (let batch = 0; batch < 9; batch += 1) {
    for (let done = 0; done < 2000; done += 1) await seller.questions.get({ question_id: 42 }, { signal });
    const after = await settledHeap();
    // The first batches warm the compiler up.
    if (batch > 3) growths.push(after - before);
    before = after;
  }
  return (5 * median(growths)) / 1024;
}

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

export async function heap(): Promise<Row[]> {
  const value = await heapGrowth();
  return [
    {
      title: 'heap after 10,000 calls, against before',
      unit: 'KiB',
      figures: [{ who: 'marketplace-seller-sdk', value }],
      goal: 'flat',
    },
  ];
}
