/* oxlint-disable typescript/require-await -- the interface is asynchronous, this store is not */
import { FifoMap } from './fifo-map.js';
import { isRunning, ownerOf } from './memory-entry.js';
import type { MemoryEntry } from './memory-entry.js';
import { factKeyOf } from './ledger.js';
import { MemoryGroups } from './memory-groups.js';
import { MemoryLedger } from './memory-ledger.js';
import { deadLetterDeleted } from './problems.js';
import { rotated } from './rotated.js';
import { isReduced, reducedOf } from './reduced.js';
import { assertNoOptions } from './store-rule.js';
import { suspectStalls } from './store.js';
import type {
  Claim,
  Claimed,
  Counts,
  Lease,
  LeaseId,
  Notes,
  Query,
  EndedState,
  EntryState,
  Status,
  Store,
  Verdict,
  Work,
} from './store.js';

/** How many ended entries are kept; the first that ended is forgotten first. */
const maxEnded = 100_000;

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
class MemoryStore implements Store {
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
    this.#enter(entry);
    return 'added';
  }

  #enter(entry: MemoryEntry): void {
    this.#open.set(entry.work.key, entry);
    this.#openOf.set(ownerOf(entry.work), (this.#openOf.get(ownerOf(entry.work)) ?? 0) + 1);
    this.#groups.enter(entry);
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
    const oldest = Math.min(...all.filter(({ state }) => state === 'open').map(({ addedAt }) => addedAt));
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
    for (const line of lines) line.makeDue(now);
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

  async renew(leases: readonly LeaseId[], leaseMs: number): Promise<readonly string[]> {
    const held = new Map(leases.map((lease) => [lease, this.#held(lease)]));
    for (const entry of held.values()) {
      if (!entry) continue;
      entry.stalls = Math.min(entry.stalls, suspectStalls - 1);
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
    const ended = { state: 'open', failures: 0, stalls: 0, failure: undefined, endedAt: undefined };
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
