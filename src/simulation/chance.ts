/** A number from 0 to 1 that a seed and a name decide: the same for the same two, whatever else happens. */
export function chance(seed: number, name: string): number {
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
