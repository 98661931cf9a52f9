import { SellerClient } from 'marketplace-seller-sdk';
import { createInbox, handleNow } from 'marketplace-seller-sdk/inbox';
import type { Inbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { expect, vi } from 'vitest';
import { MissingResources } from '../../src/notifications/handling/notification-task.js';
import { ReadConversations } from '../../src/notifications/handling/unread.js';
import { JobDecisions } from '../../src/outbox/decisions.js';
import { workOf } from '../../src/outbox/open-outbox.js';
import { Log } from '../../src/work/log.js';
import type { InnerStore as Store } from '../../src/work/store.js';
import { about, post } from '../support/deliveries.ts';
import { remembering } from '../support/remembering.ts';
import { silent, silentLogger } from '../support/silent.ts';
import { claim } from '../support/work.ts';

// What an inbox and an outbox remember beside their store: who leads, what was handled, read, missing, said and decided.

const minute = 60_000;
const day = 86_400_000;

interface Rounds {
  store: Store;
  /** Whose ledger is away, by the place of the process. */
  away: Set<number>;
  inboxes: (Inbox | undefined)[];
  /** When a process looked for what sellers missed, on the monotonic clock, and which one. */
  looked: { at: number; by: number }[];
  /** Since when at least one process has been able to look without a break. */
  since: number;
}

function start(world: Rounds, index: number): void {
  const ledger = {
    get: async (key: string) => {
      if (world.away.has(index)) throw new Error('the database is away');
      return world.store.ledger.get(key);
    },
    replace: async (...args: Parameters<Store['ledger']['replace']>) => {
      if (world.away.has(index)) throw new Error('the database is away');
      return world.store.ledger.replace(...args);
    },
  };
  const own = new Proxy(world.store, {
    get: (target, name) => {
      if (name === 'ledger') return ledger;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const inbox = createInbox({
    store: own,
    clientFor: () => void world.looked.push({ at: performance.now(), by: index }),
    sellers: [7],
    on: { questions: silent },
    logger: silentLogger,
  });
  inbox.start();
  world.inboxes[index] = inbox;
}

/** As long as a lead is kept without its process, and as long as another one takes to see that. */
const leadMs = 60_000;

remembering<Rounds>('CatchUpRounds, Inbox', {
  numRuns: 80,
  passesMs: [1_000, minute, 5 * minute, 15 * minute, 90 * minute],
  create: () => {
    const store = Object.assign(memoryStore(), { shared: true }) as unknown as Store;
    const world: Rounds = { store, away: new Set(), inboxes: [undefined, undefined], looked: [], since: Infinity };
    return world;
  },
  steps: {
    use: async (world) => {
      if (!world.inboxes[0]) start(world, 0);
      await vi.advanceTimersByTimeAsync(1);
    },
    fail: (world, choice) => {
      const index = choice % 2;
      if (!world.away.delete(index)) world.away.add(index);
    },
    close: async (world, choice) => {
      const inbox = world.inboxes[choice % 2];
      world.inboxes[choice % 2] = undefined;
      const closing = inbox?.close();
      await vi.advanceTimersByTimeAsync(1);
      await closing;
    },
    reopen: async (world, choice) => {
      if (!world.inboxes[choice % 2]) start(world, choice % 2);
      await vi.advanceTimersByTimeAsync(1);
    },
    'another holder': async (world) => {
      if (!world.inboxes[1]) start(world, 1);
      await vi.advanceTimersByTimeAsync(1);
    },
    'another seller': 'a round looks for all of them',
  },
  always: (world) => {
    const isAble = world.inboxes.some((inbox, index) => inbox && !world.away.has(index));
    const now = performance.now();
    world.since = isAble ? Math.min(world.since, now) : Infinity;
    // One of them looks every 15 minutes: as soon as its lead is known.
    const last = Math.max(world.since, world.looked.at(-1)?.at ?? 0);
    if (now - world.since > 15 * minute + 2 * leadMs) expect(now - last).toBeLessThanOrEqual(15 * minute + 2 * leadMs);
  },
  finally: async (world) => {
    world.away.clear();
    for (const index of [0, 1]) if (!world.inboxes[index]) start(world, index);
    await vi.advanceTimersByTimeAsync(2 * leadMs);
    // Who leads now has looked since it has the lead: the other one looks at once after it.
    const before = world.looked.length;
    const leader = world.looked.at(-1)!.by;
    const closing = world.inboxes[leader]!.close();
    await vi.advanceTimersByTimeAsync(leadMs);
    await closing;
    expect(world.looked.length).toBe(before + 1);
    expect(world.looked.at(-1)!.by).not.toBe(leader);
    const last = world.inboxes[1 - leader]!.close();
    await vi.advanceTimersByTimeAsync(1);
    await last;
    expect(vi.getTimerCount()).toBe(0);
  },
});

interface Handled {
  /** Two services, whose notifications have equal ids. */
  clients: SellerClient[];
  /** When each service's handler has handled something, and what has failed since, by id. */
  done: Map<string, number>;
  failures: Map<string, { count: number; hasLasted: boolean }>;
  fails: 'no' | 'passes' | 'lasts';
  runs: number;
  said: string[];
  /** Notifications of one sequence are those of no other. */
  name: number;
}

let sequences = 0;

async function deliver(world: Handled, service: number, choice: number): Promise<void> {
  const { fails } = world;
  const id = choice % 3;
  const key = `${service} ${id}`;
  const runs = world.runs;
  let attempt = 0;
  world.said.length = 0;
  const log = (line: string): void => void world.said.push(line);
  const { status } = await handleNow(post(about(id, { _id: `remembered ${world.name} ${id}` })), {
    clientFor: () => world.clients[service],
    logger: { debug: log, info: log, warn: log, error: log },
    on: {
      questions: (_, context) => {
        world.runs += 1;
        ({ attempt } = context);
        if (fails !== 'no') throw Object.assign(new Error('no'), fails === 'lasts' && { isLasting: true });
      },
    },
  });
  const doneAt = world.done.get(key);
  const now = Date.now();
  // A clock that was set forward ends the day; whether one that is set back brings it again is left open.
  for (const [each, at] of world.done) if (now - at >= day) world.done.set(each, -Infinity);
  const isForgotten = world.done.get(key) === -Infinity;
  const isDone = isForgotten ? world.runs === runs : doneAt !== undefined;
  expect(world.runs - runs).toBe(isDone ? 0 : 1);
  expect(status).toBe(isDone || fails === 'no' ? 200 : 503);
  if (isDone) return;
  const before = world.failures.get(key) ?? { count: 0, hasLasted: false };
  expect(attempt).toBe(before.count + 1);
  if (fails === 'no') {
    world.failures.delete(key);
    world.done.set(key, Date.now());
    return;
  }
  const isGivenUp = (fails === 'lasts' && before.hasLasted) || before.count + 1 > 23;
  expect(world.said.join()).toContain(isGivenUp ? 'it is a dead letter now' : 'it will be retried');
  world.failures.set(key, { count: before.count + 1, hasLasted: fails === 'lasts' && !isGivenUp });
}

function services(): SellerClient[] {
  return [0, 1].map(() => new SellerClient({ baseUrl: 'https://api.test', fetch: () => Promise.reject(new Error('no')) })); // prettier-ignore
}

remembering<Handled>('HandledHere, Service', {
  numRuns: 80,
  passesMs: [1, 1_000, minute],
  create: () => ({
    clients: services(),
    done: new Map(),
    failures: new Map(),
    fails: 'no' as const,
    runs: 0,
    said: [],
    name: (sequences += 1),
  }),
  steps: {
    use: (world, choice) => deliver(world, 0, choice),
    fail: (world, choice) => void (world.fails = (['no', 'passes', 'lasts'] as const)[choice % 3]!),
    close: 'nothing is kept beside the process',
    // Another service with the same address: what the first one has handled is not known of it.
    reopen: (world) => Object.assign(world, { clients: services(), done: new Map(), failures: new Map() }),
    'another holder': (world, choice) => deliver(world, 1, choice),
    'another seller': async (world) => {
      const questions = vi.fn();
      const options = { clientFor: () => undefined, logger: silentLogger, on: { questions } };
      expect((await handleNow(post(about(1, { user_id: 8, _id: `other ${world.name}` })), options)).status).toBe(200);
      expect(questions).not.toHaveBeenCalled();
    },
  },
});

interface Missing {
  missing: MissingResources;
  inRow: Map<number, number>;
}

const ofSeller = (user_id: number) => (world: Missing) => {
  world.missing.wasMissing(user_id);
  world.inRow.set(user_id, (world.inRow.get(user_id) ?? 0) + 1);
};

remembering<Missing>('MissingResources', {
  create: () => ({ missing: new MissingResources(), inRow: new Map() }),
  steps: {
    use: ({ missing, inRow }) => {
      missing.wasFound(7);
      inRow.delete(7);
    },
    fail: {
      'one is missing': ofSeller(7),
      'many are': (world) => {
        for (let count = 0; count < 19; count += 1) ofSeller(7)(world);
      },
    },
    close: 'it lives as long as its inbox',
    reopen: (world) => Object.assign(world, { missing: new MissingResources(), inRow: new Map() }),
    'another holder': 'each process counts by itself',
    'another seller': ofSeller(8),
  },
  always: ({ missing, inRow }) => {
    for (const user_id of [7, 8])
      expect(missing.againInMs(user_id, Date.now())).toBe((inRow.get(user_id) ?? 0) >= 20 ? undefined : 5_000);
  },
});

interface Conversations {
  read: ReadConversations;
  last: Map<string, { count: number | undefined; found: number; at: number; againMs: number }>;
}

function look({ read, last }: Conversations, seller: number, choice: number): void {
  const [pack, count, shown] = [`pack ${choice % 2}`, choice % 3 || undefined, choice % 4];
  const name = `${seller} ${pack}`;
  const before = last.get(name);
  const isKnown = before !== undefined && before.count === count && performance.now() - before.at < before.againMs;
  expect(read.found(seller, pack, count)).toBe(isKnown ? before.found : undefined);
  if (isKnown) return;
  read.add(seller, pack, count, { found: shown, shown });
  const first = count === undefined || shown >= count ? 3_600_000 : 0;
  const again =
    before && before.count === count ? Math.min(Math.max(before.againMs * 2, 900_000), 8 * 3_600_000) : first;
  last.set(name, { count, found: shown, at: performance.now(), againMs: again });
}

remembering<Conversations>('ReadConversations', {
  create: () => ({ read: new ReadConversations(), last: new Map() }),
  passesMs: [1, 900_000, 3_600_000, 8 * 3_600_000],
  steps: {
    use: (world, choice) => look(world, 7, choice),
    fail: 'what could not be stored is not remembered: nothing is called',
    // All were read: the list names none.
    close: ({ read, last }) => {
      read.keep(7, []);
      for (const name of last.keys()) if (name.startsWith('7')) last.delete(name);
    },
    reopen: (world) => Object.assign(world, { read: new ReadConversations(), last: new Map() }),
    'another holder': 'each process reads by itself',
    'another seller': (world, choice) => look(world, 8, choice),
  },
});

interface Said {
  log: Log;
  lines: string[];
  last: Map<string, { at: number; count: number }>;
}

async function say({ log, lines, last }: Said, message: string, reason = 'away'): Promise<void> {
  const before = lines.length;
  await log.writeRarely(message, new Error(reason));
  const name = `${message} ${reason}`;
  const known = last.get(name) ?? { at: -Infinity, count: 0 };
  const count = known.count + 1;
  const isSaid = performance.now() - known.at >= minute;
  expect(lines.length - before).toBe(isSaid ? 1 : 0);
  if (isSaid)
    expect(lines.at(-1)).toBe(
      `${message}${count > 1 ? ` (${count} times since it was said last)` : ''}: Error: ${reason}`,
    );
  last.set(name, isSaid ? { at: performance.now(), count: 0 } : { ...known, count });
}

function openLog(): Said {
  const lines: string[] = [];
  const log = new Log({ ...silentLogger, error: (line: string) => void lines.push(line) });
  return { log, lines, last: new Map() };
}

remembering<Said>('Log', {
  create: openLog,
  passesMs: [1, 59_999, minute],
  steps: {
    use: (world) => say(world, 'The store was not opened'),
    fail: (world, choice) => say(world, 'A handler failed', `${choice % 3}`),
    close: 'it has no end',
    reopen: (world) => Object.assign(world, openLog()),
    'another holder': 'each has its own log',
    'another seller': (world) => say(world, 'A seller has no client'),
  },
});

interface Decided {
  store: Store;
  decisions: JobDecisions;
  jobs: number;
  open: { key: string; settled: Promise<unknown>; result: unknown; isOver: boolean }[];
  isClosed: boolean;
}

async function decide({ store, decisions }: Decided, state: 'accepted' | 'dead', isHere: boolean): Promise<void> {
  const { leases } = await claim(store, { kinds: ['job'], limit: 1 });
  for (const lease of leases) {
    await store.settle(lease, { state, inMs: Infinity, failed: state === 'dead', keepsData: true });
    if (isHere) decisions.told(lease.key.slice('job '.length));
  }
  await vi.advanceTimersByTimeAsync(isHere ? 0 : 1_001);
}

const ofJob = (user_id: number) => async (world: Decided) => {
  const key = `job-${(world.jobs += 1)}`;
  await world.store.add(workOf({ key, user_id, steps: [] }));
  const each = { key, settled: Promise.resolve() as Promise<unknown>, result: undefined as unknown, isOver: false };
  const over = (result: unknown): void => void Object.assign(each, { result, isOver: true });
  each.settled = world.decisions.of(key, silent).then(over, over);
  world.open.push(each);
  await vi.advanceTimersByTimeAsync(0);
};

remembering<Decided>('JobDecisions', {
  numRuns: 100,
  passesMs: [1, 1_001],
  create: () => {
    const store = memoryStore();
    return { store, decisions: new JobDecisions(store), jobs: 0, open: [], isClosed: false };
  },
  steps: {
    use: { 'a job is waited for': ofJob(7), 'one is accepted': (world) => decide(world, 'accepted', true) },
    fail: (world) => decide(world, 'dead', true),
    close: async (world) => {
      world.decisions.close();
      world.isClosed = true;
      await vi.advanceTimersByTimeAsync(1);
      // Nobody waits any more.
      expect(world.open.filter(({ isOver }) => !isOver)).toEqual([]);
    },
    reopen: async (world) => {
      world.decisions.close();
      await vi.advanceTimersByTimeAsync(1_001);
      Object.assign(world, { decisions: new JobDecisions(world.store), isClosed: false, open: [] });
    },
    'another holder': (world) => decide(world, 'accepted', false),
    'another seller': ofJob(8),
  },
  always: async ({ store, open }) => {
    // What is said of a job is what the store has of it.
    for (const { key, isOver, result } of open) {
      const state = (await store.get(`job ${key}`))?.state;
      if (isOver && !(result instanceof Error)) expect(result).toMatchObject({ state });
    }
  },
  finally: async (world) => {
    world.decisions.close();
    await vi.advanceTimersByTimeAsync(1_001);
    expect(world.open.filter(({ isOver }) => !isOver)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  },
});
