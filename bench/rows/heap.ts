import { SellerClient } from '../library.ts';
import type { Row } from '../measure.ts';

/** The heap after so many calls over one client and one signal, against the heap before, in KiB. Needs --expose-gc. */
export async function heapGrowth(calls = 10_000): Promise<number> {
  const fetch = (): Promise<Response> => Promise.resolve(Response.json({ id: 42 }));
  const seller = new SellerClient({ baseUrl: 'https://stub.test', accessToken: 'token', fetch });
  const { signal } = new AbortController();
  const make = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) await seller.questions.get({ question_id: 42 }, { signal });
  };
  await make(6000);
  const before = await settledHeap();
  await make(calls);
  return ((await settledHeap()) - before) / 1024;
}

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
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
