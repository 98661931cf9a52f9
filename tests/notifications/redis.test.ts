import { setTimeout as pause } from 'node:timers/promises';
import { createReceiver, redisStore } from 'marketplace-seller-sdk/notifications';
import type { Receiver } from 'marketplace-seller-sdk/notifications';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis.ts';
import type { OwnRedis } from '../support/redis.ts';
import { about, deliver } from '../support/deliveries.ts';

let redis: OwnRedis;
beforeAll(async () => {
  if (hasRedis) redis = await startRedis();
});
afterAll(async () => {
  if (hasRedis) await redis.stop();
});

function storeOf(prefix: string) {
  const client = redis.connect();
  return { client, store: redisStore({ prefix, send: (command, ...args) => client.call(command, ...args) }) };
}

const scenarios: [string, () => Promise<void>][] = [
  [
    'handle every event once, whichever receiver gets it',
    async () => {
      const handled: [number, string][] = [];
      const receivers: Receiver[] = Array.from({ length: 4 }, () =>
        createReceiver({
          store: storeOf('{many}').store,
          concurrency: 8,
          pollMs: 20,
          on: {
            questions: async ({ question_id, sent }) => {
              await pause(1);
              handled.push([question_id, String(sent)]);
            },
          },
        }),
      );
      const versions = Array.from({ length: 300 }, (_, index) => {
        const sent = `2026-11-20T10:00:0${Math.floor(index / 100)}.000Z`;
        return about(index % 100, { _id: `event-${index}`, sent });
      });
      const twice = [...versions, ...versions.filter((_, index) => index % 5 === 0)];
      await Promise.all(twice.map((body, index) => deliver(receivers[index % 4]!, body)));
      await Promise.all(receivers.map((receiver) => receiver.idle()));
      expect(handled).toHaveLength(300);
      expect(new Set(handled.map(String)).size).toBe(300);
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  ],
  [
    'acknowledge nothing while Redis is unreachable, and recover when it is back',
    async () => {
      const { client, store } = storeOf('{away}');
      const handled: number[] = [];
      const receiver = createReceiver({
        store,
        acceptTimeoutMs: 50,
        on: { questions: ({ question_id }) => void handled.push(question_id) },
      });
      await client.ping();
      client.disconnect();
      expect(await deliver(receiver, about(1))).toBe(503);
      await client.connect();
      expect(await deliver(receiver, about(1))).toBe(200);
      await receiver.idle();
      expect(handled).toEqual([1]);
      await receiver.close();
    },
  ],
];

describe.skipIf(!hasRedis)('receivers on one Redis', () => {
  test.each(scenarios)('%s', async (_, run) => {
    await run();
  });
});

test('the Redis store sends its scripts with prefixed keys, through any client', async () => {
  const sent: string[][] = [];
  const store = redisStore({
    prefix: '{shop}',
    send: (...command) => {
      sent.push(command);
      return Promise.resolve('');
    },
  });
  await store.redrive('k');
  expect(sent).toEqual([['EVAL', expect.stringContaining("'HGET'"), '1', '{shop}', 'k']]);
});
