/** A list that begins with another one of its items each time. */
export function rotated<T>(list: readonly T[], times: number): readonly T[] {
  const from = times % Math.max(1, list.length);
  return [...list.slice(from), ...list.slice(0, from)];
}
