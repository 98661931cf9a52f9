import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { OutboxOptions } from 'marketplace-seller-sdk/outbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test, vi } from 'vitest';
import { advanceBetweenRequests, fakeTimersOfInbox, loadClientFirst } from '../support/fake-time.ts';
import { createSale } from '../support/marketplace.ts';
import { newFiles } from '../support/new-files.ts';

// A `start()` that is forgotten is told, `idle()` only waits, and `settled()` waits until a job is decided.

const newFile = newFiles();

loadClientFirst();
fakeTimersOfInbox();

function logged() {
  const lines: string[] = [];
  const write = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
  return { lines, logger: { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') } };
}

/** A seller whose buyer has written. */
function shop() {
  const { marketplace, seller, user_id, message, ...sale } = createSale('When does it leave?');
  let inFlight = 0;
  const client = marketplace.clientFor(seller, {
    maxRetries: 0,
    fetch: (url, init) => {
      inFlight += 1;
      return marketplace.fetch(url, init).finally(() => (inFlight -= 1));
    },
  });
  const job = (key: string, text = key) => ({ key, user_id, contact: { ...message, text } });
  const sent = () => sale.sent().map(({ text }) => text);
  const { lines, logger } = logged();
  const open = (store: Store, options: Partial<OutboxOptions> = {}) =>
    createOutbox({ store, clientFor: () => client, logger, ...options });
  const waited = <T>(work: PromiseLike<T>): Promise<T> => advanceBetweenRequests(work, () => inFlight);
  return { marketplace, open, job, sent, lines, waited };
}

/** Gives the database turns of the event loop between steps of the clock. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await vi.advanceTimersByTimeAsync(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const alone: readonly [string, () => Store][] = [
  ['memoryStore()', memoryStore],
  ["sqliteStore(':memory:')", () => sqliteStore(':memory:')],
];

describe.for(alone)('without start() on %s', ([, create]) => {
  test('each add() is an error that says so, until the outbox is started', async () => {
    const { open, job, sent, waited } = shop();
    const outbox = open(create());
    for (let times = 0; times < 2; times += 1)
      await expect(outbox.add(job('one'))).rejects.toMatchObject({
        name: 'ConfigurationError',
        message:
          'Not added: the outbox was not started, and no other process sends what is in this store; call outbox.start() first',
      });
    expect(await outbox.get('one')).toBeUndefined();
    void outbox.start();
    await outbox.add(job('one'));
    expect((await waited(outbox.settled('one'))).state).toBe('accepted');
    expect(sent()).toEqual(['one']);
    await outbox.close();
    await expect(outbox.add(job('two'))).rejects.toMatchObject({ name: 'ClosedError' });
  });

  test('a wrong job is told first', async () => {
    const { open, job } = shop();
    await expect(open(create()).add({ ...job('one'), key: '' })).rejects.toThrow('`key` takes a text');
  });

  test('another outbox of the process may send, as long as it is open', async () => {
    const { open, job, sent, waited } = shop();
    const store = create();
    const [adding, sending] = [open(store), open(store)];
    await waited(sending.start());
    // It has looked, and nobody polls such a store.
    await waited(sending.idle());
    await adding.add(job('one'));
    await waited(adding.settled('one'));
    expect(sent()).toEqual(['one']);
    await adding.add({ ...job('later'), notBefore: new Date(Date.now() + 3_600_000) });
    await sending.close();
    const late = open(store);
    await late.close();
    void late.start();
    const settled = adding.settled('later').catch(String);
    await expect(adding.add(job('two'))).rejects.toThrow('the outbox was not started');
    await adding.close();
    expect(await settled).toContain('Not waited for: the outbox was not started');
  });
});

describe('without start() on a file that other processes may have', () => {
  const warning =
    'warn: A job has been due for longer than 30000 ms, and nobody sends it: this outbox was not started; call outbox.start() here or in another process';

  test('one warning is logged when a job has been due for longer than a lease', async () => {
    const { open, job, lines, sent } = shop();
    const outbox = open(sqliteStore(newFile()));
    await outbox.add(job('one'));
    await pass(29_000);
    expect(lines).toEqual([]);
    await pass(15_000);
    expect(lines).toEqual([warning]);
    await outbox.add(job('two'));
    await pass(600_000);
    expect(lines).toEqual([warning]);
    expect(sent()).toEqual([]);
    await outbox.close();
  });

  test('the next process is told of what it finds, without adding', async () => {
    const { open, job, lines } = shop();
    const path = newFile();
    const first = open(sqliteStore(path));
    await first.add(job('one'));
    await first.close();
    const second = open(sqliteStore(path));
    await pass(60_000);
    expect(lines).toEqual([warning]);
    await second.close();
  });

  test.for(['another outbox of this process', 'another process'])('%s that sends is seen', async (who) => {
    const { open, job, lines, waited } = shop();
    const path = newFile();
    const store = sqliteStore(path);
    const [adding, sending] = [open(store), open(who === 'another process' ? sqliteStore(path) : store)];
    void sending.start();
    for (let index = 0; index < 5; index += 1) {
      await adding.add(job(`${index}`));
      await pass(20_000);
    }
    await waited(adding.settled('4'));
    await pass(100_000);
    expect(lines).toEqual([]);
    // It ends, and nobody sends any more.
    await sending.close();
    await adding.add(job('last'));
    await pass(60_000);
    expect(lines).toEqual([warning]);
    await adding.close();
  });

  test('a process that sends one job after the other is seen, although the last job waits for long', async () => {
    const { open, job, lines } = shop();
    const path = newFile();
    // Each attempt lasts longer than a lease, or is late for half of one.
    const calls: (() => void)[] = [];
    const call = () => new Promise<object>((resolve) => calls.push(() => resolve({ message: { id: 'm', status: 'available' } }))); // prettier-ignore
    const slow = open(sqliteStore(path), { concurrency: 1, clientFor: () => ({ call, messages: { contact: call } }) as never }); // prettier-ignore
    void slow.start();
    const adding = open(sqliteStore(path));
    for (const key of ['one', 'two', 'three']) await adding.add(job(key));
    await pass(100_000);
    calls[0]?.();
    await pass(100_000);
    expect(calls).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([]);
    await Promise.all([slow.close({ graceMs: 0 }), pass(5_000)]);
    await adding.close();
  });

  test('a process that is started every ten seconds, and ends after one job, is seen', async () => {
    const { open, job, lines, waited } = shop();
    const path = newFile();
    const adding = open(sqliteStore(path));
    for (const key of ['one', 'two', 'three', 'four', 'five', 'six']) await adding.add(job(key));
    for (const decided of [1, 2, 3, 4, 5]) {
      const messages = { contact: async () => (void sending.close(), { message: { id: 'm', status: 'available' } }) };
      const sending = open(sqliteStore(path), { concurrency: 1, clientFor: () => ({ messages }) as never });
      void sending.start();
      await pass(10_000);
      await waited(sending.close());
      expect(await adding.stats()).toMatchObject({ running: 0, accepted: decided });
    }
    expect(lines).toEqual([]);
    await pass(60_000);
    expect(lines).toEqual([warning]);
    await adding.close();
  });

  test('what is started or closed in time says nothing, and what is due later is no reason', async () => {
    const { marketplace, open, job, lines, waited } = shop();
    const path = newFile();
    const later = { retry: { firstDelayMs: 240_000, maxDelayMs: 240_000 } };
    const first = open(sqliteStore(path), later);
    await first.add(job('one'));
    await pass(20_000);
    marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 503, times: 1 });
    void first.start();
    await waited(first.idle());
    await first.close();
    expect(lines.splice(0)).toEqual([expect.stringContaining('it will be retried')]);
    const second = open(sqliteStore(path));
    await pass(90_000);
    await second.close();
    const third = open(sqliteStore(path));
    await pass(20_000);
    expect(lines).toEqual([]);
    await pass(250_000);
    expect(lines).toEqual([warning]);
    await third.close();
  });
});

describe('idle()', () => {
  test('rejects without start(), and starts nothing', async () => {
    const { open, job, sent } = shop();
    const outbox = open(sqliteStore(newFile()));
    await outbox.add(job('one'));
    await expect(outbox.idle()).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: 'idle() waits for what the outbox sends, and it was not started; call start() first',
    });
    await pass(3_000);
    expect(sent()).toEqual([]);
    await outbox.close();
  });

  test('resolves at once when nothing is due, and is not held by a retry or by moderation', async () => {
    const { marketplace, open, job, waited } = shop();
    const outbox = open(memoryStore(), { retry: { firstDelayMs: 3_600_000 } });
    void outbox.start();
    await waited(outbox.idle());
    marketplace.messages.moderation = 'later';
    await outbox.add(job('moderated'));
    await waited(outbox.idle());
    marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 503, times: 1 });
    await outbox.add(job('retried'));
    await waited(outbox.idle());
    expect(await outbox.waiting.list()).toMatchObject([{ attempts: 0 }, { attempts: 1 }]);
    await outbox.close();
    await outbox.idle();
  });
});

describe.for([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(newFile())],
] as [string, () => Store][])('settled() in %s', ([, create]) => {
  test('waits for retries and moderation, and returns what became of the job', async () => {
    const { marketplace, open, job, waited } = shop();
    const outbox = open(create(), { retry: { firstDelayMs: 60_000, maxDelayMs: 60_000, maxRetries: 2 } });
    void outbox.start();
    marketplace.messages.moderation = 'later';
    marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 503, times: 2 });
    await outbox.add(job('accepted'));
    const both = Promise.all([outbox.settled('accepted'), outbox.settled('accepted')]);
    await pass(200_000);
    marketplace.messages.moderate();
    const [first, second] = await waited(both);
    expect(first).toMatchObject({ state: 'accepted', failures: 2, outputs: [{ text: 'accepted' }] });
    expect(second).toEqual(first);
    marketplace.messages.moderation = 'atOnce';
    await outbox.add(job('rejected', 'Call me at +54 11 4321-5678'));
    expect(await waited(outbox.settled('rejected'))).toMatchObject({ state: 'rejected', reason: 'PERSONAL_DATA' });
    marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 503, times: 3 });
    await outbox.add(job('dead'));
    expect(await waited(outbox.settled('dead'))).toMatchObject({ state: 'dead', failures: 3 });
    expect((await outbox.settled('accepted')).state).toBe('accepted');
    await outbox.close();
    expect((await outbox.settled('accepted')).state).toBe('accepted');
  });

  test('rejects for a key that is unknown or removed, and when the outbox closes', async () => {
    const { open, job, waited } = shop();
    const outbox = open(create(), { clientFor: () => undefined, retry: { firstDelayMs: 3_600_000 } });
    void outbox.start();
    await expect(waited(outbox.settled('none'))).rejects.toMatchObject({
      name: 'InvalidInputError',
      message: expect.stringContaining('no job has the key none') as string,
    });
    await expect(outbox.settled(7 as never)).rejects.toThrow('`key` must be a string');
    for (const key of ['one', 'two']) await outbox.add(job(key));
    await waited(outbox.idle());
    const [removed, closed] = ['one', 'two'].map((key) => outbox.settled(key).catch((error: unknown) => error));
    expect(await outbox.waiting.remove('one')).toBe(true);
    expect(await waited(removed!)).toMatchObject({ name: 'InvalidInputError' });
    await waited(outbox.close());
    expect(await waited(closed!)).toMatchObject({
      name: 'ClosedError',
      message: 'The outbox was closed before the job two was decided',
    });
  });
});

test('settled() is told of what another process decides', async () => {
  const { open, job, waited } = shop();
  const path = newFile();
  const [adding, sending] = [open(sqliteStore(path)), open(sqliteStore(path))];
  await adding.add(job('one'));
  const settled = adding.settled('one');
  void sending.start();
  expect(await waited(settled)).toMatchObject({ state: 'accepted' });
  await Promise.all([adding.close(), sending.close()]);
});
