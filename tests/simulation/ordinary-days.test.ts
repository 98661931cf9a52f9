import { createHash } from 'node:crypto';
import { checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, History, SimulatedCall, SimulationOptions, World } from 'marketplace-seller-sdk/simulation';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { planOf } from '../../src/simulation/plan.js';

const bot = (): Bot => ({});
const load = { sales: 0, messages: 0 };

async function tracesOf(options: Partial<SimulationOptions>): Promise<string> {
  const traces: string[] = [];
  const check = ({ trace }: History): string[] => (traces.push(...trace), []);
  await simulate({ seeds: 1, bot, load, ...options, checks: [check] });
  return traces.join('\n');
}

describe('a question that no answer reaches', () => {
  test('is one of sixteen more: held back, for a time or for good, taken from the listing, or of a paused item', async () => {
    const text = await tracesOf({ seeds: 12 });
    expect(
      new Set(text.match(/(?<= x\d: USER\d{4} asks seller\d, ).*$/gm)?.map((each) => each.replace(/\d+/, 'N'))),
    ).toEqual(
      new Set([
        'and the service holds it back for N s',
        'and the service holds it back for good',
        'and it is taken from the listing',
        'and the item is paused',
      ]),
    );
    expect(await tracesOf({ load: { ...load, questions: 0 } })).not.toContain(' asks ');
  });

  test('is one that is held back and released on each default day, whatever the seed', async () => {
    for (const seed of [1, 2, 3, 4, 5])
      expect(await tracesOf({ seeds: [seed] })).toMatch(
        / h1: USER\d{4} asks seller\d, and the service holds it back for \d/,
      );
  });

  test.each<[string, boolean, (marketplace: FakeMarketplace) => unknown]>([
    ['an open one', true, (marketplace) => ask(marketplace)],
    ['one that is held back', false, (marketplace) => ask(marketplace, { hold: true })],
    ['one that was released', true, (marketplace) => marketplace.questions.release(ask(marketplace, { hold: true }))],
    ['one that is taken from the listing', false, (marketplace) => ask(marketplace, { deleted_from_listing: true })],
    [
      'one of a paused item',
      false,
      (marketplace) => (ask(marketplace), marketplace.items.change('MLA1', { status: 'paused' })),
    ],
  ])('`answered` judges %s: %s', (_, isJudged, make) => {
    const marketplace = new FakeMarketplace();
    marketplace.addItem({ seller_id: marketplace.addUser({ user_id: 7 }).user_id, item_id: 'MLA1' });
    make(marketplace);
    const history = { marketplace, revoked: new Map(), nameOf: () => 'x1' } as unknown as History;
    expect(checks.answered(history)).toEqual(isJudged ? ['x1 is not answered at the end'] : []);
  });

  test.each<[string, number, Parameters<typeof ask>[1], boolean, boolean]>([
    ['held back', 1, { hold: true }, false, false],
    ['released since', 0, { hold: true }, true, false],
    ['of a paused item, which it does not show', 0, {}, false, true],
  ])('an answer that is rejected twice is found %s: %i', (_, found, marks, isReleased, isPaused) => {
    expect(rejectedTwice(60_000, [], marks, isReleased, isPaused)).toHaveLength(found);
  });

  const read = { start: 1, method: 'GET', path: '/questions/1', status: 200 };
  test.each<[string, number, number, readonly Partial<SimulatedCall>[]]>([
    ['a minute later', 0, 60_000, []],
    ['at once', 1, 1, []],
    ['within a minute', 1, 59_998, []],
    ['at once, after one read', 1, 1, [{ receivedAt: 1 }]],
    ['at once, after a read for each', 0, 1, [{ receivedAt: 1 }, { receivedAt: 3 }]],
    ['before the second read ends', 1, 1, [{ receivedAt: 1 }, { receivedAt: 4 }]],
    ['where another start has read it', 1, 1, [{ receivedAt: 1 }, { receivedAt: 1, start: 2 }]],
  ])('an answer to a question of a paused item is sent again %s: %i', (_, found, pauseMs, reads) => {
    const all = reads.map((each) => ({ ...read, ...each }));
    expect(rejectedTwice(pauseMs, all, {}, false, true)).toHaveLength(found);
    const listed = all.map((each) => ({ ...each, path: '/questions/search', isList: true }));
    expect(rejectedTwice(pauseMs, listed, {}, false, true)).toHaveLength(found);
  });

  /** What is found in two answers to a question that the service rejects, and in what was read of it. */
  function rejectedTwice(
    pauseMs: number,
    reads: readonly (Partial<SimulatedCall> & { readonly isList?: boolean })[],
    marks: Parameters<typeof ask>[1],
    isReleased: boolean,
    isPaused: boolean,
  ): readonly string[] {
    const marketplace = new FakeMarketplace();
    marketplace.addItem({ seller_id: marketplace.addUser({ user_id: 7 }).user_id, item_id: 'MLA1' });
    const id = ask(marketplace, marks);
    if (isReleased) marketplace.questions.release(id);
    if (isPaused) marketplace.items.change('MLA1', { status: 'paused' });
    const call = { name: 'call', start: 1, method: 'POST', path: '/answers', body: { question_id: id }, status: 400 };
    const answers = [1, 2 + pauseMs].map((at) => ({ ...call, at, receivedAt: at + 1 }));
    const read = reads.map((each) => ({ ...each, at: 0, response: each.isList ? { questions: [{ id }] } : { id } }));
    return checks.noRejectionRepeated({ marketplace, calls: [...read, ...answers] } as unknown as History);
  }
});

function ask(marketplace: FakeMarketplace, marks: { hold?: boolean; deleted_from_listing?: boolean } = {}): number {
  return marketplace.ask({ from: marketplace.addUser(), item_id: 'MLA1', text: 'Is it new?', ...marks }).id;
}

test('the `Date` of a response and the dates in it differ by up to a second, ahead and behind', async () => {
  const differences: number[] = [];
  const startedAt = Date.UTC(2026, 2, 2);
  const seeing = ({ baseUrl }: World): Bot => {
    void fetch(`${baseUrl}/sites`).then(({ headers }) =>
      differences.push(Date.parse(headers.get('date')!) - startedAt - performance.now()),
    );
    return {};
  };
  const faults = { clockDifferenceMs: 60_000 };
  await simulate({ seeds: 20, bot: seeing, load: { ...load, questions: 0 }, faults, checks: [] });
  // It has whole seconds, and is up to 0.1 seconds old when it arrives.
  expect(Math.min(...differences)).toBeLessThan(-1150);
  expect(Math.max(...differences)).toBeGreaterThan(0);
  expect(differences.filter((each) => each < -2100 || each > 1000)).toEqual([]);
  expect(differences.length).toBe(20);
});

test('the planned days of old seeds stay what they were: a new kind of event has random numbers of its own', () => {
  const fingerprintOf = (seed: number): string => {
    const plan = planOf({ seeds: 1, bot }, seed).filter(({ kind }) => kind !== 'odd question');
    return `${plan.length} ${createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 16)}`;
  };
  // Never to be changed: a new kind is left out above.
  expect([1, 17, 310_000_063].map(fingerprintOf)).toEqual([
    '117 73774c1a5ec9f710',
    '113 229a56065b660228',
    '116 9164487fb3369efa',
  ]);
});

test('also the ids of other questions stay what they were', async () => {
  const idsOf = async (only?: string[]): Promise<number[]> => {
    const ids: number[] = [];
    const check = ({ marketplace, nameOf }: History): string[] => [
      ...(ids.push(...marketplace.questions.all.filter(({ id }) => nameOf(id).startsWith('q')).map(({ id }) => id)),
      []),
    ];
    await simulate({ seeds: [3], bot, load, ...(only && { only }), faults: 'none', checks: [check] });
    return ids;
  };
  const plan = planOf({ seeds: 1, bot, load, faults: 'none' }, 3).map(({ name }) => name);
  expect(plan.filter((name) => name.startsWith('x')).length).toBeGreaterThan(0);
  expect(await idsOf()).toEqual(await idsOf(plan.filter((name) => name.startsWith('q'))));
});
