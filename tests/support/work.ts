import type { Claim, Claimed, Lease, InnerStore as Store, Verdict, Work } from '../../src/work/store.js';

/** Work of a seller; a group of its own by default. */
export function work(key: string, more: Partial<Work> = {}): Work {
  return { key, kind: 'questions', group: key, owner: '7', sentAt: 1, data: { of: key }, ...more };
}

const claimed: Claim = { kinds: ['questions'], limit: 100, leaseMs: 60_000, alone: false };

export function claim(store: Store, more: Partial<Claim> = {}): Promise<Claimed> {
  return store.claim({ ...claimed, ...more });
}

/** Leases the next entry. */
export async function lease(store: Store, more: Partial<Claim> = {}): Promise<Lease> {
  const { leases } = await claim(store, { limit: 1, ...more });
  const [first] = leases;
  if (!first) throw new Error('nothing is due');
  return first;
}

export const keysOf = ({ leases }: Pick<Claimed, 'leases'>): string[] => leases.map(({ key }) => key);

export const done: Verdict = { state: 'done', inMs: 60_000, failed: false };
export const dead: Verdict = { state: 'dead', inMs: 0, failed: true, failure: 'Error: no' };
export const again: Verdict = { state: 'open', inMs: 0, failed: true, failure: 'Error: no' };
export const released: Verdict = { state: 'open', inMs: 0, failed: false };

/** What a store lists in some states. */
export async function listed(
  store: Store,
  ...states: Parameters<Store['list']>[0]['states'][number][]
): Promise<string[]> {
  const found = await store.list({ kinds: ['questions', 'messages', '*', 'job'], states, limit: 1_000, after: 0 });
  return found.map(({ key }) => key);
}
