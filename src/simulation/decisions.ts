import { callFaults, notificationFaults } from './shares.js';
import type { FaultShares } from './shares.js';

/** What may happen to one call or notification, and the name of its share. */
type Kinds<Kind extends string> = Readonly<Record<Kind, keyof FaultShares>>;

const kinds = [...Object.keys(callFaults), ...Object.keys(notificationFaults)];

/** Whether a name can be that of a fault: which of them occur depends on the calls of the bot. */
export function isFault(name: string): boolean {
  return kinds.some((kind) => name.endsWith(`: ${kind}`));
}

/** Decides which faults occur: by a hash of the seed and the name, so that leaving one out moves no other. */
export class Decisions {
  /** After the load no fault occurs any more. */
  isCalm = false;
  /** The names of the events and faults that have occurred, in order. */
  readonly happened: string[] = [];
  readonly #seed: number;
  readonly #shares: FaultShares;
  readonly #only: ReadonlySet<string> | undefined;

  constructor(seed: number, shares: FaultShares, only: ReadonlySet<string> | undefined) {
    this.#seed = seed;
    this.#shares = shares;
    this.#only = only;
  }

  /** Whether a planned event happens. */
  includes(name: string): boolean {
    return this.#only?.has(name) ?? true;
  }

  /** Chooses what happens to a call or a notification. */
  choose<Kind extends string>(name: string, shareOf: Kinds<Kind>): Kind | undefined {
    if (this.isCalm) return undefined;
    const all = Object.keys(shareOf) as Kind[];
    let left = chance(this.#seed, name);
    const kind = all.find((each) =>
      this.#only ? this.#only.has(`${name}: ${each}`) : (left -= this.#shares[shareOf[each]] ?? 0) < 0,
    );
    if (kind !== undefined) this.happened.push(`${name}: ${kind}`);
    return kind;
  }

  /** A number from 0 to 1 that belongs to a name. */
  amount(name: string): number {
    return chance(this.#seed, `amount of ${name}`);
  }
}

/** A number from 0 to 1 that a seed and a name decide: the same for the same two, whatever else happens. */
function chance(seed: number, name: string): number {
  return hashOf(seed, name) / 2 ** 32;
}

/** A whole number of 32 bits that a seed and a name decide (FNV-1a, mixed as in MurmurHash3). */
export function hashOf(seed: number, name: string): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed | 0, 0x9e3779b1)) >>> 0;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
