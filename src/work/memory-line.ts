import type { MemoryEntry } from './memory-entry.js';
import { PriorityQueue } from './priority-queue.js';
import type { Prioritized } from './priority-queue.js';
import { suspectStalls } from './store.js';

/** A place in a queue. What has changed since is skipped when it is met. */
interface HeadPlace extends Prioritized {
  readonly entry: MemoryEntry;
}

/** The turns of an owner's heads that are due. */
interface OwnTurns {
  readonly turns: Set<number>;
  last: number;
}

/** The heads of one kind: those that are due, in which owners take turns, and those that are leased or delayed. */
export class MemoryLine {
  readonly #due = new PriorityQueue<HeadPlace>();
  readonly #suspects = new PriorityQueue<HeadPlace>();
  readonly #later = new PriorityQueue<HeadPlace>();
  readonly #owners = new Map<string, OwnTurns>();

  /** The first one that is due: a suspect, or one that is none. */
  first(isSuspect: boolean): MemoryEntry | undefined {
    const queue = isSuspect ? this.#suspects : this.#due;
    return firstOf(queue, ({ priority, entry }) => entry.turn === priority)?.entry;
  }

  /** When the next one is due that is leased or delayed. */
  get nextAt(): number | undefined {
    return firstOf(this.#later, isDelayed)?.priority;
  }

  /** Makes due what was delayed until now, or whose lease has ended. */
  makeDue(now: number): void {
    for (
      let next = firstOf(this.#later, isDelayed);
      next && next.priority <= now;
      next = firstOf(this.#later, isDelayed)
    )
      this.setDue(next.entry);
  }

  /** Makes a head due. Of a lease that has ended, a stall is counted: from the second on, only one that was alone shows that it ends the process. */
  setDue(entry: MemoryEntry, turn = this.#nextTurn(entry.work.owner)): void {
    if (entry.token !== undefined && (entry.alone || entry.stalls < suspectStalls)) entry.stalls += 1;
    Object.assign(entry, { turn, alone: false });
    (entry.stalls < suspectStalls ? this.#due : this.#suspects).push({ priority: turn, number: entry.number, entry });
    const own = this.#owners.get(entry.work.owner) ?? { turns: new Set<number>(), last: 0 };
    this.#owners.set(entry.work.owner, own);
    own.turns.add(turn);
    own.last = Math.max(own.last, turn);
  }

  /** A user with much work does not delay that of others. */
  #nextTurn(owner: string): number {
    const served = (this.first(false)?.turn ?? 1) - 1;
    return 1 + Math.max(this.#owners.get(owner)?.last ?? 0, served);
  }

  /** Leases or delays a head until a time. */
  setLater(entry: MemoryEntry, dueAt: number): void {
    this.leave(entry);
    entry.dueAt = dueAt;
    this.#later.push({ priority: dueAt, number: entry.number, entry });
  }

  /** A head is due no longer. */
  leave(entry: MemoryEntry): void {
    const own = this.#owners.get(entry.work.owner);
    if (entry.turn === undefined || !own) return;
    own.turns.delete(entry.turn);
    if (own.turns.size === 0) this.#owners.delete(entry.work.owner);
    else if (own.last === entry.turn) own.last = Math.max(...own.turns);
    entry.turn = undefined;
  }
}

function isDelayed({ priority, entry }: HeadPlace): boolean {
  return entry.isHead && entry.turn === undefined && entry.dueAt === priority;
}

function firstOf(queue: PriorityQueue<HeadPlace>, isValid: (place: HeadPlace) => boolean): HeadPlace | undefined {
  let first = queue.peek();
  for (; first && !isValid(first); first = queue.peek()) queue.pop();
  return first;
}
