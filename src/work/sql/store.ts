import { platform } from '#platform';
import { FifoMap } from '../fifo-map.js';
import { damagedFound, deadLetterDeleted } from '../log.js';
import { ownerOf } from '../memory.js';
import { reducedOf, rotated } from '../store.js';
import type {
  Claim,
  Claimed,
  Counts,
  EndedState,
  EntryState,
  LeaseId,
  Notes,
  Query,
  Status,
  InnerStore,
  Verdict,
  Work,
} from '../store.js';
import { add, addCounted, again, counts, findEnded, findOld, get, list, objectIn, reduce, remove } from './entries.js';
import type { Row, SqlContext, SqlRule } from './entries.js';
import { claim, forget, note, renew, setAside, settle, SqlLedger, type SqlClaimed } from './runs.js';

/** How a rule is carried out. */
export interface RuleOptions {
  /** Whether it must survive a power cut. Everything survives the end of the process. @default true */
  readonly isDurable?: boolean;
  /** Rules of one group are carried out one after the other, by all processes: its group, or that of the entry with a key. */
  readonly group?: string;
  readonly key?: string;
  /** Whether nothing else of this process may happen between its statements. */
  readonly isAlone?: boolean;
  /** Whether somebody adds an entry, and waits for the response to a delivery. */
  readonly isAdded?: boolean;
  /** Whether it only reads. Then it takes no lock that others wait for. */
  readonly isRead?: boolean;
}

/** Carries out the rules of a store, each in a transaction. */
export interface SqlDatabase {
  /** Whether the tables have to be there: they are not created. */
  mustExist: boolean;
  /** Opens it now. @throws {ConfigurationError} when it is of another layout */
  open(): Promise<void>;
  run<R>(rule: (context: SqlContext) => SqlRule<R>, options?: RuleOptions): Promise<R>;
  close(): Promise<void>;
}

/** How often keys are forgotten that were kept for long enough, in milliseconds. */
const forgetEveryMs = 1_000;

/** A store in an SQL database: each method is a rule, and what follows from it. */
export class SqlStore implements InnerStore {
  declare readonly '~made': 'store';
  readonly durable: boolean;
  readonly shared: boolean;
  readonly ledger: SqlLedger;
  readonly #db: SqlDatabase;
  readonly #open = new OpenCounts();
  /** The owners and kinds whose open entries are counted now. */
  readonly #counting = new Map<string, Promise<unknown>>();
  readonly #problems: string[] = [];
  #forgetsAt = 0;
  #claims = 0;

  constructor(db: SqlDatabase, { durable }: { readonly durable: boolean }) {
    this.#db = db;
    this.durable = durable;
    this.shared = durable && platform.sharesFiles();
    this.ledger = new SqlLedger((rule, options) => db.run(rule, { isDurable: false, ...options }));
  }

  open(): Promise<void> {
    this.#db.mustExist = false;
    return this.#db.open();
  }

  onlyOpen(): void {
    this.#db.mustExist = true;
  }

  async add(work: Work, most = Infinity): Promise<'added' | 'known' | 'full'> {
    // Only those who send or receive add and claim.
    this.#db.mustExist = false;
    const { key, group } = work;
    const options = { group, isAdded: true };
    // While one counts, the others of its owner wait for the result.
    for (let counting; most < Infinity && (counting = this.#counting.get(ownerOf(work)));) await counting;
    const place = most === Infinity ? 'free' : this.#open.take(work);
    if (place === 'full') return (await this.#get(key, true)) ? 'known' : 'full';
    if (place === 'free') return this.#db.run((context) => add(context, work), options);
    const counted = this.#db.run((context) => addCounted(context, work, most), options);
    this.#counting.set(ownerOf(work), counted);
    try {
      const { added, open } = await counted;
      this.#open.set(work, open, most);
      return added;
    } finally {
      this.#counting.delete(ownerOf(work));
    }
  }

  get(key: string): Promise<Status | undefined> {
    return this.#get(key, false);
  }

  #get(key: string, isAdded: boolean): Promise<Status | undefined> {
    return this.#db.run((context) => get(context, key), { isRead: true, isAdded });
  }

  list(query: Query): Promise<readonly Status[]> {
    return this.#db.run((context) => list(context, query), { isRead: true });
  }

  counts(kinds: readonly string[]): Promise<Counts> {
    return this.#db.run((context) => counts(context, kinds), { isRead: true });
  }

  async claim(claimed: Claim): Promise<Claimed> {
    this.#db.mustExist = false;
    const options = { isDurable: false, isAlone: true };
    const kinds = rotated(claimed.kinds, (this.#claims += 1));
    const rule = (context: SqlContext): SqlRule<SqlClaimed> => claim(context, { ...claimed, kinds });
    const { damaged, ...found } = await this.#db.run(rule, options);
    for (const key of damaged) await this.#db.run((context) => setAside(context, key), { key });
    this.#problems.push(...damaged.map(damagedFound));
    const problems = this.#problems.splice(0);
    return { ...found, ...(problems.length > 0 && { problems }) };
  }

  renew(leases: readonly LeaseId[], leaseMs: number, alone?: string): Promise<readonly string[]> {
    return this.#db.run((context) => renew(context, leases, leaseMs, alone), { isDurable: false });
  }

  note(lease: LeaseId, notes: Notes): Promise<boolean> {
    return this.#db.run(() => note(lease, notes), { key: lease.key });
  }

  /** After a power cut, a result that is lost has the entry run again, so it does not wait for the disk. */
  async settle(lease: LeaseId, verdict: Verdict): Promise<boolean> {
    const options = { isDurable: false, key: lease.key };
    const { isSettled, ended, deleted } = await this.#db.run((context) => settle(context, lease, verdict), options);
    this.#problems.push(...deleted.map((key) => deadLetterDeleted(key, verdict.mostDead ?? 0)));
    if (ended) this.#open.ended(ended);
    if (performance.now() >= this.#forgetsAt) {
      this.#forgetsAt = performance.now() + forgetEveryMs;
      await this.#db.run(forget, { isDurable: false });
    }
    return isSettled;
  }

  again(key: string, state: 'open' | 'dead', notes?: Notes): Promise<boolean> {
    return this.#db.run((context) => again(context, key, state, notes), { key });
  }

  remove(key: string, states: readonly Exclude<EntryState, 'running'>[]): Promise<boolean> {
    this.#open.forgetFull();
    return this.#db.run((context) => remove(context, key, states), { key });
  }

  async reduce(key: string, states: readonly EndedState[], keyMs: number): Promise<boolean> {
    return (await this.#reduce((context) => findEnded(context, key, states), keyMs)) > 0;
  }

  reduceOld(kinds: readonly string[], olderMs: number, keyMs: number): Promise<number> {
    return this.#reduce((context) => findOld(context, kinds, olderMs), keyMs);
  }

  /** Hashes between two transactions. One that another process has replayed meanwhile is left. */
  async #reduce(find: (context: SqlContext) => SqlRule<readonly Row[]>, keyMs: number): Promise<number> {
    const rows = await this.#db.run(find, { isRead: true });
    const reduced = await Promise.all(
      rows.map(async (row) => {
        const data = JSON.stringify(await reducedOf(objectIn(row.data) ?? row.data, row.state as EndedState));
        return this.#db.run((context) => reduce(context, row, data, keyMs), { isDurable: false });
      }),
    );
    return reduced.filter(Boolean).length;
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}

/** What is known of the open entries of an owner and kind. */
interface KnownRoom {
  /** How many may be added before they are counted again. */
  room: number;
  /** A time of `performance.now()`. */
  readonly until: number;
}

/** How many owners and kinds are remembered. */
const maxOwners = 10_000;
/** A part of the room that was counted is used without counting again: eight processes together do not use more than there is. */
const shareOfRoom = 1 / 8;
/** How long a count is used, in milliseconds: other processes add and end entries too. What takes long to count is used for longer. */
const [roomMs, roomMsOfEach, mostRoomMs] = [1_000, 10, 60_000];
const fullMs = 250;

type Owner = Pick<Work, 'kind' | 'owner'>;

/** Spares the counting of open entries, which takes as long as there are many. */
export class OpenCounts {
  readonly #known = new FifoMap<KnownRoom>(maxOwners);
  readonly #full = new Set<string>();

  /** Takes a place for an entry. `count`: nobody knows whether there is one. */
  take(work: Owner): 'free' | 'full' | 'count' {
    const known = this.#known.get(ownerOf(work));
    if (!known || known.until < performance.now()) return 'count';
    if (known.room > 0) {
      known.room -= 1;
      return 'free';
    }
    return this.#full.has(ownerOf(work)) ? 'full' : 'count';
  }

  /** They were counted. */
  set(work: Owner, open: number, most: number): void {
    const room = Math.floor((most - open) * shareOfRoom);
    const isFull = open >= most;
    if (isFull) this.#full.add(ownerOf(work));
    else this.#full.delete(ownerOf(work));
    const ms = isFull ? fullMs : Math.min(Math.max(roomMs, open * roomMsOfEach), mostRoomMs);
    this.#known.set(ownerOf(work), { room, until: performance.now() + ms });
  }

  /** An entry has ended here: its place is free, whatever others do. */
  ended(work: Owner): void {
    const known = this.#known.get(ownerOf(work));
    if (known) known.room += 1;
  }

  /** Something was removed: there may be room where there was none. */
  forgetFull(): void {
    this.#full.clear();
  }
}
