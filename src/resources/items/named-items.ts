import { idText } from '../../core/response/identity.js';
import type { ItemStatus } from './schemas.js';

/** What one answer says of the items that were asked for. */
export interface NamedItems {
  readonly byId: ReadonlyMap<string, ItemStatus>;
  /** The ids to ask for once more. */
  readonly left: readonly string[];
  /** The code of each id that no entry names, if the entries without an id leave no choice. */
  readonly code: number | undefined;
}

/**
 * Finds which entry is about which item: the one that it names. The service answers in any order, so that a place says
 * nothing; only a single entry for a single id needs no name.
 */
export function namedItems(ids: readonly string[], entries: readonly ItemStatus[]): NamedItems {
  const [id] = ids;
  const [entry] = entries;
  const isAlone = id !== undefined && ids.length === 1 && entry !== undefined && entries.length === 1;
  const named = isAlone ? [{ ...entry, id: entry.id ?? id }] : entries.filter(hasId);
  const byId = new Map(named.map((each) => [idText(each.id), each]));
  const unnamed = ids.filter((each) => !byId.has(idText(each)));
  const isSilent = isAlone && (entry.status ?? entry.code ?? undefined) === undefined;
  // Some answers reject every entry because of the `attributes` that were asked for.
  const isForbidden = entries.length > 0 && entries.every(({ code }) => code === 403);
  const codes = entries.filter((each) => !hasId(each)).map(({ code }) => code);
  const [code] = codes;
  const isClear = codes.length === unnamed.length && codes.every((each) => each === code) && Number(code) >= 400;
  return { byId, left: isForbidden || isSilent ? ids : unnamed, code: isClear ? (code ?? undefined) : undefined };
}

function hasId({ id }: ItemStatus): boolean {
  return typeof id === 'string';
}
