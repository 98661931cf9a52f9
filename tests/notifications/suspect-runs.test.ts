import { Queue, Worker } from 'bullmq';
import {
  bullmqProcessor,
  bullmqQueue,
  createReceiver,
  memoryStore,
  parseNotification,
} from 'marketplace-seller-sdk/notifications';
import type { HandleOptions, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queuedNotification } from '../../src/notifications/queued-notification.js';
import { about, patient } from '../support/deliveries.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

const entryOf = (question_id: number) => queuedNotification(parseNotification(about(question_id)), Date.now());
const poison = 13;

/** Processes that share a queue. The handler of `poison` never returns, as if its process had ended. */
function processes(options: Partial<ReceiverOptions> = {}) {
  const { ledger } = memoryStore();
  const started: number[] = [];
  const start = () => {
    const receiver = createReceiver({
      queue: { add: async () => {}, ledger },
      on: {
        questions: async ({ question_id }) => {
          started.push(question_id);
          if (question_id === poison) await new Promise(() => {});
        },
      },
      onFailure: () => {},
      ...options,
    });
    return async (question_id: number, run: HandleOptions) => receiver.run(await entryOf(question_id), run);
  };
  const startsOf = (question_id: number) => started.filter((each) => each === question_id).length;
  return { start, started, startsOf };
}

describe('a job that has stalled twice', () => {
  test('is given up after the process has ended five times while it ran alone', async () => {
    const { start, startsOf } = processes();
    for (let ends = 0; ends < 5; ends += 1) {
      void start()(poison, { stalledCount: 2 + ends });
      await expect.poll(() => startsOf(poison)).toBe(ends + 1);
    }
    const outcome = await start()(poison, { stalledCount: 7 });
    expect(outcome).toMatchObject({ kind: 'dead', error: { message: expect.stringContaining('5 times') as string } });
    expect(startsOf(poison)).toBe(5);
  });

  test('is not blamed for the end of a process in which another one ran, however often it stalls', async () => {
    const { start, startsOf } = processes();
    for (let ends = 0; ends < 5; ends += 1) {
      const run = start();
      void run(poison, { stalledCount: 2 + ends });
      await expect.poll(() => startsOf(poison)).toBe(ends + 1);
      void run(1, { stalledCount: 2 + ends });
      void run(2, {});
    }
    const run = start();
    const outcomes = await Promise.all([1, poison, 2].map((question_id) => run(question_id, { stalledCount: 7 })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'dead', 'done']);
    expect([1, 2].map(startsOf)).toEqual([1, 1]);
  });

  test('is not blamed for earlier ends once a run of it has a result', async () => {
    let ends = true;
    const { ledger } = memoryStore();
    let starts = 0;
    const start = () =>
      createReceiver({
        queue: { add: async () => {}, ledger },
        onFailure: () => {},
        on: {
          questions: async () => {
            starts += 1;
            if (ends) await new Promise(() => {});
            throw new Error('away');
          },
        },
      });
    const entry = await entryOf(1);
    for (let round = 0; round < 3; round += 1) {
      ends = true;
      for (let end = 0; end < 4; end += 1) {
        const before = starts;
        void start().run(entry, { stalledCount: 9 });
        await expect.poll(() => starts).toBe(before + 1);
      }
      ends = false;
      expect(await start().run(entry, { stalledCount: 9 })).toMatchObject({ kind: 'retry' });
    }
  });

  test('runs beside a handler that takes long, and others run beside it when it takes long', async () => {
    const { start, started } = processes({ leaseMs: 60 });
    const run = start();
    void run(poison, {});
    await expect.poll(() => started).toEqual([poison]);
    expect(await run(1, { stalledCount: 2 })).toMatchObject({ kind: 'done' });

    const other = processes({ leaseMs: 60 });
    const runOther = other.start();
    void runOther(poison, { stalledCount: 2 });
    await expect.poll(() => other.started).toEqual([poison]);
    expect(await runOther(1, {})).toMatchObject({ kind: 'done' });
  });

  test('is not blamed for the end of a process that came when others ran again', async () => {
    const { start, startsOf } = processes({ leaseMs: 60 });
    for (let ends = 0; ends < 7; ends += 1) {
      const run = start();
      void run(poison, { stalledCount: 2 + ends });
      await expect.poll(() => startsOf(poison)).toBe(ends + 1);
      expect(await run(1, {})).toMatchObject({ kind: 'done' }); // It waited as long as the job ran alone.
    }
  });
});

test.skipIf(!hasRedis)('a job that loses its lock fifteen times is handled, and is no dead letter', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const connection = { path: redis.path, maxRetriesPerRequest: null };
  const queue = new Queue('notifications', { connection });
  const locks = redis.connect();
  let runs = 0;
  const last = Promise.withResolvers<undefined>();
  const receiver = createReceiver({
    queue: bullmqQueue(queue),
    ...patient,
    leaseMs: 30,
    on: {
      questions: async () => {
        if ((runs += 1) > 15) {
          last.resolve(undefined);
          return;
        }
        for (const key of await locks.keys('bull:notifications:*:lock')) await locks.del(key);
        await last.promise;
      },
    },
  });
  // The options of docs/guide/notification-queues.md, and a quicker check.
  const options = { connection, concurrency: 32, maxStalledCount: 1_000_000, stalledInterval: 20 };
  const worker = new Worker('notifications', bullmqProcessor(receiver), options);
  worker.on('error', () => {});
  await receiver.add(about(1));
  await expect.poll(() => queue.getJobCounts('completed', 'failed')).toEqual({ completed: 1, failed: 0 });
  await worker.close();
  await queue.close();
  expect(runs).toBeGreaterThan(15);
});
