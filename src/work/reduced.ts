import { canonical } from '../core/recover/write-target.js';
import { nodeModule } from '../core/scope/node-module.js';
import type { EndedState } from './store.js';

const dayMs = 86_400_000;
/** How long an ended job keeps its data and notes by default, in milliseconds. */
export const keepDataMs = 30 * dayMs;

/** How long the key of an ended job is known by default, in milliseconds. What gives out its own leases keeps it in Redis, in memory. */
export function keepKeysMsOf(store: object): number {
  return ('works' in store ? 30 : 365) * dayMs;
}

/** In which states an entry has ended. */
export const endedStates: readonly EndedState[] = ['dead', 'accepted', 'rejected'];

/** What stays of an ended entry in the place of its data: an equal one is recognized, and nothing can be read. */
export interface Reduced {
  /** Of its data. */
  readonly hash: string;
  /** In which state it was. Stores that are asked for a list treat it as `done`. */
  readonly was: EndedState;
}

/** Reduces the data of an entry. */
export async function reducedOf(data: unknown, was: EndedState): Promise<Reduced> {
  return { hash: await digest(canonical(data)), was };
}

/** Whether of the data of an entry only this is left. */
export function isReduced(data: object): data is Reduced {
  const { hash, was } = data as Partial<Reduced>;
  return typeof hash === 'string' && endedStates.some((state) => state === was);
}

/** Whether what a store has of an entry is, or was, equal to this. */
export async function isSameData(kept: object, data: object): Promise<boolean> {
  const content = canonical(data);
  return isReduced(kept) ? kept.hash === (await digest(content)) : canonical(kept) === content;
}

const nodeHash = nodeModule('node:crypto')?.hash;

/** The start of the SHA-256 in hexadecimal. Node's own hash is many times faster than that of other platforms. */
export function digest(content: string): string | Promise<string> {
  return nodeHash ? nodeHash('sha256', content, 'hex').slice(0, 32) : portableDigest(content);
}

async function portableDigest(content: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return [...new Uint8Array(hash, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
