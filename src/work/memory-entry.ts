import type { SortedList } from './sorted-list.js';
import type { Notes, VerdictState, Work } from './store.js';

/** An entry in memory. */
export interface MemoryEntry {
  readonly work: Work;
  number: number;
  readonly addedAt: number;
  state: VerdictState;
  failures: number;
  stalls: number;
  failure: string | undefined;
  notes: Notes;
  endedAt: number | undefined;
  /** Until when the key of an ended one is kept, in milliseconds since 1970. */
  until: number;
  /** Where the head of a group is: among those that are due, or those that are leased or delayed. */
  list: SortedList<MemoryEntry> | undefined;
  /** The turn of a head that is due. Without it, it is leased or delayed until `dueAt`. */
  turn: number | undefined;
  /** A time of `performance.now()`. */
  dueAt: number;
  /** That of the last lease, until it is settled. */
  token: string | undefined;
}

/** Whether something of an entry was carried out, or may have been: it keeps its place before what was sent earlier. */
export function hasBegun({ token, failures, notes }: MemoryEntry): boolean {
  return token !== undefined || failures > 0 || Object.keys(notes).length > 0;
}

/** Whether the lease of an entry is not over. */
export function isRunning({ token, turn, dueAt }: MemoryEntry): boolean {
  return token !== undefined && turn === undefined && dueAt > performance.now();
}

/** The order within a group. */
export function isEarlier(a: MemoryEntry, b: MemoryEntry): boolean {
  return a.work.sentAt < b.work.sentAt || (a.work.sentAt === b.work.sentAt && a.number < b.number);
}

/** Names the entries that share a limit. */
export function ownerOf({ kind, owner }: Work): string {
  return `${kind} ${owner}`;
}
