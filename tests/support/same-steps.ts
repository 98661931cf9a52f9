import { fc } from './fast-check.ts';
import { factKeyOf } from '../../src/work/store.js';
import type { Claim, Lease, EndedState, EntryState, InnerStore as Store, Verdict, Work } from '../../src/work/store.js';

/** A step on a store. Leases are those that were given out so far, the last one first. */
export type Step =
  | { readonly do: 'add'; readonly work: Work; readonly most: number | undefined }
  | { readonly do: 'claim'; readonly claim: Claim }
  | { readonly do: 'renew'; readonly lease: number; readonly leaseMs: number }
  | { readonly do: 'note'; readonly lease: number; readonly notes: Record<string, number> }
  | { readonly do: 'settle'; readonly lease: number; readonly verdict: Verdict }
  | {
      readonly do: 'again';
      readonly key: string;
      readonly state: 'open' | 'dead';
      readonly notes: Record<string, number> | undefined;
    }
  | { readonly do: 'remove'; readonly key: string; readonly states: Exclude<EntryState, 'running'>[] }
  | { readonly do: 'reduce'; readonly key: string; readonly keyMs: number }
  | { readonly do: 'reduceOld'; readonly olderMs: number; readonly keyMs: number }
  | { readonly do: 'wait'; readonly ms: number };

const ended: EndedState[] = ['dead', 'accepted', 'rejected'];
const kinds = ['questions', 'messages', '*'];
const key = fc.integer({ min: 0, max: 7 }).map((number) => `k${number}`);
const notes = fc.constantFrom({}, { writes: 1 }, { reads: 2 });
const lease = fc.integer({ min: 0, max: 3 });

/** Times in milliseconds. Where time goes on by itself, nothing happens at one of them. */
const times = (waits: boolean): number[] => (waits ? [0, 1, 50, 1_000, 10_000] : [0, 3_600_000]);

const work: fc.Arbitrary<Work> = fc
  .record({
    key,
    group: fc.integer({ min: 0, max: 4 }),
    owner: fc.constantFrom('7', '8'),
    sentAt: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ group, ...rest }) => ({
    ...rest,
    group: `g${group}`,
    kind: kinds[group % 3] ?? '*',
    data: { of: group },
  }));

const verdictOf = (waits: boolean): fc.Arbitrary<Verdict> =>
  fc
    .record({
      state: fc.constantFrom('open', 'open', 'dead', 'done', 'accepted', 'rejected'),
      inMs: fc.constantFrom(...times(waits)),
      failed: fc.boolean(),
      failure: fc.constantFrom(undefined, 'Error: a', 'Error: b'),
      notes: fc.option(notes, { nil: undefined }),
      keepsData: fc.boolean(),
      fact: fc.constantFrom(
        undefined,
        { value: 'a', ms: waits ? 1_000 : 1_800_000 },
        { value: 'b', ms: times(waits).at(-1) ?? 0 },
      ),
      mostDead: fc.constantFrom(undefined, 1, 2),
    })
    .map(
      (each) =>
        Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)) as unknown as Verdict,
    );

/** Steps on a store, in an order in which a program might take them, or not. */
export function stepsOf({ waits = true } = {}): fc.Arbitrary<readonly Step[]> {
  const verdict = verdictOf(waits);
  const leaseMs = fc.constantFrom(...times(waits).slice(-2));
  const ms = fc.constantFrom(...times(waits));
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('add' as const), work, most: fc.constantFrom(undefined, undefined, 3) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('claim' as const),
        claim: fc.record({
          kinds: fc.constantFrom(kinds, kinds, ['questions'], ['messages', '*']),
          limit: fc.integer({ min: 0, max: 3 }),
          leaseMs,
          alone: fc.constantFrom(false, false, true),
        }),
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('settle' as const), lease, verdict }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), lease, leaseMs }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('note' as const), lease, notes }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('again' as const),
        key,
        state: fc.constantFrom('open', 'dead'),
        notes: fc.option(notes, { nil: undefined }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('remove' as const),
        key,
        states: fc.constantFrom(['waiting' as const], ended, [...ended, 'done' as const]),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reduce' as const), key, keyMs: ms }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reduceOld' as const), olderMs: ms, keyMs: ms }) },
    {
      weight: waits ? 5 : 0,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(...times(waits)) }),
    },
  );
  return fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
}

/** Takes steps on a store, and returns what each showed: its result, and all that the store has after it. */
export async function shown(store: Store, steps: readonly Step[], wait: (ms: number) => void): Promise<unknown[]> {
  const all: unknown[] = [];
  const leases: Lease[] = [];
  const at = (index: number): Lease =>
    leases.at(-1 - index) ?? { key: 'k0', token: 'none', data: {}, failures: 0, stalls: 0, notes: {} };
  for (const step of steps) {
    const result = await take(store, step, { leases, at, wait });
    const states: Exclude<EntryState, 'done'>[] = ['waiting', 'running', 'dead', 'accepted', 'rejected'];
    const listed = await store.list({ kinds, states, limit: 100, after: 0 });
    all.push({
      step,
      result,
      listed: listed.map(({ number, ...rest }) => rest),
      running: (await store.list({ kinds, states: ['running'], limit: 2, after: 0 })).map((each) => each.key),
      keys: await Promise.all(Array.from({ length: 8 }, async (_, index) => (await store.get(`k${index}`))?.state)),
      counts: await store.counts(kinds),
      facts: await Promise.all(Array.from({ length: 5 }, (_, index) => store.ledger.get(factKeyOf(`g${index}`)))),
    });
  }
  return all;
}

interface Tools {
  readonly leases: Lease[];
  readonly at: (index: number) => Lease;
  readonly wait: (ms: number) => void;
}

async function take(store: Store, step: Step, { leases, at, wait }: Tools): Promise<unknown> {
  switch (step.do) {
    case 'add':
      return store.add(step.work, step.most);
    case 'claim': {
      const claimed = await store.claim(step.claim);
      leases.push(...claimed.leases);
      return { ...claimed, leases: claimed.leases.map(({ token: _, leasedAt: __, ...rest }) => rest) };
    }
    case 'renew':
      return store.renew([at(step.lease), at(step.lease + 1)], step.leaseMs);
    case 'note':
      return store.note(at(step.lease), step.notes);
    case 'settle':
      return store.settle(at(step.lease), step.verdict);
    case 'again':
      return store.again(step.key, step.state, step.notes);
    case 'remove':
      return store.remove(step.key, step.states);
    case 'reduce':
      return store.reduce(step.key, ended, step.keyMs);
    case 'reduceOld':
      return store.reduceOld(['questions', '*'], step.olderMs, step.keyMs);
    case 'wait': {
      wait(step.ms);
      return;
    }
  }
}
