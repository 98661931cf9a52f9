import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, Check } from 'marketplace-seller-sdk/simulation';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PlannedEvents } from '../../src/simulation/events.js';
import { Names } from '../../src/simulation/history.js';
import { Decisions } from '../../src/simulation/plan.js';
import { SimulatedProcess, VirtualTime } from '../../src/simulation/process.js';
import type { Scene } from '../../src/simulation/scene.js';

// A simulated world: names of what is made in it, its time, its processes, what lasts for a while, and a bot that crashes.

describe('a name of an event', () => {
  test('is that of what is made in it, and of nothing that is made later', () => {
    const names = new Names();
    const inside = names.creating(
      'q1',
      () => names.of('/questions/1'),
      () => [],
    );
    expect([inside, names.of(1), names.of('/questions/2')]).toEqual(['q1', 'q1', '?']);
    expect(
      names.creating(
        'q2',
        () => names.of(1),
        () => [3, 4],
      ),
    ).toBe('q1');
    expect([1, 3, 4, 5].map((id) => names.of(id))).toEqual(['q1', 'q2', 'q2', '?']);
  });

  test('is numbered from one on, each apart', () => {
    const names = new Names();
    expect(['a', 'b', 'a', 'a'].map((name) => names.numbered(name))).toEqual(['a#1', 'b#1', 'a#2', 'a#3']);
  });
});

function processAt(time: VirtualTime): SimulatedProcess {
  return new SimulatedProcess({
    name: 'The bot',
    time,
    seed: 1,
    print: () => undefined,
    fetch: () => Promise.reject(new Error('none')),
  });
}

describe('virtual time', () => {
  test('fires what is due in the order of its times, and of one time in the order in which it was set', () => {
    const time = new VirtualTime(1000);
    const owner = processAt(time);
    const fired: string[] = [];
    for (const [name, ms] of [
      ['b', 20],
      ['a', 10],
      ['c', 20],
      ['d', 20],
      ['now', 0],
    ] as const)
      time.set(owner, () => fired.push(`${name} ${time.now}`), ms);
    while (time.fireNext(1019));
    expect(fired).toEqual(['now 1001', 'a 1010']);
    while (time.fireNext(1020));
    expect(fired.slice(2)).toEqual(['b 1020', 'c 1020', 'd 1020']);
  });

  test.each([
    [0, 1],
    [0.5, 1],
    [1, 1],
    [1.9, 1],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31, 1],
    [-5, 1],
    [NaN, 1],
  ])('waits for %d ms as the platform does: %d', (given, expected) => {
    const time = new VirtualTime(0);
    time.set(processAt(time), () => undefined, given);
    expect([time.fireNext(expected - 1), time.fireNext(expected)?.at]).toEqual([undefined, expected]);
  });

  test('fires a timer that is refreshed once, at its later time, and one that repeats each time', () => {
    const time = new VirtualTime(0);
    const owner = processAt(time);
    const fired: string[] = [];
    const once = time.set(owner, () => fired.push(`once ${time.now}`), 10);
    const tick = (): unknown => fired.push(`often ${time.now}`) >= 5 && often.close();
    const often = time.set(owner, tick, 4, true);
    while (time.fireNext(5));
    once.refresh();
    while (time.fireNext(30));
    expect(fired).toEqual(['often 4', 'often 8', 'often 12', 'once 14', 'often 16']);
  });
});

describe('a process that never becomes idle', () => {
  const hour = 3_600_000;

  test('is none that reads its clock 5,000,000 times in all, and not at one time', () => {
    const time = new VirtualTime(0);
    const process = processAt(time);
    for (; time.now < 3; time.now += 1) for (let reads = 0; reads < 2_000_000; reads += 1) void process.now;
    expect(process.failure).toBeUndefined();
  });

  test.each([
    ['calls', 5000],
    ['timers', 100_000],
  ] as const)('is one with more %s than %i within an hour', (what, most) => {
    const time = new VirtualTime(hour);
    const process = processAt(time);
    const count = (times: number): string | undefined => {
      for (let index = 0; index < times; index += 1) process.count(what);
      return process.failure;
    };
    expect(count(most)).toBeUndefined();
    process.count(what === 'calls' ? 'timers' : 'calls');
    time.now = 2 * hour;
    expect(count(most)).toBeUndefined();
    time.now = 3 * hour - 1;
    expect(count(1)).toBe(`The bot never becomes idle: more than ${most} ${what} within an hour.`);
  });
});

describe('what lasts for a while', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const states: [kind: 'outage' | 'offline' | 'quota' | 'slow moderation', isOn: (scene: Scene) => boolean][] = [
    ['outage', ({ network }) => network.isOut],
    ['offline', ({ network }) => network.isOffline],
    ['quota', ({ marketplace }) => marketplace.rateLimiter.limit !== undefined],
    ['slow moderation', ({ marketplace }) => marketplace.messages.moderation === 'later'],
  ];
  test.each(states)('ends with the last of two at once, and begins again: %s', (kind, isOn) => {
    const network = { isOut: false, isOffline: false };
    const [decisions, recorder, world] = [{ happened: [] as string[] }, { event: vi.fn() }, { time: { now: 0 } }];
    const scene = { marketplace: new FakeMarketplace(), network, decisions, recorder, world } as unknown as Scene;
    const events = new PlannedEvents(scene);
    const happen = (name: string, lastsMs: number): void =>
      events.happen({ name, kind, lastsMs, at: 0, seller: 0, about: '' });
    const after = (ms: number): boolean => (vi.advanceTimersByTime(ms), isOn(scene));
    happen('one', 1000);
    expect([isOn(scene), after(500)]).toEqual([true, true]);
    happen('two', 1000);
    expect([after(499), after(1), after(499), after(1)]).toEqual([true, true, true, false]);
    happen('three', 1000);
    happen('shorter', 10);
    expect([after(10), after(989), after(1)]).toEqual([true, true, false]);
    expect(decisions.happened).toEqual(['one', 'two', 'three', 'shorter']);
  });

  test('is over on the quiet day, also a kill that waits for a write', () => {
    const [bots, network] = [{ begin: vi.fn(), process: { isAlive: true } }, { duringNextWrite: undefined }];
    const decisions = new Decisions(1, { responseLost: 1 }, undefined);
    vi.spyOn(decisions, 'amount').mockReturnValue(0);
    const chosen = (): unknown => decisions.choose('GET /currencies', { 'response lost': 'responseLost' });
    const marketplace = new FakeMarketplace();
    const off = marketplace.notifications.subscribe({ callback: () => new Response(), topics: [] });
    const around = { bots, network, decisions, recorder: { event: vi.fn() }, world: { time: { now: 0 } } };
    const events = new PlannedEvents({ marketplace, ...around } as unknown as Scene);
    events.happen({ name: 'kill 1', kind: 'kill', lastsMs: 1000, at: 0, seller: 0, about: '' });
    expect([network.duringNextWrite, chosen()]).toEqual([expect.any(Function), 'response lost']);
    events.calmDown();
    expect([network.duringNextWrite, chosen(), bots.begin.mock.calls.length]).toEqual([undefined, undefined, 1]);
    expect([...off.topics]).toEqual(['questions', 'messages', 'orders_v2']);
  });
});

describe('a bot that crashes', () => {
  test('starts again after 5 seconds, then each time after twice as long, and after 5 again when it has run for a while', async () => {
    let trace: readonly string[] = [];
    const keep: Check = (history) => {
      ({ trace } = history);
      return [];
    };
    const minute = 60_000;
    /** How long each start runs before it crashes. The last one stays. */
    const livesMs = [0, 0, 0, 9 * minute, 11 * minute, 0];
    const bot = async ({ start }: { start: number }) => {
      const lifeMs = livesMs[start - 1];
      if (lifeMs === 0) throw new Error('at once');
      if (lifeMs !== undefined) setTimeout(() => process.exit(1), lifeMs);
      return {};
    };
    const load = { questions: 0, sales: 0, messages: 0, cancellations: 0, byHand: 0 };
    await simulate({ seeds: [1], bot, load, faults: 'none', checks: [keep] });
    const starts = trace
      .filter((line) => line.includes(' of the bot'))
      .map((line) => /day 1 ([\d:]+)\.\d+ {2}start/.exec(line)?.[1]);
    // After 5, 10 and 20 s; after nine minutes, 40 s; after eleven, 5 s; and 10 s.
    expect(starts).toEqual(['00:00:00', '00:00:05', '00:00:15', '00:00:35', '00:10:15', '00:21:20', '00:21:30']);
  });

  test('has nobody who responds to a notification until its next start has returned', async () => {
    const seen = { start: 0, own: 0, ofAnother: 0 };
    const bot = async ({ start }: { start: number }): Promise<Bot> => {
      seen.start = start;
      if (start === 1) setTimeout(() => process.exit(1), 3_600_000);
      else await new Promise((resolve) => setTimeout(resolve, 540_000));
      return { callback: () => ((seen[start === seen.start ? 'own' : 'ofAnother'] += 1), new Response()) };
    };
    const load = { questions: 2000, sales: 0, messages: 0, cancellations: 0, byHand: 0 };
    await simulate({ seeds: [1], bot, load, faults: 'none', checks: [] });
    expect([seen.start, seen.ofAnother, seen.own > 1000]).toEqual([2, 0, true]);
  });
});
