import { ConfigurationError } from 'marketplace-seller-sdk';
import { bullmq, memoryStore, postgresStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { describe, expect, test } from 'vitest';

const [Queue, Worker] = [() => undefined, () => undefined];
const pool = { connect: () => undefined };

describe('what a store takes', () => {
  test.each<[string, (...args: never[]) => unknown, unknown[], string]>([
    ['memory with options of before', memoryStore, [{ maxDead: 3 }], 'memoryStore has no options'],
    ['a file with options of before', sqliteStore, ['a.db', { maxWaiting: 3 }], 'sqliteStore has no options'],
    ['a file in an object', sqliteStore, [{ path: 'a.db' }], 'sqliteStore takes the name of a file'],
    ['no file', sqliteStore, [], 'sqliteStore takes the name of a file'],
    ['a pool itself', postgresStore, [pool], 'postgresStore takes `{ pool }`'],
    ['no pool', postgresStore, [{}], 'postgresStore: `pool` is missing'],
    ['a pool that is none', postgresStore, [{ pool: {} }], '`pool` takes an object with a function `connect`'],
    ['PostgreSQL with options of before', postgresStore, [{ pool, maxDead: 3 }], 'there is no option `maxDead`'],
    ['BullMQ without anything', bullmq, [], 'bullmq takes an object of options'],
    ['BullMQ without its classes', bullmq, [{ connection: {} }], '`Queue` is missing; `Worker` is missing'],
    ['no connection', bullmq, [{ Queue, Worker, connection: null }], '`connection` takes what BullMQ takes'],
    ['a name that is none', bullmq, [{ Queue, Worker, connection: {}, name: 5 }], '`name` takes a string'],
    ['an option of BullMQ itself', bullmq, [{ Queue, Worker, connection: {}, prefix: 'a' }], 'no option `prefix`'],
  ])('rejects %s', (_, create, args, message) => {
    const call = (): unknown => create(...(args as never[]));
    expect(call).toThrow(ConfigurationError);
    expect(call).toThrow(message);
  });

  test('a job is asked for by its key', async () => {
    const outbox = createOutbox({ store: memoryStore(), clientFor: () => undefined });
    await expect(outbox.get(undefined as never)).rejects.toThrow('`key` must be a string');
    await outbox.close();
  });
});
