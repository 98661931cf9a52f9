import { parseNotification, readNotification } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { describe, expect, test } from 'vitest';
import { inboxContext } from '../../src/notifications/context.js';
import { newEntry } from '../../src/notifications/notification.js';
import { factKeyOf } from '../../src/work/store.js';
import { Handling, NotificationTask } from '../../src/notifications/handling/notification-task.js';
import { unansweredQuestions } from '../../src/notifications/handling/unread.js';
import { resolveInboxOptions } from '../../src/notifications/options.js';
import { EndsProcessError } from '../../src/work/policy.js';
import type { Verdict } from '../../src/work/store.js';
import { about } from '../support/deliveries.ts';
import { stoppedClocks } from '../support/fake-time.ts';
import { service } from '../support/service.ts';
import { silentLogger } from '../support/silent.ts';

// What is kept of how a message ended, and what a handler reads.

stoppedClocks();

/** Runs of a handler for one notification, without a worker. */
async function runs(body: object, options: Partial<InboxOptions>) {
  const store = memoryStore();
  const context = inboxContext(resolveInboxOptions({ logger: silentLogger, ...options }), store);
  const entry = await newEntry(parseNotification(body), Date.now());
  const handling = new Handling(context);
  const { ledger } = store;
  /** One run, and what follows from it. It keeps what it comes to, unless its lease is lost. */
  const run = async ({ isLost = false, error }: { isLost?: boolean; error?: Error } = {}): Promise<Verdict> => {
    const controller = new AbortController();
    const name = factKeyOf(entry.groupId);
    const before = await ledger.get(name);
    const lease = { key: entry.key, token: 't', data: entry, failures: 0, stalls: 0, notes: {}, fact: before };
    const abort = (reason: Error): void => controller.abort(reason);
    const task = new NotificationTask(
      lease,
      { signal: controller.signal, notes: {}, abort, note: async () => true },
      handling,
    );
    const verdict = error ? task.failed(error) : await task.run().catch((thrown: unknown) => task.failed(thrown));
    const { fact } = verdict;
    if (fact && !isLost) await ledger.replace(name, before, fact.value, fact.ms);
    return verdict;
  };
  return { run, remembered: () => ledger.get(factKeyOf(entry.groupId)) };
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
      clientFor: () =>
        service((path, { method }) =>
          method === 'POST' ? { id: 'm2', status: 'available' } : path.includes('/packs/') ? conversation : received,
        ).client,
      on: { messages: (_, { reply }) => reply('It leaves today.') },
    });
  const stalled = { error: new EndsProcessError('the process ended each time') };

  test('that was answered stays so: another notification of it is not handled', async () => {
    const { run, remembered } = await answering();
    expect((await run()).state).toBe('done');
    expect(await remembered()).toBe('answered');
    expect(await run()).toMatchObject({ state: 'done', failed: false });
    expect(await remembered()).toBe('answered');
  });

  test('that was given up can still be answered, if its dead letter is replayed', async () => {
    const { run, remembered } = await answering();
    expect((await run(stalled)).state).toBe('dead');
    expect(await remembered()).toMatch(/^given up/);
    expect((await run()).state).toBe('done');
    expect(await remembered()).toBe('answered');
  });
});

describe('a handler that reads', () => {
  const question = { id: 1, seller_id: 7, status: 'UNANSWERED' };
  async function reading(handler: (read: (options?: object) => Promise<unknown>) => Promise<void>) {
    const requests: Request[] = [];
    const client = service((_, request) => {
      requests.push(request);
      return question;
    }).client;
    const { run } = await runs(about(1), {
      clientFor: () => client,
      on: { questions: (_, { read }) => handler(read) },
    });
    return { requests, verdict: await run() };
  }

  test('gives its read the options of a call', async () => {
    const { requests } = await reading(async (read) => {
      await read();
      await read({ headers: { 'x-of-the-call': 'yes' }, query: { api_version: 4 } });
    });
    expect(requests.map(({ headers }) => headers.get('x-of-the-call'))).toEqual([null, 'yes']);
    expect(requests.map(({ url }) => new URL(url).searchParams.get('api_version'))).toEqual([null, '4']);
  });
});

test.each(['UNANSWERED', 'unanswered', 'Unanswered'])(
  'a question takes an answer if its status is %s',
  async (status) => {
    const statuses = [status, 'ANSWERED', 'CLOSED_UNANSWERED', status];
    const questions = statuses.map((each, index) => ({ id: index + 1, status: each }));
    const { client } = service(() => ({ questions: questions, total: questions.length }));
    const pages: (readonly number[])[] = [];
    for await (const page of unansweredQuestions(client, 7)) pages.push(page);
    expect(pages.flat()).toEqual([1, 4]);
  },
);

test.each<[unknown, string | undefined]>([
  [[{ id: '1', name: 'packs' }], '1'],
  [[{ id: '1', name: 'Packs' }], '1'],
  [[{ id: 1, name: 'PACKS' }], '1'],
  [
    [
      { id: '7', name: 'sellers' },
      { id: '1', name: 'packs' },
    ],
    '1',
  ],
  [
    [
      { id: '1', name: 'packs' },
      { id: '2', name: 'packs' },
    ],
    '1',
  ],
  [[{ id: '7', name: 'sellers' }], undefined],
  [[{ id: null, name: 'packs' }], undefined],
  [[{ id: '1', name: null }], undefined],
  [[], undefined],
  [null, undefined],
])('a message with the resources %j is of the pack %s', async (message_resources, pack_id) => {
  const { client } = service(() => ({ ...received, message_resources }));
  const notification = parseNotification(message);
  expect(await readNotification(client, notification)).toMatchObject({ id: 'm1', pack_id });
});
