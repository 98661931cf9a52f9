import type { Ledger } from './ledger.js';

/** Something to run once: a notification of an inbox, or a job of an outbox. */
export interface Work {
  /** Its name, unique in the store. It is known until it is removed or forgotten. */
  readonly key: string;
  /** What a worker needs to run it: `questions`, `messages`, `*` for every other topic, or `job`. All work of a group is of one kind. */
  readonly kind: string;
  /** Work of one group runs one at a time, in the order of `sentAt`: the resource of a notification, the key of a job. */
  readonly group: string;
  /** The seller. Owners take turns. */
  readonly owner: string;
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  /** What the task needs. JSON can represent it. */
  readonly data: object;
}

/** What the runs of an entry have reached, for its next run. JSON can represent it; an empty object is nothing. */
export type Notes = Readonly<Record<string, unknown>>;

/** Names a lease: an entry that is leased again has a new token. */
export interface LeaseId {
  readonly key: string;
  readonly token: string;
}

/** An entry that was leased to one worker: no other worker gets it, or another one of its group, before the lease ends. */
export interface Lease extends LeaseId {
  readonly data: object;
  /** How many attempts have failed. */
  readonly failures: number;
  /**
   * How many leases in a row have ended without a result: the process was killed, or stopped for too long. A suspect whose lease is
   * renewed did not end its process at once: of its stalls, one is left.
   */
  readonly stalls: number;
  /** Those of the last `note` or `settle`. */
  readonly notes: Notes;
  /** What its group came to: the last fact of a verdict, until its time is over. */
  readonly fact?: string | undefined;
}

/** From this number of stalls on, an entry may be what ends its process: it is a suspect, and leased only `alone`. */
export const suspectStalls = 2;

/** What a worker asks for. */
export interface Claim {
  /** What it can run. */
  readonly kinds: readonly string[];
  /** The most leases. */
  readonly limit: number;
  /** How long the leases last, in milliseconds; `renew` extends them. */
  readonly leaseMs: number;
  /**
   * Nothing else runs in this process, nor will before the lease is renewed: one suspect is leased if any is due, and nothing else.
   * Without it, no suspect is leased.
   */
  readonly alone: boolean;
}

/** The response to a claim. */
export interface Claimed {
  readonly leases: readonly Lease[];
  /** When to claim again, in milliseconds: 0 if more is due. Absent when nothing of these kinds is open. */
  readonly nextInMs?: number | undefined;
  /** Whether a suspect is due, which only a claim `alone` leases. It does not count for `nextInMs`. */
  readonly hasSuspect?: boolean | undefined;
  /** What the store has set aside or deleted since the last claim, for the log. */
  readonly problems?: readonly string[] | undefined;
}

/**
 * What a run comes to. `open`: it runs again. `dead`: a person decides. `done`, `accepted`, `rejected`: it has ended.
 */
export type VerdictState = 'open' | 'dead' | 'done' | 'accepted' | 'rejected';

/** What follows from a run, all of it in one step. */
export interface Verdict {
  readonly state: VerdictState;
  /**
   * When an open entry is due again, or how long an ended one is kept, so that its key is known, in milliseconds; 0 forgets it. A dead
   * one is kept until it is replayed or removed.
   */
  readonly inMs: number;
  /** Whether the attempt counts as a failure. */
  readonly failed: boolean;
  /** Why it failed, was given up or was rejected. Replaces the last one; absent keeps it. */
  readonly failure?: string | undefined;
  /** Replace those of the entry; absent keeps them. */
  readonly notes?: Notes | undefined;
  /** Whether an ended entry keeps its data and notes, and can be listed. @default false: only its key is kept */
  readonly keepsData?: boolean | undefined;
  /** What its group came to, known to its next leases for `ms` milliseconds, and in the ledger as `factKeyOf(group)`. */
  readonly fact?: { readonly value: string; readonly ms: number } | undefined;
  /** The most dead entries of its owner and kind: beyond it, the oldest is deleted. @default no limit */
  readonly mostDead?: number | undefined;
}

/** How an entry is listed. */
export type EntryState = 'waiting' | 'running' | Exclude<VerdictState, 'open'>;

/** In which states an ended entry keeps its data. */
export type EndedState = Extract<EntryState, 'dead' | 'accepted' | 'rejected'>;

/** An entry, and what has become of it. */
export interface Status extends Work {
  readonly state: EntryState;
  readonly failures: number;
  readonly stalls: number;
  /** The last one. */
  readonly failure?: string | undefined;
  readonly notes: Notes;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** When it was given up, accepted or rejected, in milliseconds since 1970. */
  readonly endedAt?: number | undefined;
  /** When a waiting entry may be leased, in milliseconds; 0 when it is due. Entries behind the head of their group have that of the head. */
  readonly nextInMs?: number | undefined;
  /** Its place in every list. An entry that ends gets a new one, so ended entries are listed in the order in which they ended. */
  readonly number: number;
}

/** Which entries to list. */
export interface Query {
  readonly kinds: readonly string[];
  readonly states: readonly EntryState[];
  readonly limit: number;
  /** Begin after the entry with this number. */
  readonly after: number;
}

/** How much a store holds of some kinds. */
export type Counts = Readonly<{
  waiting: number;
  running: number;
  dead: number;
  accepted: number;
  rejected: number;
  /** How many could not be read and were set aside. */
  unreadable: number;
  /** How long ago the oldest open entry was added, in milliseconds; absent when none is open. */
  oldestAgeMs?: number | undefined;
}>;

/**
 * Where work is kept: `memoryStore`, `sqliteStore`, `postgresStore`. It has no policy. Each method is one step: it happens whole or not
 * at all, also when processes are killed.
 */
export interface Store {
  /** Whether entries survive the end of the process. */
  readonly durable: boolean;
  /** Whether other processes may add and change entries. */
  readonly shared: boolean;
  /** What is kept beside the entries. */
  readonly ledger: Ledger;
  /**
   * Stores an entry unless its key is known. Resolves once it survives a power cut.
   *
   * @param most The most open entries of its owner and kind. @default no limit
   */
  add(work: Work, most?: number): Promise<'added' | 'known' | 'full'>;
  get(key: string): Promise<Status | undefined>;
  /** Entries in the order of their numbers. A shorter list than `limit` is the end. */
  list(query: Query): Promise<readonly Status[]>;
  counts(kinds: readonly string[]): Promise<Counts>;
  /** Leases what is due, one entry per group at a time. */
  claim(claim: Claim): Promise<Claimed>;
  /** Extends leases. Returns the keys of those that are lost. */
  renew(leases: readonly LeaseId[], leaseMs: number): Promise<readonly string[]>;
  /** Keeps notes with a leased entry, in place of those that it has. Resolves once they survive a power cut. `false`: the lease is lost. */
  note(lease: LeaseId, notes: Notes): Promise<boolean>;
  /** Ends a lease. `false`, and nothing has changed: the lease is lost. Any result ends a row of stalls. */
  settle(lease: LeaseId, verdict: Verdict): Promise<boolean>;
  /**
   * Makes a waiting entry due now (`open`; with the failures that it has), or opens a dead one again (`dead`; without failures). `false`
   * when there is no such entry, or its group is leased.
   *
   * @param notes Replace those of the entry; absent keeps them.
   */
  again(key: string, state: 'open' | 'dead', notes?: Notes): Promise<boolean>;
  /** Deletes an entry that has one of these states, and frees its key. `false` when there is none. */
  remove(key: string, states: readonly Exclude<EntryState, 'running'>[]): Promise<boolean>;
  /**
   * Takes data and notes of an ended entry, which no list shows then: its key, its state, its times and a hash of its data stay.
   *
   * @param keyMs How long its key is known if its verdict did not say, in milliseconds from now.
   * @returns whether there is one that has its data.
   */
  reduce(key: string, states: readonly EndedState[], keyMs: number): Promise<boolean>;
  /** Does so with some of what was accepted or rejected this long ago. Returns with how many; 0: none is left. */
  reduceOld(kinds: readonly string[], olderMs: number, keyMs: number): Promise<number>;
  close?(): Promise<void>;
  /** Called before anything else by those who only look: the store is neither created nor changed in its layout. */
  onlyOpen?(): void;
}
