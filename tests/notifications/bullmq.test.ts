import { setTimeout as pause } from 'node:timers/promises';
import { ConfigurationError, InvalidInputError } from 'marketplace-seller-sdk';
import { Queue, Worker } from 'bullmq';
import {
  bullmqProcessor,
  bullmqQueue,
  createReceiver,
  openInbox,
  parseNotification,
} from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { queuedNotification } from '../../src/notifications/queued-notification.js';
import { about, deliver, patient } from '../support/deliveries.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

test('bullmqQueue takes a queue, and adds a job with its options', async () => {
  expect(() => bullmqQueue({} as never)).toThrow(ConfigurationError);
  const added: unknown[][] = [];
  const add = async (...job: unknown[]): Promise<void> => void added.push(job);
  const receiver = createReceiver({ queue: bullmqQueue({ add }, { attempts: 3 }), on: { questions: () => {} } });
  expect(await deliver(receiver, about(1))).toBe(200);
  const [, entry, options] = added[0] as [string, QueuedNotification, object];
  expect(options).toMatchObject({
    jobId: `n-${entry.key}`,
    deduplication: { id: entry.groupId, keepLastIfActive: true },
    attempts: 3,
  });
});

/** A job as BullMQ passes it, and when it was delayed to. */
function jobOf(data: QueuedNotification, attemptsMade = 0) {
  const delays: number[] = [];
  const job = {
    data,
    attemptsMade,
    opts: {} as { backoff?: unknown },
    extendLock: async () => 1,
    moveToDelayed: async (timestamp: number) => void delays.push(timestamp - Date.now()),
    updateData: async (updated: QueuedNotification) => void (job.data = updated),
  };
  return { job, delays };
}

describe('what follows from a run is carried out by BullMQ', () => {
  const entryOf = () => queuedNotification(parseNotification(about(1)), Date.now());
  const processing = (error: unknown, options: Partial<ReceiverOptions> = {}) =>
    bullmqProcessor(
      createReceiver({
        queue: { add: async () => {} },
        on: { questions: () => Promise.reject(error as Error) },
        onFailure: () => {},
        ...options,
      }),
    );

  test('a failure counts, and is retried after the delay that the error asks for', async () => {
    const { job, delays } = jobOf(await entryOf());
    const error = Object.assign(new Error('slow down'), { retryAfterMs: 90_000 });
    await expect(processing(error)(job)).rejects.toBe(error);
    expect([job.opts.backoff, delays]).toEqual([{ type: 'fixed', delay: 90_000 }, []]);
  });

  test('a permanent error is final at the second attempt, also on another machine', async () => {
    const { job } = jobOf(await entryOf());
    const error = new InvalidInputError([]);
    await expect(processing(error)(job)).rejects.toBe(error);
    await expect(processing(error)({ ...job, attemptsMade: 1 })).rejects.toMatchObject({ name: 'UnrecoverableError' });
    // An error in between may have been another branch of the handler.
    await expect(processing(new Error('away'))({ ...job, attemptsMade: 1 })).rejects.toThrow('away');
    await expect(processing(error)({ ...job, attemptsMade: 2 })).rejects.toBe(error);
  });

  test('a job has the attempts of the receiver', async () => {
    const { job } = jobOf(await entryOf(), 2);
    const processor = processing(new Error('no'), { retry: { attempts: 3 } });
    await expect(processor(job)).rejects.toMatchObject({ name: 'UnrecoverableError', message: 'Error: no' });
  });

  test.each<[string, object, Partial<ReceiverOptions>]>([
    ['without a handler', {}, { on: undefined, fallback: () => {} }],
    ['for an entry of a newer version', { version: 99 }, {}],
  ])('a process %s uses up no attempt', async (_, more, options) => {
    const { job, delays } = jobOf({ ...(await entryOf()), ...more });
    const logger = { debug: () => {}, info: () => {}, warn: vi.fn(), error: () => {} };
    const processor = processing(new Error('no'), { logger, ...options });
    for (let run = 0; run < 3; run += 1) await expect(processor(job)).rejects.toMatchObject({ name: 'DelayedError' });
    expect(delays).toEqual([10_000, 10_000, 10_000].map((ms) => expect.closeTo(ms, -3) as number));
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  test.each<[string, number, number | undefined]>([
    ['a minute', 60_000, 60_000],
    ['ten hours', 36_000_000, 300_000],
    ['more than three days', 3 * 86_400_000 + 1, undefined],
  ])('what nobody has handled for %s is offered again later, or given up', async (_, ageMs, inMs) => {
    const { job, delays } = jobOf({ ...(await entryOf()), arrivedAt: Date.now() - ageMs });
    const onFailure = vi.fn();
    const running = processing(new Error('no'), { on: undefined, fallback: () => {}, onFailure })(job);
    await expect(running).rejects.toMatchObject({ name: inMs === undefined ? 'UnrecoverableError' : 'DelayedError' });
    expect(delays).toEqual(inMs === undefined ? [] : [expect.closeTo(inMs, -3)]);
    expect(onFailure).toHaveBeenCalledTimes(inMs === undefined ? 1 : 0);
  });

  test('six deploys use up no attempt', async () => {
    const { job, delays } = jobOf(await entryOf());
    for (let deploy = 0; deploy < 6; deploy += 1) {
      const started = Promise.withResolvers<undefined>();
      const receiver = createReceiver({
        queue: { add: async () => {} },
        on: {
          questions: async (_, { signal, attempt }) => {
            expect(attempt).toBe(1);
            started.resolve(undefined);
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            signal.throwIfAborted();
          },
        },
      });
      const running = bullmqProcessor(receiver)(job);
      const outcome = expect(running).rejects.toMatchObject({ name: 'DelayedError' });
      await started.promise;
      await receiver.close({ graceMs: 0 });
      await outcome;
      // A job that comes to a closed receiver is delayed too.
      await expect(bullmqProcessor(receiver)(job)).rejects.toMatchObject({ name: 'DelayedError' });
    }
    expect(delays).toHaveLength(12);
  });
});

test('bullmqProcessor passes the attempt and the signal on', async () => {
  const attempts: number[] = [];
  const entries: QueuedNotification[] = [];
  const receiver = createReceiver({
    queue: { add: async (entry) => void entries.push(entry) },
    on: { questions: (_, { attempt, signal }) => void attempts.push(attempt, Number(signal.aborted)) },
  });
  await deliver(receiver, about(1));
  await bullmqProcessor(receiver)(jobOf(entries[0]!, 2).job);
  expect(attempts).toEqual([3, 0]);
});

describe.skipIf(!hasRedis)('a worker that fails jobs after a few kills', () => {
  test.each<[object, number]>([
    [{}, 1],
    [{ maxStalledCount: 10 }, 1],
    [{ maxStalledCount: 1_000_000 }, 0],
  ])('with the options %j is told of in %i lines', async (options, lines) => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const connection = { path: redis.path, maxRetriesPerRequest: null };
    const queue = new Queue<QueuedNotification>('notifications', { connection });
    const handled: number[] = [];
    const warn = vi.fn();
    const receiver = createReceiver({
      queue: bullmqQueue(queue),
      ...patient,
      logger: { debug: () => {}, info: () => {}, warn, error: () => {} },
      on: { questions: ({ question_id }) => void handled.push(question_id) },
    });
    const worker = new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), {
      connection,
      ...options,
    });
    for (const id of [1, 2, 3]) await deliver(receiver, about(id));
    await expect.poll(() => handled).toHaveLength(3);
    await worker.close();
    await queue.close();
    expect(warn.mock.calls.filter(([line]) => String(line).includes('maxStalledCount'))).toHaveLength(lines);
  });
});

test('over a queue, a topic without a handler is dropped, counted and told once; a process that handles nothing adds it', async () => {
  const added: string[] = [];
  const warn = vi.fn();
  const inbox = { stats: async () => ({ waiting: 0, running: 0, dead: 0, topics: {} }) } as never;
  const options: ReceiverOptions = {
    queue: { add: async ({ notification }) => void added.push(notification.topic), inbox },
    logger: { debug: () => {}, info: () => {}, warn, error: () => {} },
    on: { questions: () => {} },
  };
  const item = (id: number): object => ({ user_id: 7, topic: 'items', resource: `/items/${id}` });
  const receiver = createReceiver(options);
  for (const id of [1, 2, 3]) expect(await deliver(receiver, item(id))).toBe(200);
  await deliver(receiver, about(1));
  expect(added).toEqual(['questions']);
  expect(await receiver.stats()).toMatchObject({ unreadable: 3 });
  expect(warn.mock.calls.map(([line]) => String(line))).toEqual([expect.stringContaining('items')]);
  expect(await deliver(createReceiver({ ...options, handle: false }), item(4))).toBe(200);
  expect(added).toEqual(['questions', 'items']);
});

describe.skipIf(!hasRedis)('two workers on one Redis', () => {
  test('run one job per resource at a time, and one begins after the last add', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const connection = { path: redis.path, maxRetriesPerRequest: null };
    const queue = new Queue<QueuedNotification>('notifications', { connection });
    const running = new Map<number, number>();
    const lastStart = new Map<number, number>();
    let most = 0;
    let runs = 0;
    const receiver = createReceiver({
      queue: bullmqQueue(queue),
      ...patient,
      on: {
        questions: async ({ question_id }) => {
          runs += 1;
          lastStart.set(question_id, performance.now());
          const now = (running.get(question_id) ?? 0) + 1;
          most = Math.max(most, now);
          running.set(question_id, now);
          await pause(20);
          running.set(question_id, now - 1);
        },
      },
    });
    const workers = [0, 1].map(
      () =>
        new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), {
          connection,
          concurrency: 8,
          maxStalledCount: 1_000_000,
        }),
    );
    const lastAdd = new Map<number, number>();
    for (let number = 0; number < 10; number += 1) {
      for (const question_id of [1, 2, 3]) {
        const _id = `${question_id}-${number}`;
        lastAdd.set(question_id, performance.now());
        expect(await deliver(receiver, about(question_id, { _id }))).toBe(200);
        // A duplicate of what runs or has run adds nothing.
        expect(await deliver(receiver, about(question_id, { _id }))).toBe(200);
      }
      await pause(7);
    }
    await expect.poll(async () => queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0);
    for (const worker of workers) await worker.close();
    await queue.close();
    expect(most).toBe(1);
    expect(runs).toBeLessThanOrEqual(30);
    for (const [question_id, at] of lastAdd) expect(lastStart.get(question_id)).toBeGreaterThan(at);
  });
});

describe.skipIf(!hasRedis)('jobs of one resource that failed, and are replayed together', () => {
  const replays: [string, (queue: Queue) => Promise<unknown>][] = [
    ['by BullMQ', (queue) => queue.retryJobs()],
    ['by an operator', (queue) => openInbox(bullmqQueue(queue)).deadLetters.replayAll()],
  ];
  test.each(replays)('%s, run one at a time, and each runs', async (_, replay) => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const connection = { path: redis.path, maxRetriesPerRequest: null };
    const queue = new Queue<QueuedNotification>('notifications', { connection });
    let fails = true;
    const running = new Set<unknown>();
    let most = 0;
    const handled: unknown[] = [];
    const receivers = [0, 1].map(() =>
      createReceiver({
        queue: bullmqQueue(queue),
        ...patient,
        retry: { attempts: 1 },
        onFailure: () => {},
        on: {
          questions: async ({ id }) => {
            if (fails) throw new Error('away');
            running.add(id);
            most = Math.max(most, running.size);
            await pause(20);
            running.delete(id);
            handled.push(id);
          },
        },
      }),
    );
    const workers = receivers.map(
      (receiver) =>
        new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), { connection, concurrency: 8 }),
    );
    const [receiver] = receivers as [(typeof receivers)[0]];
    for (let failed = 1; failed <= 5; failed += 1) {
      await deliver(receiver, about(1, { _id: `e${failed}` }));
      await expect.poll(() => queue.getFailedCount()).toBe(failed);
    }
    fails = false;
    await Promise.all([replay(queue), deliver(receiver, about(1, { _id: 'e6' }))]);
    await expect.poll(() => handled.toSorted()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
    expect(most).toBe(1);
    for (const worker of workers) await worker.close();
    await queue.close();
  });
});

describe.skipIf(!hasRedis)('an operator of an inbox in BullMQ', () => {
  const opened = async () => {
    const redis = await startRedis();
    const connection = { path: redis.path, maxRetriesPerRequest: null };
    const queue = new Queue<QueuedNotification>('notifications', { connection });
    onTestFinished(async () => {
      await queue.close();
      await redis.stop();
    });
    const place = bullmqQueue(queue);
    return { connection, place, queue, inbox: openInbox(place) };
  };
  const fail = new Error('away');

  test('sees what waits with its last error and next attempt, retries it now, and removes it', async () => {
    const { connection, place, inbox } = await opened();
    let error: Error | undefined = fail;
    const receiver = createReceiver({
      queue: place,
      ...patient,
      retry: { attempts: 9, baseMs: 600_000, capMs: 600_000 },
      onFailure: () => {},
      on: { questions: () => (error ? Promise.reject(error) : undefined) },
    });
    await Promise.all([1, 2, 3].map((id) => deliver(receiver, about(id))));
    const { waiting } = await receiver.stats();
    expect(waiting).toBe(3);
    const worker = new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), { connection });
    const listed = async () => (await inbox.waiting.list()).map(({ attempts, failure }) => [attempts, failure]);
    await expect.poll(listed).toEqual([1, 2, 3].map(() => [1, 'Error: away']));
    const page = await inbox.waiting.list({ limit: 2 });
    const [first, second] = page;
    const [third] = await inbox.waiting.list({ after: second!.number });
    const resources = [first, second, third].map((each) => each?.entry.notification.resource).toSorted();
    expect(resources).toEqual(['/questions/1', '/questions/2', '/questions/3']);
    expect(first!.nextInMs).toBeGreaterThan(250_000);
    expect(first!.addedAt).toBeGreaterThan(Date.now() - 60_000);
    expect(await inbox.stats()).toMatchObject({
      waiting: 3,
      running: 0,
      dead: 0,
      topics: { questions: { waiting: 3, oldestAgeMs: expect.any(Number) as number } },
    });
    expect(await inbox.waiting.remove(first!.entry.key)).toBe(true);
    expect([await inbox.waiting.remove(first!.entry.key), await inbox.waiting.retryNow(first!.entry.key)]).toEqual([false, false]); // prettier-ignore
    error = undefined;
    expect(await inbox.waiting.retryAll()).toBe(2);
    await expect.poll(async () => (await inbox.stats()).waiting + (await inbox.stats()).running).toBe(0);
    const { topics, oldestAgeMs } = await receiver.stats();
    expect([topics.questions?.waiting, oldestAgeMs]).toEqual([0, undefined]);
    expect(topics.questions?.lastArrivalAt).toBeGreaterThan(Date.now() - 60_000);
    await worker.close();
  });

  test('lists, replays and removes what was given up; a replay of one forgets writes of unknown outcome', async () => {
    const { connection, place, queue, inbox } = await opened();
    let error: Error | undefined = fail;
    const attempts: number[] = [];
    const receiver = createReceiver({
      queue: place,
      ...patient,
      retry: { attempts: 1 },
      onFailure: () => {},
      on: {
        questions: (_, { attempt }) => {
          attempts.push(attempt);
          return error ? Promise.reject(error) : undefined;
        },
      },
    });
    const worker = new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), { connection });
    for (const id of [1, 2, 3]) {
      await deliver(receiver, about(id));
      await expect.poll(() => queue.getFailedCount()).toBe(id);
    }
    const [one, ...rest] = await receiver.deadLetters.list({ limit: 1 });
    expect([one!.entry.notification.resource, one!.attempts, one!.failure, rest]).toEqual(['/questions/1', 1, 'Error: away', []]); // prettier-ignore
    const others = await inbox.deadLetters.list({ after: one!.number });
    expect(others.map(({ entry }) => entry.notification.resource)).toEqual(['/questions/2', '/questions/3']);
    expect(await inbox.deadLetters.remove(others[0]!.entry.key)).toBe(true);
    expect(await inbox.deadLetters.remove(others[0]!.entry.key)).toBe(false);
    const job = await queue.getJob(`n-${one!.entry.key}`);
    const write = { id: 'a', target: 'x', input: {}, sentAt: 1 };
    await worker.pause();
    await job!.updateData({ ...job!.data, writes: [{ ...write, state: 'sent' }, { ...write, id: 'b', state: 'done' }] } as never); // prettier-ignore
    expect(await inbox.deadLetters.replay(one!.entry.key)).toBe(true);
    expect(await inbox.deadLetters.replay(one!.entry.key)).toBe(false);
    expect((await queue.getJob(job!.id!))?.data).toMatchObject({ writes: [{ id: 'b' }] });
    error = undefined;
    await worker.resume();
    expect(await inbox.deadLetters.replayAll()).toBe(1);
    await expect.poll(async () => queue.getJobCountByTypes('waiting', 'active', 'delayed', 'failed')).toBe(0);
    expect(attempts).toEqual([1, 1, 1, 1, 1]);
    await worker.close();
  });
});

test('openInbox takes no queue that cannot say what it has', () => {
  expect(() => openInbox({ add: async () => {} })).toThrow('a queue with `inbox`');
});

describe.skipIf(!hasRedis)('the writes of a handler, with BullMQ', () => {
  test('happen once, although their responses are lost and a second notification of the message comes', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const connection = { path: redis.path, maxRetriesPerRequest: null };
    const queue = new Queue<QueuedNotification>('notifications', { connection });
    const marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    let lost = 4;
    const client = marketplace.clientFor(seller, {
      maxRetries: 0,
      fetch: async (request: Request) => {
        const response = await marketplace.fetch(request);
        if (request.method === 'POST' && lost-- > 0) throw new TypeError('fetch failed');
        return response;
      },
    });
    const receiver = createReceiver({
      queue: bullmqQueue(queue),
      clientFor: () => client,
      ...patient,
      retry: { baseMs: 10, capMs: 10 },
      onFailure: () => {},
      on: { messages: async (_, { reply }) => reply('Thank you.') },
    });
    const worker = new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), {
      connection,
      concurrency: 4,
      maxStalledCount: 1_000_000,
    });
    const packs = Array.from({ length: 6 }, () =>
      marketplace.addPack({ seller_id: seller.user_id, buyer_id: marketplace.addUser().user_id }),
    );
    const idle = () =>
      expect.poll(() => queue.getJobCountByTypes('waiting', 'active', 'delayed'), { timeout: 20_000 }).toBe(0);
    const { user_id } = seller;
    for (const pack of packs) {
      const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
      await receiver.add({ user_id, topic: 'messages', resource: id, _id: `${id}-1` });
    }
    await idle();
    for (const { resource } of (await queue.getCompleted()).map(({ data }) => data.notification))
      await receiver.add({ user_id, topic: 'messages', resource, _id: `${resource}-2` });
    await idle();
    expect(await queue.getFailedCount()).toBe(0);
    await worker.close();
    await queue.close();
    for (const pack of packs) {
      const written = await marketplace
        .clientFor(seller)
        .messages.conversation({ pack_id: pack.pack_id!, user_id })
        .toArray();
      expect(written.map(({ text }) => text).toSorted()).toEqual(['Thank you.', 'When does it leave?']);
    }
  });

  test('the ledger of its Redis sets a value only if the value is the expected one', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const queue = new Queue('notifications', { connection: { path: redis.path, maxRetriesPerRequest: null } });
    const { ledger } = bullmqQueue(queue);
    expect(await ledger!.get('a')).toBeUndefined();
    expect(await ledger!.replace('a', 'one', 'two', 60_000)).toBe(false);
    expect(await ledger!.replace('a', undefined, 'one', 60_000)).toBe(true);
    expect(await ledger!.replace('a', undefined, 'two', 60_000)).toBe(false);
    const races = ['two', 'three'].map((value) => ledger!.replace('a', 'one', value, 60_000));
    expect((await Promise.all(races)).filter(Boolean)).toHaveLength(1);
    expect(await ledger!.replace('b', undefined, 'gone', 0)).toBe(true);
    expect(await ledger!.get('b')).toBeUndefined();
    await queue.close();
  });
});
