import { SellerClient } from '../library.ts';

const count = 10_000;
const size = 50;

/** Returns how many requests an iteration over 10,000 questions makes, with 50 per page. */
export async function requestsOfIteration(): Promise<number> {
  let requests = 0;
  const fetch = async (url: string): Promise<Response> => {
    requests += 1;
    const query = new URL(url).searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const limit = Number(query.get('limit') ?? size);
    const ids = Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, index) => offset + index);
    return Response.json({ total: count, limit, questions: ids.map((id) => ({ id })) });
  };
  const seller = new SellerClient({ baseUrl: 'https://stub.test', accessToken: 'token', fetch });
  let delivered = 0;
  for await (const { id } of seller.questions.search({ seller_id: 7, limit: size }))
    delivered += Number(id === delivered);
  if (delivered !== count) throw new Error(`${delivered} of ${count} questions were delivered in order`);
  return requests;
}
