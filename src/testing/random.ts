/** Returns the entry of a list that a number from 0 to 1 selects. */
export function chosen<T>(list: readonly T[], choice: number): T | undefined {
  return list[Math.floor(choice * list.length)];
}

/** Creates a seeded random number generator (mulberry32): numbers from 0 to 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
