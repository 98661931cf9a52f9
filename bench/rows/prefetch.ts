import { SellerClient } from '../library.ts';
import { compare } from '../measure.ts';
import type { Row } from '../measure.ts';

const count = 10_000;
const size = 50;

/** What an iteration over the list did, besides its time. */
export interface Iteration {
  readonly ms: number;
  readonly requests: number;
  readonly ids: readonly number[];
  readonly furthest: number;
}

/** Iterates over 10,000 questions with 50 per page; each page takes `latencyMs`. */
export async function iterate(prefetch: number, latencyMs = 20): Promise<Iteration> {
  let requests = 0;
  let furthest = 0;
  const fetch = async (request: Request): Promise<Response> => {
    requests += 1;
    const query = new URL(request.url).searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const limit = Number(query.get('limit') ?? size);
    furthest = Math.max(furthest, offset);
    await new Promise((resolve) => setTimeout(resolve, latencyMs));
    const ids = Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, index) => offset + index);
    return Response.json({ total: count, limit, questions: ids.map((id) => ({ id })) });
  };
  const seller = new SellerClient({ baseUrl: 'https://stub.test', accessToken: 'token', fetch });
  const start = performance.now();
  const ids: number[] = [];
  for await (const { id } of seller.questions.search({ seller_id: 7, limit: size }, { prefetch })) ids.push(id);
  return { ms: performance.now() - start, requests, ids, furthest };
}

/** The iteration with prefetch, compared with the one without. */
export async function prefetch(): Promise<Row[]> {
  const measured: Record<string, number[]> = {};
  for (let round = 0; round < 5; round += 1) {
    for (const ahead of [0, 4, 8]) (measured[`prefetch ${ahead}`] ??= []).push((await iterate(ahead)).ms);
  }
  return [
    {
      title: '10,000 questions at 50 a page, 20 ms a page',
      unit: 'ms',
      figures: compare(measured),
      goal: 'prefetch 4 at most 0.28, prefetch 8 at most 0.14 of the time without prefetch',
    },
  ];
}
