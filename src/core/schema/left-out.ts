/** How many entries of a list did not fit and were left out, by the list that was delivered. */
const counts = new WeakMap<readonly unknown[], number>();

/** Remembers that entries of a list were left out. */
export function noteLeftOut(list: readonly unknown[], count: number): void {
  counts.set(list, count);
}

/** How many entries of a delivered list were left out. */
export function leftOutOf(list: readonly unknown[]): number {
  return counts.get(list) ?? 0;
}
