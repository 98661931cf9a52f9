import { createInbox, openInbox, parseNotification } from 'marketplace-seller-sdk/inbox';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { newEntry, workOf } from '../../src/notifications/notification.js';
import type { Claim, Claimed } from '../../src/work/store.js';
import { about, deliverUntilAccepted } from '../support/deliveries.ts';
import { advanceUntil, advanceUntilSettled, fakeTimersOfInbox } from '../support/fake-time.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { silent, silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';

fakeTimersOfInbox();

const noCounts = { waiting: 0, running: 0, dead: 0, accepted: 0, rejected: 0, unreadable: 0 };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ends what dead processes wait for. */
let testEnd = Promise.withResolvers<undefined>();
const inboxes: ReturnType<typeof createInbox>[] = [];

// What a process has left running would start timers in the tests of another file.
afterEach(async () => {
  testEnd.resolve(undefined);
  testEnd = Promise.withResolvers();
  await advanceUntilSettled(Promise.all(inboxes.splice(0).map((inbox) => inbox.close({ graceMs: 0 }))));
});

/** A store as a process sees it: its calls wait while the process is stopped, and have no effect once it is dead. */
function processOn(store: Store) {
  const gone = testEnd.promise;
  let running = Promise.withResolvers<undefined>();
  running.resolve(undefined);
  const state = { isDead: false };
  const isDead = (): boolean => state.isDead;
  /** `after` is the result after the test. */
  const call = async <T>(run: () => Promise<T>, after: T): Promise<T> => {
    const nothing = gone.then(() => after);
    await Promise.race([running.promise, gone]);
    if (isDead()) return nothing;
    const result = await run();
    return isDead() ? nothing : result;
  };
  const seen: Store = {
    '~made': 'store',
    durable: store.durable,
    shared: store.shared,
    ledger: store.ledger,
    add: (work, most) => call(() => store.add(work, most), 'added'),
    get: (key) => call(() => store.get(key), undefined),
    list: (query) => call(() => store.list(query), []),
    counts: (kinds) => call(() => store.counts(kinds), noCounts),
    claim: (claim) => call(() => store.claim(claim), { leases: [] }),
    renew: (leases, leaseMs) => call(() => store.renew(leases, leaseMs), []),
    note: (lease, notes) => call(() => store.note(lease, notes), true),
    settle: (lease, verdict) => call(() => store.settle(lease, verdict), true),
    again: (key, state, notes) => call(() => store.again(key, state, notes), false),
    remove: (key, states) => call(() => store.remove(key, states), false),
    reduce: (key, states, keyMs) => call(() => store.reduce(key, states, keyMs), false),
    reduceOld: (kinds, olderMs, keyMs) => call(() => store.reduceOld(kinds, olderMs, keyMs), 0),
  };
  return {
    store: seen,
    stop: () => {
      running = Promise.withResolvers<undefined>();
    },
    resume: () => {
      running.resolve(undefined);
    },
    kill: () => {
      state.isDead = true;
    },
    isDead,
    /** Does not end before the test. */
    gone,
  };
}

function inboxOn(store: Store, questions: NonNullable<InboxOptions['on']>['questions'], leaseMs = 60) {
  const inbox = createInbox({
    store,
    leaseMs,
    logger: silentLogger,
    on: { questions },
    retry: { firstDelayMs: 1 },
  });
  inboxes.push(inbox);
  return inbox;
}

/** Stops the whole process, as SIGSTOP or a suspended laptop does: both clocks go on, and no timer runs. */
function standStillFor(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  vi.setSystemTime(Date.now() + ms);
}

describe.for(storeKinds())('a process that stalls, with a store in $name', ({ create }) => {
  test('a process that stands still longer than its leases keeps them and doubles nothing', async () => {
    const store = create()();
    const handled: number[] = [];
    let running = 0;
    let mostOfOneGroup = 0;
    const started = Promise.withResolvers<undefined>();
    const inbox = inboxOn(
      store,
      async ({ question_id }) => {
        mostOfOneGroup = Math.max(mostOfOneGroup, ++running);
        started.resolve(undefined);
        await pause(40);
        running -= 1;
        handled.push(question_id);
      },
      3_000,
    );
    await deliverUntilAccepted(inbox, about(1));
    await advanceUntilSettled(started.promise);
    standStillFor(7_000);
    await deliverUntilAccepted(inbox, about(1, { _id: 'later', sent: '2026-11-20T10:00:01.000Z' }));
    await advanceUntilSettled(untilEnded(inbox));
    expect(handled).toEqual([1, 1]);
    expect(mostOfOneGroup).toBe(1);
    await advanceUntilSettled(inbox.close());
  });

  test('a stopped process whose group was taken over is aborted, and its result is ignored', async () => {
    const store = create()();
    const stopped = processOn(store);
    const starts: string[] = [];
    let reason: unknown;
    const former = inboxOn(stopped.store, async (_, { signal }) => {
      starts.push('former');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reason = signal.reason;
    });
    await deliverUntilAccepted(former, about(1));
    await advanceUntil(() => starts.length === 1);
    stopped.stop();
    const end = Promise.withResolvers<undefined>();
    const current = inboxOn(
      store,
      async () => {
        starts.push('current');
        await end.promise;
      },
      1_000,
    );
    void untilEnded(current);
    await advanceUntil(() => starts.length === 2);
    stopped.resume();
    await advanceUntil(() => reason !== undefined);
    await vi.advanceTimersByTimeAsync(100);
    expect(starts).toEqual(['former', 'current']);
    end.resolve(undefined);
    await advanceUntilSettled(Promise.all([untilEnded(current), untilEnded(former)]));
    expect(starts).toEqual(['former', 'current']);
    expect(reason).toMatchObject({ message: 'Another process has taken over' });
    await advanceUntilSettled(current.close());
  });

  test('a notification that kills its process becomes a dead letter alone', async () => {
    const open = create();
    const handled = new Set<number>();
    const accepting = open();
    for (let id = 0; id < 26; id += 1)
      await accepting.add(workOf(await newEntry(parseNotification(about(id)), Date.now())));
    let kills = 0;
    for (let start = 0; start < 12; start += 1) {
      const process = processOn(open());
      const inbox = inboxOn(process.store, async ({ question_id }) => {
        if (question_id === 13) {
          process.kill();
          kills += 1;
        }
        await pause(2);
        if (process.isDead()) await process.gone;
        handled.add(question_id);
      });
      let isIdle = false;
      void untilEnded(inbox).then(() => (isIdle = true));
      await advanceUntil(() => isIdle || process.isDead());
      if (!process.isDead()) break;
    }
    expect(handled.size).toBe(25);
    expect(kills).toBeGreaterThanOrEqual(3);
    const letters = await openInbox(open()).deadLetters.list();
    expect(letters.map(({ entry }) => entry.notification.question_id)).toEqual([13]);
    expect(letters[0]?.failure).toContain('process ended');
  });

  test('no innocent entry becomes a dead letter when the one beside it ends the process again and again', async () => {
    const open = create();
    const accepting = open();
    for (let id = 0; id < 6; id += 1)
      await accepting.add(workOf(await newEntry(parseNotification(about(id, { user_id: id })), 0)));
    for (let start = 0; start < 30; start += 1) {
      const process = processOn(open());
      const inbox = inboxOn(process.store, async ({ question_id }) => {
        // What ends the process does so while all the others run.
        await pause(question_id === 3 ? 5 : 10);
        if (question_id === 3) process.kill();
        if (process.isDead()) await process.gone;
      });
      let isIdle = false;
      void untilEnded(inbox).then(() => (isIdle = true));
      await advanceUntil(() => isIdle || process.isDead());
      if (!process.isDead()) break;
    }
    const letters = await openInbox(open()).deadLetters.list();
    expect(letters.map(({ entry }) => entry.notification.question_id)).toEqual([3]);
    expect(await openInbox(open()).stats()).toMatchObject({ waiting: 0, running: 0 });
  });

  test('no innocent entry becomes a dead letter when processes are killed as they begin', async () => {
    const store = create()();
    const ids = Array.from({ length: 24 }, (_, id) => id);
    for (const id of ids) await store.add(workOf(await newEntry(parseNotification(about(id)), 0)));
    for (let kill = 0; kill < 8; kill += 1) {
      const killed = processOn(store);
      const hasClaimed = Promise.withResolvers<undefined>();
      const claim = async (wanted: Claim): Promise<Claimed> => {
        await store.claim(wanted);
        killed.kill();
        hasClaimed.resolve(undefined);
        await killed.gone;
        return { leases: [] };
      };
      void inboxOn({ ...killed.store, claim }, silent, 5).idle();
      await advanceUntilSettled(hasClaimed.promise);
      await vi.advanceTimersByTimeAsync(10);
    }
    const handled = new Set<number>();
    const inbox = inboxOn(store, ({ question_id }) => void handled.add(question_id), 60_000);
    await advanceUntilSettled(untilEnded(inbox));
    expect([...handled].sort((a, b) => a - b)).toEqual(ids);
    expect(await inbox.deadLetters.list()).toEqual([]);
    await advanceUntilSettled(inbox.close());
  });

  test('an entry that is killed by deploys keeps its attempts', async () => {
    const open = create();
    const attempts: number[] = [];
    for (let deploy = 0; deploy < 3; deploy += 1) {
      const process = processOn(open());
      const inbox = createInbox({
        store: process.store,
        leaseMs: 20,
        logger: silentLogger,
        retry: { maxRetries: 1, firstDelayMs: 1 },
        on: {
          questions: async (_, { attempt }) => {
            attempts.push(attempt);
            if (deploy < 2) {
              process.kill();
              await process.gone;
            }
            if (attempts.length === 3) throw new Error('the first failure');
          },
        },
      });
      inboxes.push(inbox);
      if (deploy === 0) await deliverUntilAccepted(inbox, about(1));
      if (deploy === 2) await advanceUntilSettled(untilEnded(inbox));
      else {
        void untilEnded(inbox);
        await advanceUntil(process.isDead);
      }
    }
    expect(attempts).toEqual([1, 2, 3, 2]);
    expect(await openInbox(open()).deadLetters.list()).toEqual([]);
  });
});
