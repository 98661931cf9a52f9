import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { OutcomeUnknownError, SellerError, ServerError } from 'marketplace-seller-sdk';
import { expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { seed } from '../support/seed.ts';

/** `npm run explore` tries 10,000 writes; `npm test` tries what fits into a few seconds. */
const writes = Number(process.env.CHAOS_WRITES ?? 120);

/** Makes one call in ten fail, in each possible way. */
function injectFaults(marketplace: FakeMarketplace): void {
  const kinds = [
    { reset: 'before' },
    { reset: 'after' },
    { truncate: true },
    { stall: true },
    { status: 502, body: '<h1>Bad Gateway</h1>' },
    { status: 502, after: true },
    { status: 503, headers: { 'retry-after': '0' } },
    { delayMs: 5 },
  ] as const;
  kinds.forEach((kind, index) => marketplace.faults.inject({ ...kind, probability: 0.02, seed: seed + index }));
}

// real: it ends what stalls; a call that is slow for another reason is tried again, or read back.
const options = { timeoutMs: 120, maxRetries: 8, unknownOutcome: 'confirm' } as const;

test(`contract 7: of ${writes} answers over a faulty network (seed ${seed}) none is doubled, none is lost, and unknown outcomes are reported`, async () => {
  const marketplace = new FakeMarketplace();
  const [owner, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { item_id } = marketplace.addItem({ seller_id: owner.user_id });
  const ids = Array.from(
    { length: writes },
    (_, n) => marketplace.ask({ from: buyer, item_id, text: `Question ${n}?` }).id,
  );
  injectFaults(marketplace);
  const sellerClient = marketplace.clientFor(owner, options);
  const outcomes = await inTurns(ids, async (question_id) => {
    const text = `Answer to ${question_id}.`;
    return sellerClient.questions.answer({ question_id, text }).then(
      (question) => ({ question_id, result: 'done' as const, text: question?.answer?.text ?? '' }),
      (error: unknown) => ({ question_id, result: resultOf(error), text }),
    );
  });
  marketplace.faults.clear();
  const calm = marketplace.clientFor(owner);
  for (const { question_id, result, text } of outcomes) {
    const { answer } = await calm.questions.get({ question_id });
    if (result === 'done') expect(answer?.text).toBe(text);
    if (result === 'not done') expect(answer?.text).toBeUndefined();
  }
  expect(outcomes.filter(({ result }) => result === 'unknown').length).toBeLessThan(writes / 20);
  expect(outcomes.filter(({ result }) => result === 'done').length).toBeGreaterThan(writes * 0.9);
});

test(`contract 7: of ${writes} messages over a faulty network (seed ${seed}) none is doubled, none is lost, and unknown outcomes are reported`, async () => {
  const marketplace = new FakeMarketplace();
  const [owner, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const packs = Array.from({ length: Math.ceil(writes / 20) }, () => {
    const pack = marketplace.addPack({ seller_id: owner.user_id, buyer_id: buyer.user_id });
    marketplace.buyerWrites({ pack, text: 'Where is it?' });
    return pack.pack_id ?? pack.order_ids[0]!;
  });
  injectFaults(marketplace);
  const sellerClient = marketplace.clientFor(owner, options);
  const to = { user_id: buyer.user_id };
  const outcomes = await inTurns(
    Array.from({ length: writes }, (_, n) => n),
    async (n) => {
      const pack_id = packs[n % packs.length]!;
      const text = `Message number ${n}.`;
      return sellerClient.messages.send({ pack_id, user_id: owner.user_id, to, text }).then(
        () => ({ pack_id, result: 'done' as const, text }),
        (error: unknown) => ({ pack_id, result: resultOf(error), text }),
      );
    },
  );
  marketplace.faults.clear();
  const calm = marketplace.clientFor(owner);
  const delivered = new Map<string, number>();
  for (const pack_id of packs) {
    for await (const { text } of calm.messages.conversation({ pack_id, user_id: owner.user_id }))
      delivered.set(text ?? '', (delivered.get(text ?? '') ?? 0) + 1);
  }
  for (const { result, text } of outcomes) {
    const times = delivered.get(text) ?? 0;
    expect(times, `${text} was reported as ${result}`).toBeLessThanOrEqual(1);
    if (result === 'done') expect(times, text).toBe(1);
    if (result === 'not done') expect(times, text).toBe(0);
  }
  expect(outcomes.filter(({ result }) => result === 'done').length).toBeGreaterThan(writes * 0.9);
});

/** What an error says about the write. */
function resultOf(error: unknown): 'unknown' | 'not done' {
  if (!(error instanceof SellerError)) throw error;
  if (error instanceof OutcomeUnknownError) return 'unknown';
  return error instanceof ServerError && error.outcomeUnknown ? 'unknown' : 'not done';
}

/** Sixteen at a time. */
async function inTurns<In, Out>(all: readonly In[], work: (one: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  const queue = [...all.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  // A write that is not found is read back for seconds.
  vi.useFakeTimers();
  try {
    await advanceUntilSettled(Promise.all(Array.from({ length: 16 }, worker)));
  } finally {
    vi.useRealTimers();
  }
  return results;
}
