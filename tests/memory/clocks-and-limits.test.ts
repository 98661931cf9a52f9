import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, vi } from 'vitest';
import { endpoints } from '../../src/endpoints.js';
import { Limits } from '../../src/core/limits/limits.js';
import { ServiceClock } from '../../src/core/recover/memory-book.js';
import { CancelScope } from '../../src/core/scope/cancel-scope.js';
import { remembering } from '../support/remembering.ts';

// What is learnt of a service, and must be unlearnt: its clock, its limits, and what it has moved.

interface Headers5 {
  clock: ServiceClock;
  /** What each header has shown since one disagreed with those before, and since when the clocks of this machine run as they do. */
  agreed: { least: number; most: number }[];
  offset: number;
  behindMs: number;
}

/** A response that took 40 ms, of a service that is `behindMs` behind. */
function respond(world: Headers5, behindMs = world.behindMs, more: Record<string, string> = {}): void {
  const sentAt = Date.now();
  vi.advanceTimersByTime(20);
  const date = new Date(Date.now() - behindMs).toUTCString();
  vi.advanceTimersByTime(20);
  world.clock.observe(sentAt, new Headers({ date, ...more }), () => undefined);
  if (more.age !== undefined) return;
  const shown = { least: sentAt - Date.parse(date) - 1_000, most: Date.now() - Date.parse(date) };
  const agrees = world.agreed.every(({ least, most }) => shown.least <= most && shown.most >= least);
  world.agreed = agrees ? [...world.agreed, shown] : [shown];
  world.offset = Date.now() - performance.now();
}

remembering<Headers5>('ServiceClock', {
  create: () => ({ clock: new ServiceClock(), agreed: [], offset: Number.NaN, behindMs: 40_000 }),
  steps: {
    use: {
      'a response': (world) => respond(world),
      'six of them': (world) => {
        for (let count = 0; count < 6; count += 1) respond(world);
      },
    },
    fail: {
      'a wrong date': (world, choice) => respond(world, world.behindMs + (choice - 500) * 1_000),
      'a response of a cache': (world) => respond(world, world.behindMs + 90_000, { age: '90' }),
    },
    close: 'it holds nothing',
    reopen: (world) => Object.assign(world, { clock: new ServiceClock(), agreed: [] }),
    'another holder': (world, choice) => void (world.behindMs = (choice - 500) * 500),
    'another seller': 'the service has one clock for all',
  },
  always: ({ clock, agreed, offset }) => {
    const wasSet = Math.abs(Date.now() - performance.now() - offset) >= 2_000;
    const isKnown = agreed.length >= 5 && !wasSet;
    expect(clock.aheadMs).toBe(isKnown ? Math.max(0, ...agreed.map(({ least }) => least)) : 0);
  },
});

interface Sellers {
  limits: Limits;
  /** When each seller got a 429 last, on the monotonic clock. */
  throttledAt: Map<string, number>;
  /** Until when a seller was asked to wait. */
  until: Map<string, number>;
}
const endpoint = endpoints.questions.get;
const progress = { attempts: 0, outcomeUnknown: false };
const sellers = ['seller 7', 'seller 8', 'seller 9'];

/** One attempt of a seller, if it gets a turn at once. */
function attempt({ limits, throttledAt, until }: Sellers, seller: string, retryAfterMs?: number | 'none'): boolean {
  const queue = limits.of(seller, endpoint, 10);
  const isSent = queue.tryAcquire();
  const sentAt = performance.now();
  if (isSent) {
    vi.advanceTimersByTime(5);
    if (retryAfterMs === undefined) queue.release('accepted', sentAt);
    else {
      throttledAt.set(seller, performance.now());
      queue.release('throttled', sentAt, typeof retryAfterMs === 'number' ? { retryAfterMs } : {});
      if (retryAfterMs !== 'none') until.set(seller, performance.now() + retryAfterMs);
    }
  }
  queue.leave();
  return isSent;
}

remembering<Sellers>('Limits, TokenLimit, TurnQueue, ApplicationLimit, Bucket, AdaptiveRate', {
  create: () => ({ limits: new Limits(), throttledAt: new Map(), until: new Map() }),
  passesMs: [5, 300, 1_000, 10_000, 61_000],
  steps: {
    use: (world) => {
      const isAsked = (world.until.get(sellers[0]!) ?? 0) > performance.now();
      const isSent = attempt(world, sellers[0]!);
      // While it was asked to wait, nothing is sent, whatever the clock says.
      if (isAsked) expect(isSent).toBe(false);
    },
    fail: {
      'a 429': (world) => attempt(world, sellers[0]!, 'none'),
      'a 429 with a time': (world, choice) => attempt(world, sellers[0]!, 1_000 * (1 + (choice % 30))),
    },
    close: async ({ limits }, choice) => {
      const queue = limits.of(sellers[choice % 3], endpoint, 10);
      const abort = new AbortController();
      const scope = new CancelScope({ what: 'a call that waits', signal: abort.signal, progress });
      const turn = { isRetry: false, startedAt: performance.now(), maxRetries: 3, maxPauseMs: 9_000, onWait: vi.fn() };
      const waiting = queue.acquire(scope, turn).then(
        (rejection) => rejection ?? queue.giveBack(),
        () => undefined,
      );
      await vi.advanceTimersByTimeAsync(choice % 200);
      abort.abort();
      await waiting;
      queue.leave();
    },
    reopen: (world) => Object.assign(world, { limits: new Limits(), throttledAt: new Map(), until: new Map() }),
    'another holder': (world, choice) => attempt(world, sellers[2]!, choice % 2 ? 'none' : undefined),
    'another seller': (world) => {
      attempt(world, sellers[1]!);
      // What one was asked to wait for is not asked of another.
      const queue = world.limits.of(sellers[1], endpoint, 10);
      expect(queue.bucket.pausedMs(performance.now())).toBe(0);
      queue.leave();
    },
  },
  finally: (world) => {
    vi.advanceTimersByTime(100_000);
    for (const seller of sellers) {
      const queues = [world.limits, new Limits()].map((limits) => limits.of(seller, endpoint, 10));
      // A minute later nothing is known of it: as many are sent at once as at first.
      const [known, fresh] = queues.map((queue) => {
        let sent = 0;
        while (sent < 20 && queue.tryAcquire()) sent += 1;
        for (let count = 0; count < sent; count += 1) queue.giveBack();
        queue.leave();
        return sent;
      });
      expect(known).toBe(fresh);
      // Nothing waits any more.
      const { application } = queues[0]!;
      expect([application.waiting.size, application.ready.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
    }
  },
});

interface Limited {
  marketplace: FakeMarketplace;
  limit: { perSecond?: number; perMinute?: number; per?: 'user' } | undefined;
  /** Who was let through since the limit was set, and when. */
  calls: { by: string; at: number }[];
  tokens: string[];
}

async function call(world: Limited, seller: number): Promise<void> {
  const { marketplace, limit, tokens } = world;
  const now = marketplace.clock.ms;
  const by = limit?.per === 'user' ? `${seller}` : 'all';
  // Those of a clock that was set back since are forgotten.
  const calls = (world.calls = world.calls.filter((each) => each.by !== by || each.at <= now));
  const own = calls.filter((each) => each.by === by);
  const within = (ms: number): number => own.filter(({ at }) => at > now - ms).length;
  const { perSecond = Infinity, perMinute = Infinity } = limit ?? {};
  const isLimited = within(1_000) >= perSecond || within(60_000) >= perMinute;
  const headers = { authorization: `Bearer ${tokens[seller]}` };
  const { status } = await marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers });
  expect(status).toBe(isLimited ? 429 : 200);
  if (!isLimited) calls.push({ by, at: now });
}

remembering<Limited>('ServiceRateLimiter', {
  create: () => {
    const marketplace = new FakeMarketplace();
    const tokens = [0, 1].map(() => marketplace.tokenFor(marketplace.addUser()));
    return { marketplace, limit: undefined, calls: [], tokens };
  },
  passesMs: [1, 500, 1_000, 30_000, 60_000],
  steps: {
    use: (world) => call(world, 0),
    fail: (world) => {
      expect(() => world.marketplace.rateLimiter.set({})).toThrow('`limit` needs');
    },
    close: (world) => {
      world.marketplace.rateLimiter.set(undefined);
      Object.assign(world, { limit: undefined, calls: [] });
    },
    reopen: (world, choice) => {
      const limit = [{ perSecond: 2 }, { perMinute: 3 }, { perMinute: 2, per: 'user' as const }][choice % 3];
      world.marketplace.rateLimiter.set(limit);
      Object.assign(world, { limit, calls: [] });
    },
    'another holder': 'a marketplace has one limit',
    'another seller': (world) => call(world, 1),
  },
});

interface Moving {
  client: SellerClient;
  state: { hasMoved: boolean; fails: boolean };
  paths: string[];
  /** Whether this client has seen that the path has ended. */
  knows: boolean;
}

function moving(): Moving {
  const state = { hasMoved: false, fails: false };
  const paths: string[] = [];
  const respondTo = (url: string): Response => {
    const { pathname } = new URL(url);
    paths.push(pathname);
    if (state.fails) return Response.json({ message: 'down' }, { status: 500 });
    if (pathname === '/items' && state.hasMoved) return Response.json({ message: 'gone' }, { status: 404 });
    if (pathname !== '/items' && !state.hasMoved) return Response.json({ message: 'none' }, { status: 404 });
    return Response.json([{ code: 200, body: { id: 'MLA1', status: 'active' } }]);
  };
  const fetch = (url: string): Promise<Response> => Promise.resolve(respondTo(url));
  const open = () => new SellerClient({ baseUrl: 'https://api.test', accessToken: 'a', maxRetries: 0, fetch });
  return { client: open(), state, paths, knows: false };
}

remembering<Moving>('Items', {
  numRuns: 80,
  create: moving,
  steps: {
    use: async (world) => {
      world.paths.length = 0;
      const { hasMoved, fails } = world.state;
      await world.client.items.status({ ids: ['MLA1'] }).catch(() => undefined);
      const first = world.knows ? '/items/bulk' : '/items';
      expect(world.paths[0]).toBe(first);
      // Only a path that has ended, and a successor that answers, are remembered.
      if (!fails && hasMoved) world.knows = true;
      if (fails) expect(world.paths).toEqual([first]);
    },
    fail: ({ state }) => void (state.fails = !state.fails),
    close: ({ state }) => void (state.hasMoved = true),
    reopen: (world) => Object.assign(world, moving()),
    'another holder': 'each client learns by itself',
    'another seller': 'all sellers of a client have one service',
  },
});
