import { memoryStore, parseNotification, readNotification } from 'marketplace-seller-sdk/notifications';
import type { ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { describe, expect, test, vi } from 'vitest';
import { Attempts } from '../../src/notifications/handling/attempts.js';
import type { HandlingAttempt } from '../../src/notifications/handling/attempts.js';
import { unansweredQuestions } from '../../src/notifications/handling/unanswered.js';
import { inboxOf } from '../../src/notifications/inbox.js';
import { caughtUpKey, queuedNotification } from '../../src/notifications/queued-notification.js';
import { resolveReceiverOptions } from '../../src/notifications/resolve-options.js';
import { about } from '../support/deliveries.ts';
import { stoppedClocks } from '../support/fake-time.ts';
import { service } from '../support/service.ts';
import { silentLogger } from '../support/silent.ts';
import { errorOf, networkFault } from '../support/stubs.ts';

// What a run keeps, and what follows from it: of two reads, of two results, at a deploy, and whatever case the service writes in.

stoppedClocks();
const pass = (ms: number): void => void vi.advanceTimersByTime(ms);

/** Runs of a handler for one notification, without a worker. */
async function runs(body: object, options: Partial<ReceiverOptions>) {
  const store = memoryStore();
  const inbox = inboxOf(resolveReceiverOptions({ store, logger: silentLogger, ...options }));
  const entry = await queuedNotification(parseNotification(body), Date.now());
  const attempts = new Attempts(inbox);
  const run = async (more: Partial<HandlingAttempt> = {}) => {
    const attempt: HandlingAttempt = {
      attempt: 1, coalescedCount: 0, controller: new AbortController(), stalledCount: 0, note: () => Promise.resolve(true), ...more,
    };
    return { outcome: await attempts.run(entry, attempt), attempt };
  }; // prettier-ignore
  const remembered = () => store.ledger?.get(caughtUpKey(entry.groupId));
  return { inbox, run, remembered };
}
const message = { user_id: 7, topic: 'messages', resource: '/messages/m1' };
const received = {
  id: 'm1',
  from: { user_id: 9 },
  to: { user_id: 7 },
  text: 'Hello',
  message_resources: [{ id: '1', name: 'packs' }],
};
const conversation = { messages: [received], paging: { total: 1 } };

describe('how a message ended', () => {
  const answering = () =>
    runs(message, {
      clientFor: () => service((path, { method }) => (method === 'POST' ? { id: 'm2' } : path.includes('/packs/') ? conversation : received)).client,
      on: { messages: (_, { reply }) => reply('It leaves today.') },
    }); // prettier-ignore
  const stalled = { stalledCount: 5, attempt: 6 };

  test('that was answered stays so, also if another notification of it is given up', async () => {
    const { run, remembered } = await answering();
    expect((await run()).outcome.kind).toBe('done');
    expect(await remembered()).toBe('answered');
    expect((await run(stalled)).outcome.kind).toBe('dead');
    expect(await remembered()).toBe('answered');
    expect((await run()).outcome).toMatchObject({ kind: 'dropped', isUnknownSeller: false });
  });

  test('that was given up can still be answered', async () => {
    const { run, remembered } = await answering();
    expect((await run(stalled)).outcome.kind).toBe('dead');
    expect(await remembered()).toMatch(/^given up/);
    expect((await run()).outcome.kind).toBe('done');
    expect(await remembered()).toBe('answered');
  });

  test.each([
    [true, undefined],
    [false, 'answered'],
  ])('is not kept by a run that has lost its lease: %s', async (isLost, kept) => {
    const { run, remembered } = await answering();
    await run({ ...(isLost && { ...stalled, isLost }) });
    expect(await remembered()).toBe(kept);
  });
});

describe.each(['open', 'aborting', 'closed'] as const)('a response that is lost while the inbox is %s', (stage) => {
  test.each([
    // The next run reads back what was noted; without that, it could be sent twice.
    [true, stage === 'open' ? 'retry' : 'release'],
    [false, 'dead'],
  ])('of a write that is noted: %s ends as %s', async (isNoted, kind) => {
    const { inbox, run } = await runs(about(1), {
      clientFor: () =>
        service(
          () => {
            inbox.stage = stage;
            throw networkFault('ECONNRESET');
          },
          { maxRetries: 0 },
        ).client,
      on: { questions: ({ question_id }, { client }) => client.questions.answer({ question_id, text: 'Yes.' }) },
    });
    const { outcome } = await run(isNoted ? {} : { note: undefined });
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === 'release') expect(outcome.inMs).toBe(0);
  }); // prettier-ignore
});

describe('a handler that reads', () => {
  const question = { id: 1, seller_id: 7, status: 'UNANSWERED' };
  async function reading(handler: (read: (options?: object) => Promise<unknown>) => Promise<void>, fails = false) {
    const requests: Request[] = [];
    const { run } = await runs(about(1), {
      clientFor: () =>
        service((_, request) => {
          requests.push(request);
          if (fails) throw networkFault('ECONNRESET');
          return question;
        }, { maxRetries: 0 }).client,
      on: { questions: (_, { read }) => handler(read) },
    }); // prettier-ignore
    return { requests, ...(await run()) };
  }

  test.each([0, 1, 2])('%i times has read it when it read it first', async (times) => {
    const startedAt = Date.now();
    const { attempt, requests } = await reading(async (read) => {
      for (let time = 0; time < times; time += 1) {
        pass(1000);
        await read();
      }
      pass(1000);
    });
    expect(requests).toHaveLength(times);
    expect(attempt.readAt).toBe(startedAt + (times === 0 ? 0 : 1000));
    expect(attempt.confirmed).toBe(times === 0 ? undefined : true);
  });

  test('and whose read fails has read it then', async () => {
    const startedAt = Date.now();
    const { attempt } = await reading(async (read) => {
      pass(1000);
      await errorOf(read());
      pass(1000);
      await errorOf(read());
    }, true);
    expect(attempt.readAt).toBe(startedAt + 1000);
  });

  test('gives its read the options of a call', async () => {
    const { requests } = await reading(async (read) => {
      await read();
      await read({ headers: { 'x-of-the-call': 'yes' }, query: { api_version: 4 } });
    });
    expect(requests.map(({ headers }) => headers.get('x-of-the-call'))).toEqual([null, 'yes']);
    expect(requests.map(({ url }) => new URL(url).searchParams.get('api_version'))).toEqual([null, '4']);
  });
});

test.each(['UNANSWERED', 'unanswered', 'Unanswered'])('a question is unanswered if its status is %s', async (status) => {
  const statuses = [status, 'ANSWERED', null, undefined, 'CLOSED_UNANSWERED', status];
  const questions = statuses.map((each, index) => ({ id: index + 1, ...(each !== undefined && { status: each }) }));
  const { client } = service(() => ({ questions: questions, total: questions.length }));
  const pages: (readonly number[])[] = [];
  for await (const page of unansweredQuestions(client, 7)) pages.push(page);
  expect(pages.flat()).toEqual([1, 6]);
}); // prettier-ignore

test.each<[unknown, string | undefined]>([
  [[{ id: '1', name: 'packs' }], '1'],
  [[{ id: '1', name: 'Packs' }], '1'],
  [[{ id: 1, name: 'PACKS' }], '1'],
  [[{ id: '7', name: 'sellers' }, { id: '1', name: 'packs' }], '1'],
  [[{ id: '1', name: 'packs' }, { id: '2', name: 'packs' }], '1'],
  [[{ id: '7', name: 'sellers' }], undefined],
  [[{ id: null, name: 'packs' }], undefined],
  [[{ id: '1', name: null }], undefined],
  [[], undefined],
  [null, undefined],
])('a message with the resources %j is of the pack %s', async (message_resources, pack_id) => {
  const { client } = service(() => ({ ...received, message_resources }));
  const notification = parseNotification(message);
  expect(await readNotification(client, notification)).toMatchObject({ id: 'm1', pack_id });
}); // prettier-ignore
