import {
  UnrecoverableError,
  createReceiver,
  memoryStore,
  parseNotification,
} from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queuedNotification } from '../../src/notifications/queued-notification.js';
import { about, deliver, patient } from '../support/deliveries.ts';
import { engines } from '../support/inbox-engines.ts';
import type { Engine } from '../support/inbox-engines.ts';
import { silentLogger } from '../support/silent.ts';

/** A seller with one unanswered question, and an inbox whose handler fails with `error` once it has read the question. */
async function shop({ open }: Engine, more: Partial<ReceiverOptions> = {}) {
  const { options, work } = await open();
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { user_id } = seller;
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' });
  const client = marketplace.clientFor(seller);
  const state = { calls: 0, error: new UnrecoverableError('a person has to look') as Error | undefined };
  const receiver = createReceiver({
    clientFor: () => client,
    retry: { attempts: 1 },
    logger: silentLogger,
    on: {
      questions: async (_, { read }) => {
        state.calls += 1;
        await read();
        if (state.error) throw state.error;
      },
    },
    ...patient,
    ...options,
    ...more,
  });
  work?.(receiver);
  receiver.start();
  onTestFinished(() => receiver.close());
  const ended = async (dead: number): Promise<void> =>
    expect.poll(() => receiver.stats(), { timeout: 30_000 }).toMatchObject({ waiting: 0, running: 0, dead });
  const catchUp = () => receiver.catchUp({ user_ids: [user_id] });
  return { marketplace, seller, client, receiver, state, ended, catchUp, notification: about(id, { user_id }) };
}

describe.each(engines())('a dead letter in $name', (engine) => {
  test.skipIf(!engine.isThere)('stays with a person: catchUp() does not add its question again', async () => {
    const { receiver, state, ended, catchUp, notification } = await shop(engine);
    await deliver(receiver, notification);
    await ended(1);
    expect(await catchUp()).toEqual({ found: 1, added: 0, failed: [] });
    await ended(1);
    expect(state.calls).toBe(1);
    const [letter] = await receiver.deadLetters.list();
    expect(await receiver.deadLetters.replay(letter!.entry.key)).toBe(true);
    await expect.poll(() => state.calls).toBe(2);
    await ended(1);
    expect(await receiver.deadLetters.remove(letter!.entry.key)).toBe(true);
    expect(await catchUp()).toEqual({ found: 1, added: 0, failed: [] });
    await ended(0);
    expect(state.calls).toBe(2);
  });

  test.skipIf(!engine.isThere)('that catchUp() has found is not found again once a person has removed it', async () => {
    const { receiver, state, ended, catchUp } = await shop(engine);
    expect(await catchUp()).toMatchObject({ added: 1 });
    await ended(1);
    await receiver.deadLetters.removeAll(() => true);
    expect(await catchUp()).toMatchObject({ found: 1, added: 0 });
    await ended(0);
    expect(state.calls).toBe(1);
  });

  test.skipIf(!engine.isThere).each([
    ['may have been', { reset: 'after' } as const, /^\w+: .* \(questions\.answer may have been carried out\)$/],
    ['has not been', { status: 403 }, /^\w+: (?!.*may have been carried out)/],
  ])('says whether its answer %s carried out', async (_, fault, failure) => {
    const { marketplace, receiver, ended, notification } = await shop(engine, {
      retry: { attempts: 2, baseMs: 1, capMs: 1 },
      on: {
        questions: async ({ question_id }, { client }) => client.questions.answer({ question_id, text: 'Yes.' }),
      },
    });
    marketplace.faults.inject({ endpoint: 'questions.answer', ...fault, times: 2 });
    marketplace.faults.inject({ endpoint: 'questions.get', status: 403, times: Infinity });
    await deliver(receiver, notification);
    await ended(1);
    expect(marketplace.questions.all.map(({ answer }) => answer?.text)).toEqual([
      'reset' in fault ? 'Yes.' : undefined,
    ]);
    expect((await receiver.deadLetters.list()).map((letter) => letter.failure)).toEqual([
      expect.stringMatching(failure),
    ]);
  });

  test.skipIf(!engine.isThere).each([
    ['of a question that the service did not show is added once it does', 404],
    ['of a seller without a valid token is added once there is one', 401],
  ])('%s', async (_, status) => {
    const { marketplace, receiver, state, ended, catchUp, notification } = await shop(engine);
    marketplace.faults.inject({ endpoint: 'questions.get', status });
    await deliver(receiver, notification);
    await ended(1);
    state.error = undefined;
    expect(await catchUp()).toMatchObject({ found: 1, added: 1 });
    await expect.poll(() => state.calls).toBe(2);
  });
});

test.each(engines().filter(({ isThere }) => isThere))(
  'what catchUp() has added behind it ends with it, in $name',
  async (engine) => {
    const started = Promise.withResolvers<undefined>();
    const added = Promise.withResolvers<undefined>();
    let calls = 0;
    const questions = async (): Promise<void> => {
      calls += 1;
      started.resolve(undefined);
      await added.promise;
      throw new UnrecoverableError('a person has to look');
    };
    const { receiver, ended, catchUp, notification } = await shop(engine, { on: { questions } });
    await deliver(receiver, notification);
    await started.promise;
    expect(await catchUp()).toMatchObject({ added: 1 });
    added.resolve(undefined);
    await ended(1);
    expect(calls).toBe(1);
  },
);

test('a question that ends its process again and again is not added again', async () => {
  const added: QueuedNotification[] = [];
  const ledger = memoryStore().ledger!;
  const kept: number[] = [];
  const replace: typeof ledger.replace = async (key, expected, value, ms) => {
    if (key.startsWith('handled')) kept.push(ms);
    return ledger.replace(key, expected, value, ms);
  };
  const asking = { get: ledger.get.bind(ledger), replace };
  const queue = { add: async (entry: QueuedNotification) => void added.push(entry), ledger: asking };
  const engine = { name: 'a queue', isThere: true, open: async () => ({ options: { queue } }) };
  const { receiver, catchUp, notification } = await shop(engine);
  const entry = await queuedNotification(parseNotification(notification), Date.now());
  expect(await receiver.run(entry, { stalledCount: 5 })).toMatchObject({ kind: 'dead' });
  // A person has two weeks for it.
  expect(kept).toEqual([14 * 86_400_000]);
  expect(await catchUp()).toMatchObject({ found: 1, added: 0 });
  expect(added).toEqual([]);
});
