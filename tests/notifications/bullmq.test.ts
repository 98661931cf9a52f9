import { setTimeout as pause } from 'node:timers/promises';
import { ConfigurationError } from 'marketplace-seller-sdk';
import { Queue, Worker } from 'bullmq';
import { bullmqProcessor, bullmqQueue, createReceiver } from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification } from 'marketplace-seller-sdk/notifications';
import { describe, expect, onTestFinished, test } from 'vitest';
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

test('bullmqProcessor passes the attempt and the signal on', async () => {
  const attempts: number[] = [];
  const entries: QueuedNotification[] = [];
  const receiver = createReceiver({
    queue: { add: async (entry) => void entries.push(entry) },
    on: { questions: (_, { attempt, signal }) => void attempts.push(attempt, Number(signal.aborted)) },
  });
  await deliver(receiver, about(1));
  await bullmqProcessor(receiver)({ data: entries[0]!, attemptsMade: 2 });
  expect(attempts).toEqual([3, 0]);
  const newer = { ...entries[0]!, version: 99 };
  await expect(bullmqProcessor(receiver)({ data: newer, attemptsMade: 0 })).rejects.toThrow('a newer version');
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
          maxStalledCount: 10,
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
