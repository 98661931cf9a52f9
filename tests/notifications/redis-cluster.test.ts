import { createReceiver, redisStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore } from 'marketplace-seller-sdk/notifications';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasRedis } from '../support/redis.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import type { OwnCluster } from '../support/redis-cluster.ts';
import { about, deliver, patient } from '../support/deliveries.ts';

let cluster: OwnCluster;
beforeAll(async () => {
  if (hasRedis) cluster = await startRedisCluster();
});
afterAll(async () => {
  if (hasRedis) await cluster.stop();
});

/** A store on a client that is connected: on a busy machine that takes longer than a notification may. */
async function storeOf(prefix?: string): Promise<NotificationStore> {
  const client = cluster.connect();
  await client.set('connected', '1');
  return redisStore({ ...(prefix && { prefix }), send: (command, ...args) => client.call(command, ...args) });
}

const silent = () => {};

describe.skipIf(!hasRedis)('a store in Redis Cluster', () => {
  test.each([undefined, '{a}', '{b}', '{c}', '{d}:inbox'])(
    'with a hash tag in its prefix (%s) it does all that it does in one Redis',
    async (prefix) => {
      const handled: number[] = [];
      let hasFailed = false;
      const stores = [await storeOf(prefix), await storeOf(prefix)];
      const receivers = stores.map((store) =>
        createReceiver({
          store,
          coalesce: true,
          pollMs: 20,
          ...patient,
          retry: { attempts: 2, baseMs: 1 },
          logger: { debug: silent, info: silent, warn: silent, error: silent },
          on: {
            questions: ({ question_id }) => {
              if (question_id === 3 || (question_id === 4 && !hasFailed)) {
                hasFailed ||= question_id === 4;
                throw new Error('no');
              }
              handled.push(question_id);
            },
          },
        }),
      );
      const ids = Array.from({ length: 40 }, (_, index) => index);
      const statuses = await Promise.all(
        [...ids, ...ids].map((id, index) => deliver(receivers[index % 2]!, about(id))),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      await Promise.all(receivers.map((receiver) => receiver.idle()));
      const others = ids.filter((id) => id !== 3);
      expect(handled.sort((a, b) => a - b)).toEqual(others);
      const [letter] = await receivers[0]!.deadLetters.list();
      expect(letter?.entry.notification.question_id).toBe(3);
      expect(await receivers[1]!.deadLetters.replay(letter!.entry.key)).toBe(true);
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  );

  test('without a hash tag nothing is acknowledged', async () => {
    const errors: string[] = [];
    const logger = { debug: silent, info: silent, warn: silent, error: (line: string) => void errors.push(line) };
    const receiver = createReceiver({ store: await storeOf('inbox'), ...patient, logger, on: { questions: silent } });
    expect(await deliver(receiver, about(1))).toBe(503);
    expect(errors.join()).toMatch(/non local key/);
    await receiver.close();
  });
});
