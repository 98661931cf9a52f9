import { RequestAbortedError, SellerClient } from 'marketplace-seller-sdk';
import type { CallOptions } from 'marketplace-seller-sdk';
import { expect, test } from 'vitest';
import { receiving } from '../support/stubs.ts';

const [total, limit] = [30, 10];
const reason = new Error('the user left');

/** A service whose lists have 30 entries with the ids 0 to 29, as each of the endpoints with a list writes them. */
async function service({ url }: Request): Promise<Response> {
  const offset = Number(new URL(url).searchParams.get('offset') ?? 0);
  const entries = Array.from({ length: Math.min(limit, total - offset) }, (_, index) => ({
    id: String(offset + index),
  }));
  const questions = entries.map(({ id }) => ({ id: Number(id), status: 'UNANSWERED' }));
  const paging = { total, offset, limit };
  return Response.json({ ...paging, paging, questions, messages: entries, results: entries });
}

const seller = new SellerClient({
  baseUrl: 'https://api.example.com',
  fetch: receiving(service),
  responseValidation: 'report',
});
interface Listed extends AsyncIterable<{ readonly id: unknown }> {
  pages(): AsyncGenerator<{ readonly items: readonly unknown[] }>;
  first(): Promise<unknown>;
  toArray(): Promise<unknown[]>;
}
type List = (options: CallOptions) => Listed;
const lists: Readonly<Record<string, List>> = {
  'questions.search': (options) => seller.questions.search({ seller_id: 7, limit }, options),
  'messages.conversation': (options) => seller.messages.conversation({ pack_id: 1, user_id: 7, limit }, options),
  'sites.search': (options) => seller.sites.search({ site_id: 'MLA', q: 'a', limit }, options),
};

const cases = Object.entries(lists).flatMap(([name, list]) => [0, 3, 9, 10, 29].map((last) => ({ name, list, last })));

test.each(cases)('$name: an abort in the loop at entry $last ends the iteration there', async ({ list, last }) => {
  const controller = new AbortController();
  let seen = 0;
  const read = async (): Promise<void> => {
    for await (const { id } of list({ signal: controller.signal })) {
      seen += 1;
      if (Number(id) === last) controller.abort(reason);
    }
  };
  const error = await read().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RequestAbortedError);
  expect(error).toMatchObject({ name: 'AbortError', cause: reason, outcomeUnknown: false });
  expect(seen).toBe(last + 1);
});

test.each(cases)('$name: pages() gives no page after an abort in the page with entry $last', async ({ list, last }) => {
  const controller = new AbortController();
  let seen = 0;
  const read = async (): Promise<void> => {
    for await (const { items } of list({ signal: controller.signal }).pages()) {
      seen += items.length;
      if (seen > last) controller.abort(reason);
    }
  };
  await expect(read()).rejects.toMatchObject({ name: 'AbortError', cause: reason });
  expect(seen - last).toBeGreaterThan(0);
  expect(seen - last).toBeLessThanOrEqual(limit);
});

test.each(Object.entries(lists))('%s: every way to read rejects when the signal is aborted', async (_, list) => {
  const controller = new AbortController();
  const { signal } = controller;
  const begun = list({ signal })[Symbol.asyncIterator]();
  await begun.next();
  const underway = [list({ signal }).toArray(), list({ signal }).first()];
  controller.abort(reason);
  const results = await Promise.allSettled([
    ...underway,
    begun.next(),
    list({ signal }).toArray(),
    list({ signal }).first(),
    list({ signal }).pages().next(),
  ]);
  for (const result of results) expect(result).toMatchObject({ reason: { name: 'AbortError', cause: reason } });
});

test('leaving the loop after an abort is no error', async () => {
  const controller = new AbortController();
  for await (const { id } of seller.questions.search({ seller_id: 7 }, { signal: controller.signal })) {
    expect(id).toBe(0);
    controller.abort(reason);
    break;
  }
});
