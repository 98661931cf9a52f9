/** Returns the most similar name; `undefined` if all names differ by more than two letters. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((each) => ({ each, distance: distance(name, each) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.min(2, name.length / 2) ? best.each : undefined;
}

/** What an error says of a name that does not exist: the one that was probably meant, in `mark`s, or `otherwise`. */
export function didYouMean(name: string, names: readonly string[], otherwise: string, mark = ''): string {
  const near = nearest(name, names);
  return near === undefined ? otherwise : `did you mean ${mark}${near}${mark}?`;
}

/** The edit distance of two words (Damerau): a swap of two adjacent letters counts as one edit. */
function distance(a: string, b: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (last?.[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = isSwap ? (beforeLast?.[column - 2] ?? row) + 1 : Infinity;
      current.push(Math.min(substitution, (current[column - 1] ?? 0) + 1, (last?.[column] ?? 0) + 1, swap));
    }
    [beforeLast, last] = [last ?? [], current];
  }
  return last?.[b.length] ?? 0;
}
