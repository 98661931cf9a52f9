import { UnrecoverableError, createInbox, parseNotification } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ForeignClientError } from '../../src/notifications/errors.js';
import { newEntry, workOf } from '../../src/notifications/notification.js';
import { about, deliverUntilAccepted } from '../support/deliveries.ts';
import { engines } from '../support/inbox-engines.ts';
import type { Engine } from '../support/inbox-engines.ts';
import { silentLogger } from '../support/silent.ts';

/** A seller with one unanswered question, and an inbox whose handler fails with `error` once it has read the question. */
async function shop({ open }: Engine, more: Partial<InboxOptions> = {}) {
  const store = await open();
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { user_id } = seller;
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' });
  const client = marketplace.clientFor(seller);
  const state = { calls: 0, error: new UnrecoverableError('a person has to look') as Error | undefined };
  const inbox = createInbox({
    clientFor: () => client,
    retry: { maxRetries: 0 },
    logger: silentLogger,
    on: {
      questions: async (_, { read }) => {
        state.calls += 1;
        await read();
        if (state.error) throw state.error;
      },
    },
    store,
    ...more,
  });
  inbox.start();
  onTestFinished(() => inbox.close());
  const ended = async (dead: number): Promise<void> =>
    expect.poll(() => inbox.stats()).toMatchObject({ waiting: 0, running: 0, dead });
  const catchUp = () => inbox.catchUp({ user_ids: [user_id] });
  return { marketplace, seller, client, inbox, state, ended, catchUp, notification: about(id, { user_id }) };
}

// PostgreSQL has the statements of SQLite; same-message.test.ts has an inbox in it.
const every = engines().filter(({ name }) => name !== 'PostgreSQL');

describe.each(every)('a dead letter in $name', (engine) => {
  test.skipIf(!engine.isThere)('stays with a person: catchUp() does not add its question again', async () => {
    const { inbox, state, ended, catchUp, notification } = await shop(engine);
    await deliverUntilAccepted(inbox, notification);
    await ended(1);
    expect(await catchUp()).toEqual({ found: 1, added: 0, failed: [] });
    await ended(1);
    expect(state.calls).toBe(1);
    const [letter] = await inbox.deadLetters.list();
    expect(await inbox.deadLetters.replay(letter!.entry.key)).toBe(true);
    await expect.poll(() => state.calls).toBe(2);
    await ended(1);
    expect(await inbox.deadLetters.remove(letter!.entry.key)).toBe(true);
    expect(await catchUp()).toEqual({ found: 1, added: 0, failed: [] });
    await ended(0);
    expect(state.calls).toBe(2);
  });

  test.skipIf(!engine.isThere)('that catchUp() has found is not found again once a person has removed it', async () => {
    const { inbox, state, ended, catchUp } = await shop(engine);
    expect(await catchUp()).toMatchObject({ added: 1 });
    await ended(1);
    await inbox.deadLetters.removeAll(() => true);
    expect(await catchUp()).toMatchObject({ found: 1, added: 0 });
    await ended(0);
    expect(state.calls).toBe(1);
  });

  test.skipIf(!engine.isThere).each([
    ['may have been', { reset: 'after' } as const, /^\w+: .* \(questions\.answer may have been carried out\)$/],
    ['has not been', { status: 403 }, /^\w+: (?!.*may have been carried out)/],
  ])('says whether its answer %s carried out', async (_, fault, failure) => {
    const { marketplace, inbox, ended, notification } = await shop(engine, {
      retry: { maxRetries: 1, firstDelayMs: 1, maxDelayMs: 1 },
      on: {
        questions: async ({ question_id }, { client }) => client.questions.answer({ question_id, text: 'Yes.' }),
      },
    });
    marketplace.faults.inject({ endpoint: 'questions.answer', ...fault, times: 2 });
    marketplace.faults.inject({ endpoint: 'questions.get', status: 403, times: Infinity });
    await deliverUntilAccepted(inbox, notification);
    await ended(1);
    expect(marketplace.questions.all.map(({ answer }) => answer?.text)).toEqual([
      'reset' in fault ? 'Yes.' : undefined,
    ]);
    expect((await inbox.deadLetters.list()).map((letter) => letter.failure)).toEqual([expect.stringMatching(failure)]);
  });

  test.skipIf(!engine.isThere).each([
    ['what the service did not show is dropped, and added once it does', 404, 0],
    ['a dead letter of a seller without a valid token is added once there is one', 401, 1],
    ['a dead letter with the client of another seller is added once there is the right one', undefined, 1],
  ])('%s', async (_, status, dead) => {
    const { marketplace, inbox, state, ended, catchUp, notification } = await shop(engine);
    if (status === undefined) state.error = new ForeignClientError('another one');
    else marketplace.faults.inject({ endpoint: 'questions.get', status });
    await deliverUntilAccepted(inbox, notification);
    await ended(dead);
    state.error = undefined;
    expect(await catchUp()).toMatchObject({ found: 1, added: 1 });
    await expect.poll(() => state.calls).toBe(2);
  });
});

test.each(every.filter(({ isThere }) => isThere))(
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
    const { inbox, ended, catchUp, notification } = await shop(engine, { on: { questions } });
    await deliverUntilAccepted(inbox, notification);
    await started.promise;
    expect(await catchUp()).toMatchObject({ added: 1 });
    added.resolve(undefined);
    await ended(1);
    expect(calls).toBe(1);
  },
);

test('a question that was given up stays with a person for two weeks', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const engine = { name: 'memory', isThere: true, open: async () => memoryStore() };
  const { inbox, catchUp, notification } = await shop(engine);
  await inbox.add(notification);
  await inbox.idle();
  for (const days of [1.1, 12.8, 0.2]) {
    await vi.advanceTimersByTimeAsync(days * 86_400_000);
    expect(await catchUp()).toMatchObject({ found: 1, added: days === 0.2 ? 1 : 0 });
  }
});

test('a question that ends its process again and again is not added again', async () => {
  const store = memoryStore();
  const engine = { name: 'memory', isThere: true, open: async () => store };
  const { inbox, state, ended, catchUp, notification } = await shop(engine);
  // Its process ends as soon as it has leased it, ten times.
  await store.add(workOf(await newEntry(parseNotification(notification), Date.now())));
  for (let stalls = 0; stalls < 10; stalls += 1) {
    const claim = { kinds: ['questions'], limit: 1, leaseMs: 1, alone: stalls >= 2 };
    await vi.waitFor(async () => expect((await store.claim(claim)).leases).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await inbox.idle();
  await ended(1);
  expect(await catchUp()).toMatchObject({ found: 1, added: 0 });
  expect(state.calls).toBe(0);
});
