import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { Fault } from 'marketplace-seller-sdk/testing';
import { SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, onTestFinished, test } from 'vitest';
import { overSockets } from '../support/fake-time.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf } from '../support/stubs.ts';

const answer = endpoints.questions.answer;

/** Creates a marketplace with an open question, and its seller's client, in process or over HTTP. */
async function setUp(
  channel: string,
): Promise<{ marketplace: FakeMarketplace; sellerClient: SellerClient; question_id: number }> {
  const options = { maxRetries: 0, timeoutMs: 400 };
  const { marketplace, seller, sellerClient, question_id } = createMarketplace(options);
  if (channel === 'in process') return { marketplace, sellerClient, question_id };
  const { url, close } = await marketplace.listen();
  onTestFinished(close);
  const accessToken = marketplace.tokenFor(seller);
  return { marketplace, sellerClient: new SellerClient({ baseUrl: url, accessToken, ...options }), question_id };
}

describe.each(['in process', 'over HTTP'])('a fault %s', (channel) => {
  const kinds: [string, Fault, string, boolean][] = [
    ['a reset before', { reset: 'before' }, 'OutcomeUnknownError', false],
    ['a reset after', { reset: 'after' }, 'OutcomeUnknownError', true],
    ['a stall in the body', { stall: true }, 'OutcomeUnknownError', true],
    ['a stall before the headers', { stall: 'headers' }, 'OutcomeUnknownError', true],
    ['a truncated response', { truncate: true }, 'OutcomeUnknownError', true],
    ['a status', { status: 502, body: '<h1>Bad Gateway</h1>' }, 'ServerError', false],
    ['a status after', { status: 502, after: true }, 'ServerError', true],
    ['a status with a JSON body', { status: 429, body: { error: 'too_many_requests' } }, 'RateLimitError', false],
    ['a delay longer than the timeout', { delayMs: 3000 }, 'OutcomeUnknownError', false],
  ];

  test.each(kinds)('%s ends the call as documented', async (_, fault, name, isDone) => {
    const { marketplace, sellerClient, question_id } = await setUp(channel);
    marketplace.faults.inject({ ...fault, endpoint: answer });
    const error = await overSockets(() => errorOf(sellerClient.questions.answer({ question_id, text: 'Yes.' })));
    expect(error.name).toBe(name);
    const question = await overSockets(() => sellerClient.questions.get({ question_id }, { timeoutMs: 10_000 }));
    expect(question.answer?.text === 'Yes.').toBe(isDone);
    expect(marketplace.faults.pending).toBe(0);
  });

  test('a delay within the timeout is a slow success', async () => {
    const { marketplace, sellerClient, question_id } = await setUp(channel);
    marketplace.faults.inject({ delayMs: 30 });
    const { response } = await overSockets(() => sellerClient.questions.get({ question_id }).withResponse());
    expect(response.durationMs).toBeGreaterThanOrEqual(30);
  });
});

describe('which requests a fault applies to', () => {
  test('a fault applies to requests of its endpoint, as many times as it says, in order', async () => {
    const { marketplace, sellerClient, question_id } = await setUp('in process');
    marketplace.faults.inject({ status: 500, endpoint: answer });
    marketplace.faults.inject({ status: 502, times: 2 });
    const statusOf = async (call: PromiseLike<unknown>): Promise<unknown> =>
      call.then(
        () => 200,
        (error: unknown) => (error as { status: number }).status,
      );
    const get = (): PromiseLike<unknown> => sellerClient.questions.get({ question_id });
    expect([await statusOf(get()), await statusOf(get()), await statusOf(get())]).toEqual([502, 502, 200]);
    expect(await statusOf(sellerClient.questions.answer({ question_id, text: 'Yes.' }))).toBe(500);
    marketplace.faults.inject({ status: 500, times: 9 });
    marketplace.faults.clear();
    expect(await statusOf(get())).toBe(200);
  });

  test('a fault with a probability hits the same requests for the same seed', async () => {
    const failedCalls = async (seed: number, others = 0, times = Infinity): Promise<number[]> => {
      const { marketplace, sellerClient, question_id } = await setUp('in process');
      for (let other = 0; other < others; other += 1)
        marketplace.faults.inject({ status: 500, endpoint: 'sites.search' });
      marketplace.faults.inject({ status: 500, probability: 0.3, seed, times });
      const results = [];
      for (let call = 0; call < 40; call += 1)
        results.push(
          await sellerClient.questions.get({ question_id }).then(
            () => 0,
            () => 1,
          ),
        );
      return results;
    };
    const [first, again, other] = [await failedCalls(7), await failedCalls(7, 1), await failedCalls(8)];
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    const hits = first.flatMap((isHit, call) => (isHit ? [call] : []));
    for (const times of [1, 3]) {
      const last = hits[times - 1]!;
      expect(await failedCalls(7, 0, times)).toEqual(first.map((isHit, call) => (call > last ? 0 : isHit)));
    }
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
  ] as Fault[])('an invalid fault is rejected: %j', (fault) => {
    expect(() => new FakeMarketplace().faults.inject(fault)).toThrow(FakeMarketplaceError);
  });

  test('a truncated response without a body is a reset', async () => {
    const marketplace = new FakeMarketplace();
    const owner = marketplace.addUser();
    const { item_id } = marketplace.addItem({ seller_id: owner.user_id });
    marketplace.flex.subscribe({ user_id: owner.user_id, service_id: 1001 });
    const item = { site_id: owner.site_id, item_id };
    const sellerClient = marketplace.clientFor(owner, { maxRetries: 0 });
    await sellerClient.flex.items.enable(item);
    marketplace.faults.inject({ truncate: true, endpoint: endpoints.flex.items.isEnabled });
    expect((await errorOf(sellerClient.flex.items.isEnabled(item))).message).toContain('ECONNRESET');
    expect(await sellerClient.flex.items.isEnabled(item)).toBe(true);
  });

  test('an abort ends a delayed call', async () => {
    const { marketplace, sellerClient, question_id } = await setUp('in process');
    marketplace.faults.inject({ delayMs: 60_000 });
    const controller = new AbortController();
    const error = await overSockets(() => {
      setTimeout(() => controller.abort(), 20);
      return errorOf(sellerClient.questions.get({ question_id }, { signal: controller.signal, timeoutMs: 5000 }));
    });
    expect(error.name).toBe('AbortError');
  });
});
