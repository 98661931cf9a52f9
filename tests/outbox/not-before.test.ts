import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import type { Outbox, OutboxOptions } from 'marketplace-seller-sdk/outbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { describe, expect, test, vi } from 'vitest';
import { released } from '../../src/work/store.js';
import { advanceBetweenRequests, fakeTimersOfInbox, loadClientFirst } from '../support/fake-time.ts';
import { engines } from '../support/inbox-engines.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { createSale } from '../support/marketplace.ts';
import { newFiles } from '../support/new-files.ts';
import { silentLogger } from '../support/silent.ts';

// A job that begins later: "Has it arrived?" goes out two days after the sale, and never earlier.

const newFile = newFiles();
const [minute, day] = [60_000, 86_400_000];
const inMs = (ms: number): Date => new Date(Date.now() + ms);

/** A seller whose buyer has written. The clock of the service may be behind that of this machine. */
function shop({ behindMs = 0 } = {}) {
  const { marketplace, seller, user_id, message, sent } = createSale('When does it leave?');
  let inFlight = 0;
  const client = marketplace.clientFor(seller, {
    maxRetries: 0,
    fetch: async (url, init) => {
      inFlight += 1;
      const response = await marketplace.fetch(url, init).finally(() => (inFlight -= 1));
      const headers = new Headers(response.headers);
      headers.set('date', new Date(Date.now() - behindMs).toUTCString());
      return new Response(response.body, { status: response.status, headers });
    },
  });
  const job = (key: string, notBefore?: Date | string) => ({
    key,
    user_id,
    contact: { ...message, text: `Has it arrived? ${key}` },
    ...(notBefore !== undefined && { notBefore }),
  });
  const open = (store: OutboxOptions['store'], more: Partial<OutboxOptions> = {}): Outbox => {
    const outbox = createOutbox({ store, clientFor: () => client, logger: silentLogger, ...more });
    void outbox.start();
    return outbox;
  };
  const waited = <T>(work: PromiseLike<T>): Promise<T> => advanceBetweenRequests(work, () => inFlight);
  return { marketplace, client, job, sent, open, waited };
}

/** Lets time pass in steps, in which a database gets turns of the event loop. */
async function pass(ms: number, steps = 10): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await vi.advanceTimersByTimeAsync(ms / steps);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.for([...engines()])('in $name', ({ isThere, open: openStore }) => {
  test.runIf(isThere)('it is sent from its time on, at the first attempt, and its key stays known', async () => {
    const { job, sent, open } = shop();
    const outbox = open(await openStore());
    const at = inMs(1_500);
    await outbox.add(job('later', at));
    await outbox.add(job('now'));
    expect(await outbox.settled('later')).toMatchObject({ state: 'accepted', failures: 0 });
    const [first, second] = sent();
    expect([first!.text, second!.text]).toEqual(['Has it arrived? now', 'Has it arrived? later']);
    // The clock of the server of PostgreSQL is known to some milliseconds.
    expect(second!.sentAt).toBeGreaterThanOrEqual(at.getTime() - 50);
    expect((await outbox.add(job('later', inMs(day)))).state).toBe('accepted');
    expect(await outbox.remove('later')).toBe(true);
    expect(await outbox.add(job('later', inMs(day)))).toMatchObject({ state: 'accepted', isReduced: true });
    expect(sent()).toHaveLength(2);
    await outbox.close();
  });

  test.runIf(isThere)('it is known and listed at once, waits whatever is asked for, and can be removed', async () => {
    const { job, sent, open } = shop();
    const store = await openStore();
    const outbox = open(store);
    const at = inMs(80 * day);
    const entry = { key: 'later', notBefore: at.toISOString() };
    expect(await outbox.add(job('later', at))).toMatchObject({ state: 'waiting', entry });
    await outbox.idle();
    for (const other of [undefined, inMs(day), '2020-01-01T00:00:00Z'])
      expect(await outbox.add(job('later', other))).toMatchObject({ state: 'waiting', entry });
    await expect(outbox.add({ ...job('later', at), contact: job('other').contact })).rejects.toThrow('another input');
    expect(await outbox.waiting.retryNow('later')).toBe(true);
    await outbox.add(job('now'));
    await outbox.settled('now');
    await outbox.idle();
    const stored = openOutbox(store);
    const [waiting, ...none] = await stored.waiting.list();
    expect([waiting, none]).toMatchObject([{ attempts: 0, entry }, []]);
    expect(waiting!.nextInMs).toBeGreaterThan(79 * day);
    expect(waiting!.nextInMs).toBeLessThanOrEqual(80 * day);
    expect(await stored.stats()).toMatchObject({ waiting: 1, running: 0, accepted: 1, oldestAgeMs: 0 });
    expect(await stored.waiting.remove('later')).toBe(true);
    await stored.close();
    await outbox.add(job('later'));
    expect((await outbox.settled('later')).state).toBe('accepted');
    expect(sent()).toHaveLength(2);
    await outbox.close();
  });
});

describe.for(storeKinds())('with a clock that tests move, in $name', ({ create }) => {
  loadClientFirst();
  fakeTimersOfInbox();

  test('it is sent after two days, whatever deploys there are before, and only then it is late', async () => {
    const { job, sent, open, waited } = shop();
    const store = create();
    const first = open(store());
    await first.add(job('later', inMs(2 * day)));
    await waited(first.close());
    for (let deploy = 1; deploy <= 5; deploy += 1) {
      const outbox = open(store());
      await pass(day / 4);
      await waited(outbox.idle());
      expect(await outbox.get('later')).toMatchObject({ state: 'waiting', failures: 0 });
      expect((await outbox.stats()).oldestAgeMs).toBe(0);
      await waited(outbox.close());
    }
    const last = open(store());
    await pass((3 * day) / 4 - minute);
    expect(sent()).toEqual([]);
    await pass(minute + 2_000);
    expect(await waited(last.settled('later'))).toMatchObject({ state: 'accepted', failures: 0 });
    expect(sent()).toHaveLength(1);
    await last.close();
  });

  test('a thousand of them need no claims while they wait, and an outbox that only adds does not read them', async () => {
    const { job, open, waited } = shop();
    const store = create()();
    const outbox = open(store);
    await waited(outbox.idle());
    const claiming = vi.spyOn(store, 'claim');
    await Promise.all(Array.from({ length: 1_000 }, async (_, index) => outbox.add(job(`${index}`, inMs(60 * day)))));
    await waited(outbox.idle());
    claiming.mockClear();
    await pass(minute, 60);
    // A store that others may have is polled each second.
    expect(claiming.mock.calls.length).toBeLessThanOrEqual(store.shared ? 61 : 0);
    const listing = vi.spyOn(store, 'list');
    const adding = createOutbox({ store, clientFor: () => undefined, logger: silentLogger });
    for (let index = 0; index < 20; index += 1) await adding.add(job(`more ${index}`, inMs(60 * day)));
    await pass(minute, 60);
    // Twice, and each time in three pages.
    expect(listing.mock.calls.length).toBeLessThanOrEqual(store.shared ? 6 : 0);
    expect((await outbox.stats()).waiting).toBe(1_020);
    expect(await outbox.waiting.removeAll(() => true)).toBe(1_020);
    await adding.close();
    await outbox.close();
  });

  test('where responses have shown that this clock is ahead, it waits for the clock of the service', async () => {
    const { client, job, sent, open, waited } = shop({ behindMs: 40_000 });
    for (let times = 0; times < 5; times += 1) await waited(client.currencies.list());
    const failed: unknown[] = [];
    const outbox = open(create()(), { onFailure: (failure) => failed.push(failure) });
    await outbox.add(job('later', inMs(10_000)));
    // The header has whole seconds.
    await pass(48_000, 48);
    expect(await outbox.get('later')).toMatchObject({ state: 'waiting', failures: 0 });
    expect(sent()).toEqual([]);
    await pass(4_000, 4);
    expect(await waited(outbox.settled('later'))).toMatchObject({ state: 'accepted', failures: 0 });
    expect(failed).toEqual([]);
    await outbox.close();
  });
});

describe('with a clock that tests move', () => {
  loadClientFirst();
  fakeTimersOfInbox();

  test('what a deploy gives back on a machine whose clock is ahead waits for the clock of the next machine', async () => {
    const { job, sent, open, waited } = shop();
    const path = newFile();
    const start = Date.now();
    const adding = open(sqliteStore(path));
    await adding.add(job('later', inMs(100_000)));
    await waited(adding.close());
    vi.setSystemTime(start + 101_000);
    const ahead = sqliteStore(path);
    const { leases } = await ahead.claim({ kinds: ['job'], limit: 1, leaseMs: 1_000, alone: false });
    expect(leases).toMatchObject([{ key: 'job later' }]);
    await ahead.settle(leases[0]!, released);
    await ahead.close?.();
    vi.setSystemTime(start + 11_000);
    const next = open(sqliteStore(path));
    await pass(88_000, 88);
    expect(sent()).toEqual([]);
    await pass(3_000, 3);
    expect(await waited(next.settled('later'))).toMatchObject({ state: 'accepted', failures: 0 });
    await next.close();
  });

  test('an outbox that was not started is told of when its job has been due for longer than a lease', async () => {
    const { job } = shop();
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: (line: string) => void lines.push(line) };
    const outbox = createOutbox({ store: sqliteStore(newFile()), clientFor: () => undefined, logger });
    for (const minutes of [5, 5_000]) await outbox.add(job(`in ${minutes}`, inMs(minutes * minute)));
    await pass(5 * minute, 100);
    expect(lines).toEqual([]);
    await pass(minute, 60);
    expect(lines).toEqual([expect.stringContaining('this outbox was not started')]);
    await outbox.close();
  });

  const form = '`notBefore` takes a Date, or a time in ISO 8601 with its time zone';
  const late = 'within 90 days';
  test.for<[unknown, string]>([
    ['2026-03-02T09:00:00', form],
    ['2026-03-03', form],
    ['2026-03-02 10:00:00Z', form],
    ['2026-02-30T00:00:00Z', form],
    ['tomorrow', form],
    ['', form],
    [new Date(NaN), form],
    [1_772_500_000_000, form],
    [null, form],
    [{}, form],
    [true, form],
    [new Date('2026-05-31T09:00:00.001Z'), late],
    ['2026-05-31T06:00:01-03:00', late],
    ['9999-12-31T23:59:59Z', late],
    [new Date(8.64e15), late],
  ])('%s is rejected: %s', async ([notBefore, problem]) => {
    vi.setSystemTime('2026-03-02T09:00:00Z');
    const { job, open } = shop();
    const outbox = open(memoryStore());
    const added = outbox.add({ ...job('wrong'), notBefore } as never);
    await expect(added).rejects.toMatchObject({ name: 'InvalidInputError', issues: [{ path: ['notBefore'] }] });
    await expect(added).rejects.toThrow(problem);
    expect(await outbox.get('wrong')).toBeUndefined();
    await outbox.close();
  });

  test.for<[Date | string, string | undefined]>([
    ['2026-03-03T09:00:00-03:00', '2026-03-03T12:00:00.000Z'],
    ['2026-03-03T09:00:00.5+0130', '2026-03-03T07:30:00.500Z'],
    [new Date('2026-05-31T09:00:00Z'), '2026-05-31T09:00:00.000Z'],
    [new Date(0), undefined],
    [new Date(-8.64e15), undefined],
    ['2026-03-02T09:00:00Z', undefined],
    ['2026-03-02T10:59:00+0200', undefined],
  ])('%s is taken, and is %s', async ([notBefore, kept]) => {
    vi.setSystemTime('2026-03-02T09:00:00Z');
    const { job, open, waited } = shop();
    const outbox = open(memoryStore());
    expect((await outbox.add(job('one', notBefore))).entry.notBefore).toBe(kept);
    await waited(outbox.idle());
    expect((await outbox.get('one'))?.state).toBe(kept === undefined ? 'accepted' : 'waiting');
    await outbox.close();
  });
});
