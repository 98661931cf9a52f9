import { setTimeout as pause } from 'node:timers/promises';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { createReceiver } from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification } from 'marketplace-seller-sdk/notifications';
import { expect, test } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';

const logger = new Logger(() => () => undefined);

/** The recipe of docs/guide/notification-queues.md, with two workers as two machines have. */
test.skipIf(!hasPostgres)(
  'with graphile-worker, notifications of a resource run one at a time and in order',
  async () => {
    const postgres = await startPostgres();
    const { connectionString } = postgres;
    const utils = await makeWorkerUtils({ connectionString, logger });
    await utils.migrate();
    const handled: string[] = [];
    const running = new Map<number, number>();
    let most = 0;
    let fails = 3;
    const receiver = createReceiver({
      queue: {
        add: (entry) =>
          utils.addJob('notification', entry, { jobKey: entry.key, queueName: entry.groupId, maxAttempts: 16 }),
      },
      acceptTimeoutMs: 15_000,
      on: {
        questions: async ({ question_id, id }) => {
          const now = (running.get(question_id) ?? 0) + 1;
          most = Math.max(most, now);
          running.set(question_id, now);
          await pause(5);
          running.set(question_id, now - 1);
          if (question_id === 3 && fails-- > 0) throw new Error('away');
          handled.push(String(id));
        },
      },
    });
    const ids = [1, 2, 3].flatMap((question_id) => [0, 1, 2, 3].map((number) => ({ question_id, number })));
    for (const { question_id, number } of ids) {
      const body = about(question_id, { _id: `${question_id}-${number}`, sent: `2026-11-20T10:00:0${number}.000Z` });
      // Each comes twice.
      expect(await Promise.all([deliver(receiver, body), deliver(receiver, body)])).toEqual([200, 200]);
    }
    const start = () =>
      run({
        connectionString,
        concurrency: 8,
        noHandleSignals: true,
        pollInterval: 50,
        logger,
        taskList: {
          notification: (entry, { job, abortSignal }) =>
            receiver.handle(entry as QueuedNotification, {
              attempt: job.attempts,
              signal: abortSignal,
            }),
        },
      });
    const workers = await Promise.all([start(), start()]);
    // What has failed is tried again seconds later; the test does not wait for it.
    const left = () =>
      utils.withPgClient(async (client) => {
        const { rows } = await client.query<{ id: string; attempts: number }>(
          'SELECT id, attempts FROM graphile_worker.jobs WHERE locked_at IS NULL',
        );
        const failed = rows.filter(({ attempts }) => attempts > 0).map(({ id }) => id);
        if (failed.length > 0) await utils.rescheduleJobs(failed, { runAt: new Date() });
        return rows.length;
      });
    await expect.poll(async () => [await left(), handled.length]).toEqual([0, 12]);
    await Promise.all(workers.map((worker) => worker.stop()));
    await utils.release();
    await postgres.stop();
    expect(most).toBe(1);
    for (const question of ['1', '2']) {
      const ofOne = handled.filter((id) => id.startsWith(question));
      expect(ofOne).toEqual([0, 1, 2, 3].map((number) => `${question}-${number}`));
    }
    expect(fails).toBeLessThan(0);
    expect(new Set(handled).size).toBe(12);
  },
);
