/* oxlint-disable typescript/require-await -- the interface is asynchronous, this store is not */
/* oxlint-disable typescript/require-await -- the interface is asynchronous, this ledger is not */
import { FifoMap } from './fifo-map.js';
import { deadLetterDeleted } from './log.js';
import {
  assertNoOptions,
  factKeyOf,
  isReduced,
  reducedOf,
  rotated,
  suspectPauseMs,
  suspectStalls,
  waitsSince,
} from './store.js';
import type {
  Claim,
  Claimed,
  Counts,
  EndedState,
  EntryState,
  Lease,
  LeaseId,
  Ledger,
  Notes,
  Query,
  Status,
  InnerStore,
  Store,
  Verdict,
  VerdictState,
  Work,
} from './store.js';

/** How many ended entries are kept; the first that ended is forgotten first. */
const maxEnded = 100_000;

/** @internal */
export function memoryStore(): InnerStore;
/**
 * Creates a store in this process's memory, for an inbox, an outbox or both: what waits is lost when the process ends.
 *
 * @example
 * const inbox = createInbox({
 *   store: memoryStore(),
 *   fallback: (notification) => console.log(notification.topic),
 * });
 * @throws {ConfigurationError} when there are options.
 */
export function memoryStore(): Store;
export function memoryStore(...options: readonly unknown[]): Store {
  assertNoOptions('memoryStore', options);
  return new MemoryStore();
}

/** Leases are timed by the monotonic clock: setting the time of the machine neither delays nor expires them. */
class MemoryStore implements InnerStore {
  declare readonly '~made': 'store';
  readonly durable = false;
  readonly shared = false;
  readonly ledger = new MemoryLedger();
  readonly #open = new Map<string, MemoryEntry>();
  /** In the order in which they were given up. */
  readonly #dead = new Map<string, MemoryEntry>();
  readonly #ended = new FifoMap<MemoryEntry>(maxEnded);
  readonly #groups = new MemoryGroups();
  /** How many entries are open, by kind and owner. */
  readonly #openOf = new Map<string, number>();
  #numbers = 0;
  #leased = 0;
  #claims = 0;
  #problems: string[] = [];

  #find(key: string): MemoryEntry | undefined {
    const ended = this.#ended.get(key);
    if (ended && ended.until <= Date.now()) this.#ended.delete(key);
    return this.#open.get(key) ?? this.#dead.get(key) ?? this.#ended.get(key);
  }

  async add(work: Work, most = Infinity): Promise<'added' | 'known' | 'full'> {
    if (this.#find(work.key)) return 'known';
    if ((this.#openOf.get(ownerOf(work)) ?? 0) >= most) return 'full';
    const entry: MemoryEntry = {
      ...{
        work,
        number: (this.#numbers += 1),
        addedAt: Date.now(),
        state: 'open',
        failures: 0,
        stalls: 0,
        failure: undefined,
        notes: {},
      },
      ...{ endedAt: undefined, until: 0, list: undefined, turn: undefined, dueAt: 0, token: undefined },
    };
    this.#enter(entry, (work.notBefore ?? 0) - Date.now());
    return 'added';
  }

  #enter(entry: MemoryEntry, inMs = 0): void {
    this.#open.set(entry.work.key, entry);
    this.#openOf.set(ownerOf(entry.work), (this.#openOf.get(ownerOf(entry.work)) ?? 0) + 1);
    this.#groups.enter(entry, inMs);
  }

  #leave(entry: MemoryEntry): void {
    this.#open.delete(entry.work.key);
    const left = (this.#openOf.get(ownerOf(entry.work)) ?? 0) - 1;
    if (left > 0) this.#openOf.set(ownerOf(entry.work), left);
    else this.#openOf.delete(ownerOf(entry.work));
    this.#groups.leave(entry);
  }

  async get(key: string): Promise<Status | undefined> {
    const entry = this.#find(key);
    return entry && this.#statusOf(entry);
  }

  #statusOf(entry: MemoryEntry): Status {
    const { number, failures, stalls, failure, notes, addedAt, endedAt } = entry;
    const state = stateOf(entry);
    const head = this.#groups.headOf(entry);
    const nextInMs = !head || head.turn !== undefined ? 0 : Math.max(0, head.dueAt - performance.now());
    return {
      ...{ ...entry.work, state, failures, stalls, notes, addedAt, number },
      ...(failure !== undefined && { failure }),
      ...(endedAt !== undefined && { endedAt }),
      ...(state === 'waiting' && { nextInMs }),
    };
  }

  async list({ kinds, states, limit, after }: Query): Promise<readonly Status[]> {
    const isListed = (entry: MemoryEntry): boolean =>
      entry.number > after && kinds.includes(entry.work.kind) && states.includes(stateOf(entry));
    const listed = this.#all()
      .filter(isListed)
      .sort((a, b) => a.number - b.number);
    return listed.slice(0, limit).map((entry) => this.#statusOf(entry));
  }

  #all(): MemoryEntry[] {
    const now = Date.now();
    const ended = [...this.#ended.values()].filter(({ until, work }) => until > now && !isReduced(work.data));
    return [...this.#open.values(), ...this.#dead.values(), ...ended];
  }

  async counts(kinds: readonly string[]): Promise<Counts> {
    const all = this.#all().filter(({ work }) => kinds.includes(work.kind));
    const count = (state: EntryState): number => all.filter((entry) => stateOf(entry) === state).length;
    const oldest = Math.min(
      ...all.filter(({ state }) => state === 'open').map((each) => waitsSince(each.work, each.addedAt)),
    );
    return {
      waiting: count('waiting'),
      running: count('running'),
      dead: count('dead'),
      accepted: count('accepted'),
      rejected: count('rejected'),
      unreadable: 0,
      ...(oldest < Infinity && { oldestAgeMs: Math.max(0, Date.now() - oldest) }),
    };
  }

  async claim({ kinds, limit, leaseMs, alone }: Claim): Promise<Claimed> {
    const now = performance.now();
    const lines = rotated(kinds, (this.#claims += 1)).map((kind) => this.#groups.lineOf(kind));
    for (const line of lines) line.makeDue(now, leaseMs);
    const most = alone ? Math.min(1, limit) : limit;
    // Kinds take turns as well, whatever turns they have come to: of equals, the first kind comes first.
    const bases = lines.map((line) => line.first(alone)?.turn ?? 0);
    const next = (): MemoryEntry | undefined => {
      const firsts = lines.flatMap((line, index) => {
        const entry = line.first(alone);
        return entry ? [{ entry, turn: (entry.turn ?? 0) - (bases[index] ?? 0) }] : [];
      });
      return firsts.sort((a, b) => a.turn - b.turn)[0]?.entry;
    };
    const leases: Lease[] = [];
    for (let entry = next(); entry && leases.length < most; entry = next()) {
      leases.push(this.#lease(entry));
      this.#groups.lineOf(entry.work.kind).setLater(entry, now + leaseMs);
    }
    const isMoreDue = lines.some((line) => line.first(false));
    const nextAt = isMoreDue ? now : Math.min(...lines.map((line) => line.nextAt ?? Infinity));
    return {
      leases,
      ...(nextAt < Infinity && { nextInMs: Math.max(0, nextAt - now) }),
      ...(lines.some((line) => line.first(true)) && { hasSuspect: true }),
      ...(this.#problems.length > 0 && { problems: this.#problems.splice(0) }),
    };
  }

  #lease(entry: MemoryEntry): Lease {
    const token = String((this.#leased += 1));
    entry.token = token;
    const { work, failures, stalls, notes } = entry;
    const fact = this.ledger.valueOf(factKeyOf(work.group));
    return { key: work.key, token, data: work.data, failures, stalls, notes, ...(fact !== undefined && { fact }) };
  }

  #held({ key, token }: LeaseId): MemoryEntry | undefined {
    const entry = this.#open.get(key);
    return entry?.token === token ? entry : undefined;
  }

  async renew(leases: readonly LeaseId[], leaseMs: number, alone?: string): Promise<readonly string[]> {
    const held = new Map(leases.map((lease) => [lease, this.#held(lease)]));
    for (const entry of held.values()) {
      if (!entry) continue;
      if (entry.work.key !== alone) entry.stalls = Math.min(entry.stalls, suspectStalls - 1);
      this.#groups.lineOf(entry.work.kind).setLater(entry, performance.now() + leaseMs);
    }
    return leases.filter((lease) => !held.get(lease)).map(({ key }) => key);
  }

  async note(lease: LeaseId, notes: Notes): Promise<boolean> {
    const entry = this.#held(lease);
    if (entry) entry.notes = notes;
    return entry !== undefined;
  }

  async settle(lease: LeaseId, verdict: Verdict): Promise<boolean> {
    const entry = this.#held(lease);
    if (!entry) return false;
    const { state, inMs, failed, failure = entry.failure, notes = entry.notes, fact } = verdict;
    Object.assign(entry, { failures: entry.failures + Number(failed), stalls: 0, failure, notes });
    if (fact) this.ledger.set(factKeyOf(entry.work.group), fact.value, fact.ms);
    if (state === 'open') this.#groups.delay(entry, inMs);
    else this.#end(entry, verdict);
    return true;
  }

  #end(entry: MemoryEntry, { state, inMs, keepsData = false, mostDead = Infinity }: Verdict): void {
    this.#leave(entry);
    const endedAt = Date.now();
    Object.assign(entry, { state, token: undefined, number: (this.#numbers += 1), endedAt, until: endedAt + inMs });
    if (state === 'dead') this.#addDead(entry, mostDead);
    if (state === 'dead' || inMs <= 0) return;
    const { work } = entry;
    this.#ended.set(work.key, keepsData ? entry : { ...entry, work: { ...work, data: {} }, notes: {} });
    this.#forget();
  }

  /** The oldest dead ones of an owner beyond a number are deleted. */
  #addDead(entry: MemoryEntry, most: number): void {
    this.#dead.set(entry.work.key, entry);
    const dead = [...this.#dead.values()].filter(({ work }) => ownerOf(work) === ownerOf(entry.work));
    for (const { work } of dead.slice(0, Math.max(0, dead.length - most))) {
      this.#dead.delete(work.key);
      this.#problems.push(deadLetterDeleted(work.key, most));
    }
  }

  /** Of those that ended at about the same time, most are kept as long. */
  #forget(): void {
    const now = Date.now();
    for (let oldest = this.#ended.oldest(); oldest !== undefined; oldest = this.#ended.oldest()) {
      if ((this.#ended.get(oldest)?.until ?? 0) > now) break;
      this.#ended.delete(oldest);
    }
  }

  async again(key: string, state: 'open' | 'dead', notes?: Notes): Promise<boolean> {
    return state === 'dead' ? this.#reopen(key, notes) : this.#hurry(key, notes);
  }

  #reopen(key: string, notes?: Notes): boolean {
    const entry = this.#dead.get(key);
    if (!entry) return false;
    this.#dead.delete(key);
    const ended = { state: 'open', failures: 0, failure: undefined, endedAt: undefined };
    this.#enter(Object.assign(entry, { ...ended, notes: notes ?? entry.notes }));
    return true;
  }

  #hurry(key: string, notes?: Notes): boolean {
    const entry = this.#open.get(key);
    const head = entry && this.#groups.headOf(entry);
    if (!head || isRunning(head)) return false;
    if (notes) entry.notes = notes;
    if (head.turn === undefined) this.#groups.lineOf(head.work.kind).setDue(head);
    return true;
  }

  async remove(key: string, states: readonly Exclude<EntryState, 'running'>[]): Promise<boolean> {
    const entry = this.#find(key);
    // A reduced entry is `done`, whatever it was.
    const state = entry && (entry.state === 'open' ? stateOf(entry) : entry.state);
    if (!entry || state === undefined || state === 'running' || !states.includes(state)) return false;
    if (state === 'waiting') this.#leave(entry);
    else if (state === 'dead') this.#dead.delete(key);
    else this.#ended.delete(key);
    return true;
  }

  async reduce(key: string, states: readonly EndedState[], keyMs: number): Promise<boolean> {
    const entry = this.#find(key);
    const state = states.find((each) => each === entry?.state);
    if (!entry || !state) return false;
    const data = await reducedOf(entry.work.data, state);
    // Replayed or removed meanwhile.
    if (this.#find(key) !== entry || entry.state !== state) return false;
    this.#dead.delete(key);
    const hasTime = state !== 'dead' && entry.until < Infinity;
    const until = hasTime ? entry.until : Date.now() + keyMs;
    const left = { state: 'done', failure: undefined, notes: {}, until } as const;
    this.#ended.set(key, { ...entry, ...left, work: { ...entry.work, data } });
    return true;
  }

  async reduceOld(kinds: readonly string[], olderMs: number, keyMs: number): Promise<number> {
    const until = Date.now() - olderMs;
    const old = this.#all().filter(
      ({ work, state, endedAt = 0 }) =>
        kinds.includes(work.kind) && state !== 'open' && state !== 'dead' && endedAt <= until,
    );
    const states: readonly EndedState[] = ['accepted', 'rejected'];
    const reduced = await Promise.all(old.map(({ work }) => this.reduce(work.key, states, keyMs)));
    return reduced.filter(Boolean).length;
  }
}

function stateOf(entry: MemoryEntry): EntryState {
  if (entry.state !== 'open') return isReduced(entry.work.data) ? entry.work.data.was : entry.state;
  return isRunning(entry) ? 'running' : 'waiting';
}

/** The open entries in memory: of each group, the head alone is leased. */
class MemoryGroups {
  /** The entries of each group, in their order. */
  readonly #groups = new Map<string, SortedList<MemoryEntry>>();
  readonly #heads = new Map<string, MemoryEntry>();
  readonly #lines = new Map<string, MemoryLine>();

  lineOf(kind: string): MemoryLine {
    const line = this.#lines.get(kind) ?? new MemoryLine();
    this.#lines.set(kind, line);
    return line;
  }

  headOf(entry: MemoryEntry): MemoryEntry | undefined {
    return this.#heads.get(entry.work.group);
  }

  /** Adds an open entry, due after a delay if it is alone. A head that has not begun makes way for one that was sent earlier. */
  enter(entry: MemoryEntry, inMs: number): void {
    const { group } = entry.work;
    const entries = this.#groups.get(group) ?? new SortedList(isEarlier);
    this.#groups.set(group, entries);
    entries.add(entry);
    const head = this.#heads.get(group);
    if (!head) this.#promote(entry, inMs);
    else if (entries.first === entry && !hasBegun(head)) this.#promote(entry, 0, head.turn);
  }

  /** Removes an entry, which has ended. The next one of its group is its head. */
  leave(entry: MemoryEntry): void {
    const { group } = entry.work;
    const entries = this.#groups.get(group);
    entries?.delete(entry);
    if (this.#heads.get(group) !== entry) return;
    if (entries?.first) {
      this.#promote(entries.first);
      return;
    }
    this.lineOf(entry.work.kind).leave(entry);
    this.#heads.delete(group);
    this.#groups.delete(group);
  }

  /** A head is due again after a delay. One that has not begun makes way for one that was sent earlier. */
  delay(entry: MemoryEntry, inMs: number): void {
    entry.token = undefined;
    this.#promote(hasBegun(entry) ? entry : (this.#groups.get(entry.work.group)?.first ?? entry), inMs);
  }

  /** Makes an entry the head of its group: due at once or after a delay. */
  #promote(head: MemoryEntry, inMs = 0, turn?: number): void {
    const { group, kind } = head.work;
    const before = this.#heads.get(group);
    if (before) this.lineOf(before.work.kind).leave(before);
    this.#heads.set(group, head);
    if (inMs > 0) this.lineOf(kind).setLater(head, performance.now() + inMs);
    else this.lineOf(kind).setDue(head, turn);
  }
}

/** The heads of one kind: those that are due, in which owners take turns, and those that are leased or delayed. */
class MemoryLine {
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

  /** Makes due what was delayed until now, or whose lease has ended. A suspect waits first. */
  makeDue(now: number, leaseMs: number): void {
    for (let next = this.#later.first; next && next.dueAt <= now; next = this.#later.first) {
      const pauseMs = next.token === undefined ? 0 : suspectPauseMs(next.stalls + 1, leaseMs);
      if (pauseMs > 0) this.#pause(next, now + pauseMs);
      else this.setDue(next);
    }
  }

  #pause(entry: MemoryEntry, until: number): void {
    entry.stalls += 1;
    entry.token = undefined;
    this.setLater(entry, until);
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

/** An entry in memory. */
interface MemoryEntry {
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
function hasBegun({ token, failures, notes }: MemoryEntry): boolean {
  return token !== undefined || failures > 0 || Object.keys(notes).length > 0;
}

/** Whether the lease of an entry is not over. */
function isRunning({ token, turn, dueAt }: MemoryEntry): boolean {
  return token !== undefined && turn === undefined && dueAt > performance.now();
}

/** The order within a group. */
function isEarlier(a: MemoryEntry, b: MemoryEntry): boolean {
  return a.work.sentAt < b.work.sentAt || (a.work.sentAt === b.work.sentAt && a.number < b.number);
}

/** Names the entries that share a limit. */
export function ownerOf({ kind, owner }: Pick<Work, 'kind' | 'owner'>): string {
  return `${kind} ${owner}`;
}

interface Kept {
  readonly value: string;
  /** A time of `performance.now()`. */
  readonly until: number;
}

/** How many values are kept; the oldest is deleted first. */
const maxKept = 1_000_000;

/** A ledger in this process's memory. */
export class MemoryLedger implements Ledger {
  readonly #kept = new FifoMap<Kept>(maxKept);

  async get(key: string): Promise<string | undefined> {
    return this.valueOf(key);
  }

  valueOf(key: string): string | undefined {
    const kept = this.#kept.get(key);
    return kept && kept.until > performance.now() ? kept.value : undefined;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    if (this.valueOf(key) !== expected) return false;
    this.set(key, value, ms);
    return true;
  }

  set(key: string, value: string, ms: number): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: performance.now() + ms });
  }
}

/** A list that is kept in order. No two of its items are equal. */
export class SortedList<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  #items: (T | undefined)[] = [];
  /** The place of the first one: those before it were removed, and a list that always loses its first item is not moved each time. */
  #start = 0;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): T | undefined {
    return this.#items[this.#start];
  }

  get last(): T | undefined {
    return this.#items.at(-1);
  }

  add(item: T): void {
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** Removes an item, whose place must not have changed since it was added. */
  delete(item: T): void {
    const place = this.#placeOf(item);
    if (this.#items[place] !== item) return;
    if (place > this.#start) this.#items.splice(place, 1);
    else this.#items[this.#start++] = undefined;
    if (this.#start * 2 <= this.#items.length) return;
    this.#items = this.#items.slice(this.#start);
    this.#start = 0;
  }

  #placeOf(item: T): number {
    let [low, high] = [this.#start, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#isBefore(other, item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
