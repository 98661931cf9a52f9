import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { Fault } from 'marketplace-seller-sdk/testing';
import { SellerClient, endpoints } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorOf } from '../support/stubs.ts';

const answer = endpoints.questions.answer;

/** The seller of a marketplace with a question, in this process or on a port. */
async function market(
  road: string,
): Promise<{ marketplace: FakeMarketplace; seller: SellerClient; question_id: number }> {
  const marketplace = new FakeMarketplace();
  const [owner, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { item_id } = marketplace.addItem({ seller_id: owner.user_id });
  const { id } = marketplace.ask({ from: buyer, item_id, text: 'Is there stock?' });
  const options = { maxRetries: 0, timeoutMs: 400, confirmWindowMs: 0 };
  if (road === 'in process') return { marketplace, seller: marketplace.clientFor(owner, options), question_id: id };
  const server = await marketplace.listen();
  onTestFinished(() => server.close());
  const accessToken = marketplace.tokenFor(owner);
  return { marketplace, seller: new SellerClient({ baseUrl: server.url, accessToken, ...options }), question_id: id };
}

describe.each(['in process', 'on a port'])('faults %s', (road) => {
  const kinds: [string, Fault, string, boolean][] = [
    ['a reset before', { reset: 'before' }, 'OutcomeUnknownError', false],
    ['a reset after', { reset: 'after' }, 'OutcomeUnknownError', true],
    ['a stall in the body', { stall: true }, 'OutcomeUnknownError', true],
    ['a stall before the headers', { stall: 'headers' }, 'OutcomeUnknownError', true],
    ['a truncated answer', { truncate: true }, 'OutcomeUnknownError', true],
    ['a status', { status: 502, body: '<h1>Bad Gateway</h1>' }, 'ServerError', false],
    ['a status after', { status: 502, after: true }, 'ServerError', true],
    ['a status with a JSON body', { status: 429, body: { error: 'too_many_requests' } }, 'RateLimitError', false],
    ['a delay longer than the timeout', { delayMs: 3000 }, 'OutcomeUnknownError', false],
  ];

  test.each(kinds)('%s', async (_, fault, name, isDone) => {
    const { marketplace, seller, question_id } = await market(road);
    marketplace.faults.inject({ ...fault, endpoint: answer });
    const error = await errorOf(seller.questions.answer({ question_id, text: 'Yes.' }));
    expect(error.name).toBe(name);
    const question = await seller.questions.get({ question_id }, { timeoutMs: 10_000 });
    expect(question.answer?.text === 'Yes.').toBe(isDone);
    expect(marketplace.faults.pending).toBe(0);
  });

  test('a delay within the timeout only takes time', async () => {
    const { marketplace, seller, question_id } = await market(road);
    marketplace.faults.inject({ delayMs: 30 });
    const { response } = await seller.questions.get({ question_id }).withResponse();
    expect(response.durationMs).toBeGreaterThan(25);
  });
});

describe('which calls a fault strikes', () => {
  test('only those of its endpoint, as often as it says, one after the other', async () => {
    const { marketplace, seller, question_id } = await market('in process');
    marketplace.faults.inject({ status: 500, endpoint: answer });
    marketplace.faults.inject({ status: 502, times: 2 });
    const statusOf = async (call: PromiseLike<unknown>): Promise<unknown> =>
      call.then(
        () => 200,
        (error: unknown) => (error as { status: number }).status,
      );
    const get = (): PromiseLike<unknown> => seller.questions.get({ question_id });
    expect([await statusOf(get()), await statusOf(get()), await statusOf(get())]).toEqual([502, 502, 200]);
    expect(await statusOf(seller.questions.answer({ question_id, text: 'Yes.' }))).toBe(500);
    marketplace.faults.inject({ status: 500, times: 9 });
    marketplace.faults.clear();
    expect(await statusOf(get())).toBe(200);
  });

  test('with a probability, the same ones for the same seed', async () => {
    const struck = async (seed: number): Promise<number[]> => {
      const { marketplace, seller, question_id } = await market('in process');
      marketplace.faults.inject({ status: 500, probability: 0.3, seed });
      const results = [];
      for (let call = 0; call < 40; call += 1)
        results.push(
          await seller.questions.get({ question_id }).then(
            () => 0,
            () => 1,
          ),
        );
      return results;
    };
    const [first, again, other] = [await struck(7), await struck(7), await struck(8)];
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    const count = first.reduce((sum, each) => sum + each, 0);
    expect(count).toBeGreaterThan(3);
    expect(count).toBeLessThan(25);
  });

  test.each([
    { status: 500, reset: 'before' },
    { body: 'no status' },
    { reset: 'before', probability: 0 },
    { reset: 'before', probability: 1.5 },
    { reset: 'before', times: 0 },
  ] as Fault[])('what makes no sense is refused: %j', (fault) => {
    expect(() => new FakeMarketplace().faults.inject(fault)).toThrow(FakeMarketplaceError);
  });

  test('a truncated answer without a body is a reset', async () => {
    const marketplace = new FakeMarketplace();
    const owner = marketplace.addUser();
    const { item_id } = marketplace.addItem({ seller_id: owner.user_id });
    marketplace.flex.subscribe({ user_id: owner.user_id, service_id: 1001 });
    const item = { site_id: owner.site_id, item_id };
    const seller = marketplace.clientFor(owner, { maxRetries: 0 });
    await seller.flex.items.enable(item);
    marketplace.faults.inject({ truncate: true, endpoint: endpoints.flex.items.isEnabled });
    expect((await errorOf(seller.flex.items.isEnabled(item))).message).toContain('ECONNRESET');
    expect(await seller.flex.items.isEnabled(item)).toBe(true);
  });

  test('an abort ends a delayed call', async () => {
    const { marketplace, seller, question_id } = await market('in process');
    marketplace.faults.inject({ delayMs: 60_000 });
    const error = await errorOf(
      seller.questions.get({ question_id }, { signal: AbortSignal.timeout(20), timeoutMs: 5000 }),
    );
    expect(error.name).toBe('AbortError');
  });
});
