/** Entries of the list before that stay, by the index of the first and their number. */
type KeptEntries = readonly [from: number, count: number];

type Parts = Readonly<Record<string, unknown>>;

/**
 * Returns what turns the fields of an object into later ones: the new values, and of each list the new entries between those
 * that stay.
 */
export function changesOf(before: object, after: object): Parts {
  const was = before as Parts;
  const changed = Object.entries(after as Parts).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name]),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => [name, Array.isArray(value) ? editsOf(was[name] as unknown[], value) : value]),
  );
}

function editsOf(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  const places = new Map(before.map((entry, index) => [JSON.stringify(entry), index]));
  const edits: unknown[] = [];
  let kept: KeptEntries | undefined;
  for (const entry of after) {
    const place = places.get(JSON.stringify(entry));
    const isNext = kept !== undefined && place === kept[0] + kept[1];
    if (isNext && kept) edits.pop();
    kept = place === undefined ? undefined : isNext && kept ? [kept[0], kept[1] + 1] : [place, 1];
    edits.push(kept ?? entry);
  }
  return edits;
}
