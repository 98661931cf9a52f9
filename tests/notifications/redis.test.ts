import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createReceiver, redisStore } from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification, Receiver } from 'marketplace-seller-sdk/notifications';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis.ts';
import type { OwnRedis } from '../support/redis.ts';
import { about, deliver, patient } from '../support/deliveries.ts';

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
          ...patient,
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
        ...patient,
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

describe.skipIf(!hasRedis)('a store in Redis', () => {
  const entry = (key: string, groupId = key): QueuedNotification => ({
    key,
    groupId,
    sentAt: 1,
    notification: { known: false, topic: 'orders', user_id: 7, resource: 'x'.repeat(100) },
  });
  const claim = { workerId: 'a', limit: 1_000, leaseMs: 60_000, coalesce: false };

  test('a full Redis accepts nothing and still hands out and settles what it has', async () => {
    const { client, store } = storeOf('{full}');
    for (let index = 0; index < 50; index += 1) await store.add(entry(`k${index}`));
    await client.config('SET', 'maxmemory', '1');
    try {
      await expect(store.add(entry('more'))).rejects.toThrow('OOM');
      const { leases } = await store.claim(claim);
      expect(leases).toHaveLength(50);
      expect(await store.renew(leases, 60_000)).toEqual([]);
      for (const [index, lease] of leases.entries()) {
        const { key } = lease.entry;
        const result = index === 0 ? { done: [], deadLetter: { key, failure: 'x' } } : { done: [key] };
        expect(await store.settle({ ...lease, deduplicationMs: 60_000, ...result })).toBe(true);
      }
      expect(await store.claim(claim)).toEqual({ leases: [] });
    } finally {
      await client.config('SET', 'maxmemory', '0');
    }
    expect(await store.add(entry('k1'))).toBe('processed');
    expect(await store.deadLetters(10)).toHaveLength(1);
  });

  test.each(['due', 'later', 'users', 'turns', 'clock', 'group:b', 'entries', 'leases', 'leased', 'failures'])(
    'a lost key %s stops no other group',
    async (lost) => {
      const prefix = `{lost-${lost.replace(':', '-')}}`;
      const { client, store } = storeOf(prefix);
      for (const key of ['a', 'b']) await store.add(entry(key));
      await client.del(`${prefix}:${lost}`);
      await store.add(entry('c'));
      const seen = new Set<string>();
      for (let times = 0; times < 4; times += 1) {
        for (const lease of (await store.claim(claim)).leases) {
          seen.add(lease.groupId);
          expect(await store.settle({ ...lease, done: [lease.entry.key], deduplicationMs: 60_000 })).toBe(true);
        }
      }
      expect([...seen].sort()).toEqual(lost === 'entries' ? ['c'] : ['a', 'b', 'c']);
      expect(await store.claim(claim)).toEqual({ leases: [] });
    },
  );

  test('more groups than fit into one command are leased with one claim', async () => {
    const { store } = storeOf('{many-groups}');
    const ids = Array.from({ length: 2_500 }, (_, id) => `g${id}`);
    await Promise.all(ids.map((id) => store.add(entry(id, id))));
    const { leases } = await store.claim({ ...claim, limit: 3_000 });
    expect(new Set(leases.map(({ groupId }) => groupId))).toEqual(new Set(ids));
  });

  test('notifications of one group are coalesced in commands of limited length, however many wait', async () => {
    const { client } = storeOf('{many-of-one}');
    const lengths: number[] = [];
    const store = redisStore({
      prefix: '{many-of-one}',
      send: (command, ...args) => {
        lengths.push(args.length);
        return client.call(command, ...args);
      },
    });
    await store.add(entry('first', 'group'));
    const fill = `for i = 1, 9999 do
      local arrival, key = string.format('%016.0f', i + 1), 'k' .. i
      redis.call('HSET', KEYS[1] .. ':entries', key, arrival .. string.gsub(ARGV[1], 'KEY', key))
      redis.call('ZADD', KEYS[1] .. ':group:group', 1, arrival .. key)
    end`;
    await client.eval(fill, 1, '{many-of-one}', JSON.stringify(entry('KEY', 'group')));
    const [lease] = (await store.claim({ ...claim, coalesce: true })).leases;
    expect(lease?.coalescedKeys).toHaveLength(9_999);
    const done = [...lease!.coalescedKeys, lease!.entry.key];
    expect(await store.settle({ ...lease!, done, deduplicationMs: 60_000 })).toBe(true);
    expect(await store.claim(claim)).toEqual({ leases: [] });
    expect(await store.add(entry('k77', 'group'))).toBe('processed');
    expect(Math.max(...lengths)).toBeLessThan(1_100);
  });

  test('the clock of Redis set back an hour delays nothing that was accepted', async () => {
    const { client } = storeOf('{time}');
    let shiftSeconds = 0;
    // The scripts read a time that this test sets.
    const shifted =
      "(function() local t = redis.call('TIME') return { t[1] + redis.call('GET', p .. ':shift'), t[2] } end)()";
    const store = redisStore({
      prefix: '{time}',
      send: async (command, ...args) => {
        await client.set('{time}:shift', shiftSeconds);
        // Redis may have the real script from another test.
        if (command === 'EVALSHA') throw new Error('NOSCRIPT');
        const texts = args.map((text) => text.replace("redis.call('TIME')", shifted));
        return client.call(command, ...texts);
      },
    });
    for (const key of ['fresh', 'failed', 'stalled']) await store.add(entry(key));
    const leased = async (groupId: string, leaseMs: number) =>
      (await store.claim({ ...claim, limit: 1, leaseMs, groupId })).leases[0]!;
    const failed = await leased('failed', 60_000);
    await store.settle({ ...failed, done: [], retryInMs: 20, deduplicationMs: 60_000 });
    await leased('stalled', 20);
    shiftSeconds = -3_600;
    const groups = new Set<string>();
    for (let times = 0; times < 40 && groups.size < 3; times += 1) {
      await pause(10);
      for (const { groupId } of (await store.claim(claim)).leases) groups.add(groupId);
    }
    expect([...groups].sort()).toEqual(['failed', 'fresh', 'stalled']);
    shiftSeconds = 3_600;
    expect((await store.claim(claim)).leases).toHaveLength(3);
  });

  test.each<[string, (text: string) => string]>([
    ['cannot be read', () => '{'],
    ['is that of another key', (text) => text.replace('"key":"a"', '"key":"z"')],
  ])('an entry that %s becomes a dead letter, and the rest of its group is leased', async (what, damage) => {
    const prefix = `{damaged-${what.length}}`;
    const { client, store } = storeOf(prefix);
    for (const key of ['a', 'b']) await store.add(entry(key, 'group'));
    const stored = (await client.hget(`${prefix}:entries`, 'a'))!;
    await client.hset(`${prefix}:entries`, 'a', stored.slice(0, 16) + damage(stored.slice(16)));
    expect(await store.claim(claim)).toMatchObject({
      leases: [],
      problems: [`The notification a is damaged; it is in ${prefix}:dead`],
    });
    const next = await store.claim(claim);
    expect(next.leases).toMatchObject([{ entry: { key: 'b' }, attempt: 1 }]);
    expect(next.problems).toBeUndefined();
    expect(await client.hkeys(`${prefix}:dead`)).toEqual(['a']);
    expect(await client.hget(`${prefix}:dead:meta`, 'a')).toContain('The entry is damaged');
    // A dead letter that cannot be read is in no list.
    expect(await store.deadLetters(10)).toHaveLength(what === 'cannot be read' ? 0 : 1);
  });

  test('entries that Redis has lost are reported once', async () => {
    const { client, store } = storeOf('{lost}');
    for (const key of ['a', 'b', 'c']) await store.add(entry(key));
    await client.hdel('{lost}:entries', 'a', 'b');
    const { leases, problems } = await store.claim(claim);
    expect(leases).toMatchObject([{ entry: { key: 'c' } }]);
    expect(problems).toEqual(['Redis has lost 2 waiting notifications; check its maxmemory-policy']);
    expect((await store.claim(claim)).problems).toBeUndefined();
  });

  test('every key is under the prefix, so that Redis Cluster keeps them in one slot', async () => {
    const { client, store } = storeOf('{slot}');
    const before = new Set(await client.keys('*'));
    await store.add(entry('a'));
    const [lease] = (await store.claim(claim)).leases;
    await store.settle({ ...lease!, done: [], deadLetter: { key: 'a', failure: 'x' }, deduplicationMs: 60_000 });
    await store.add(entry('b'));
    const keys = (await client.keys('*')).filter((key) => !before.has(key));
    expect(keys.length).toBeGreaterThan(3);
    expect(keys.filter((key) => !key.startsWith('{slot}:'))).toEqual([]);
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

describe('the commands of the Redis store', () => {
  /** Sends commands to a Redis that replies like this; keeps the command, and what follows it first. */
  function recorded(reply: (command: string) => Promise<unknown>) {
    const sent: string[][] = [];
    const send = (...command: string[]) => {
      sent.push(command.slice(0, 2));
      return reply(command[0]!);
    };
    return { sent, store: redisStore({ send: send }) };
  }

  test('a script is sent once, then its digest, and again when Redis has lost it', async () => {
    let isLost = false;
    const { sent, store } = recorded((command) => {
      if (command === 'EVALSHA' && isLost) return Promise.reject(new Error('NOSCRIPT No matching script.'));
      return Promise.resolve(1);
    });
    expect(await store.removeDeadLetter('k')).toBe(true);
    const script = sent[0]![1]!;
    const digest = createHash('sha1').update(script).digest('hex');
    await store.removeDeadLetter('k');
    isLost = true;
    await store.removeDeadLetter('k');
    expect(sent).toEqual([
      ['EVAL', script],
      ['EVALSHA', digest],
      ['EVALSHA', digest],
      ['EVAL', script],
    ]);
  });

  test('another error of Redis is passed on, and nothing is sent again', async () => {
    const { sent, store } = recorded((command) =>
      command === 'EVAL' ? Promise.resolve(0) : Promise.reject(new Error('READONLY You cannot write')),
    );
    expect(await store.removeDeadLetter('k')).toBe(false);
    await expect(store.removeDeadLetter('k')).rejects.toThrow('READONLY');
    expect(sent).toHaveLength(2);
  });

  test('the default prefix has braces, so that all keys are in one slot', async () => {
    const prefixes: string[] = [];
    const store = redisStore({
      send: (_command, _script, _count, prefix) => {
        prefixes.push(prefix);
        return Promise.resolve(0);
      },
    });
    await store.removeDeadLetter('k');
    expect(prefixes).toEqual(['{notifications}']);
  });
});
