import type { MemoryEntry } from './memory-entry.js';
import { SortedList } from './sorted-list.js';
import { suspectStalls } from './store.js';

/** The heads of one kind: those that are due, in which owners take turns, and those that are leased or delayed. */
export class MemoryLine {
  readonly #due = new SortedList(hasEarlierTurn);
  readonly #suspects = new SortedList(hasEarlierTurn);
  readonly #later = new SortedList(isEarlierDue);
  /** The heads of each owner that are due. */
  readonly #owners = new Map<string, SortedList<MemoryEntry>>();

  /** The first one that is due: a suspect, or one that is none. */
  first(isSuspect: boolean): MemoryEntry | undefined {
    return isSuspect ? this.#suspects.first : this.#due.first;
  }

  /** When the next one is due that is leased or delayed. */
  get nextAt(): number | undefined {
    return this.#later.first?.dueAt;
  }

  /** Makes due what was delayed until now, or whose lease has ended. */
  makeDue(now: number): void {
    for (let next = this.#later.first; next && next.dueAt <= now; next = this.#later.first) this.setDue(next);
  }

  /** Makes a head due. Of a lease that has ended, a stall is counted. */
  setDue(entry: MemoryEntry, turn = this.#nextTurn(entry.work.owner)): void {
    this.leave(entry);
    if (entry.token !== undefined) entry.stalls += 1;
    entry.turn = turn;
    this.#enter(entry, entry.stalls < suspectStalls ? this.#due : this.#suspects);
    const { owner } = entry.work;
    const own = this.#owners.get(owner) ?? new SortedList(hasEarlierTurn);
    this.#owners.set(owner, own);
    own.add(entry);
  }

  /** A user with much work does not delay that of others. */
  #nextTurn(owner: string): number {
    const served = (this.#due.first?.turn ?? 1) - 1;
    return 1 + Math.max(this.#owners.get(owner)?.last?.turn ?? 0, served);
  }

  /** Leases or delays a head until a time. */
  setLater(entry: MemoryEntry, dueAt: number): void {
    this.leave(entry);
    entry.dueAt = dueAt;
    this.#enter(entry, this.#later);
  }

  #enter(entry: MemoryEntry, list: SortedList<MemoryEntry>): void {
    list.add(entry);
    entry.list = list;
  }

  /** It is no head any more, or has another place. */
  leave(entry: MemoryEntry): void {
    const { owner } = entry.work;
    const own = this.#owners.get(owner);
    own?.delete(entry);
    if (own && !own.first) this.#owners.delete(owner);
    entry.list?.delete(entry);
    Object.assign(entry, { list: undefined, turn: undefined });
  }
}

function hasEarlierTurn(a: MemoryEntry, b: MemoryEntry): boolean {
  const [own, other] = [a.turn ?? 0, b.turn ?? 0];
  return own < other || (own === other && a.number < b.number);
}

function isEarlierDue(a: MemoryEntry, b: MemoryEntry): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.number < b.number);
}
