/** The number of invalid entries that were left out, by the returned list. */
const counts = new WeakMap<readonly unknown[], number>();

/** Records that entries of a list were left out. */
export function noteLeftOut(list: readonly unknown[], count: number): void {
  counts.set(list, count);
}

/** Returns how many entries of a list were left out. */
export function leftOutOf(list: readonly unknown[]): number {
  return counts.get(list) ?? 0;
}
