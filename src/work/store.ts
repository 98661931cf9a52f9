import { ConfigurationError } from '../core/errors/errors.js';
import { isObject } from '../core/json/json.js';
import { withMethods, type Rule } from '../core/options/rules.js';
import { canonical, type WriteRecord } from '../core/recover/write-hook.js';
import { nodeModule } from '../core/scope/node-module.js';
import type { Log } from './log.js';

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
  /** In milliseconds since 1970; of a job, when it may begin, or when it was added if that is later. */
  readonly sentAt: number;
  /** What the task needs. JSON can represent it. */
  readonly data: object;
  /** It is not due earlier, in milliseconds since 1970 by the clock of the store. No other entry has its group. @default when it is added */
  readonly notBefore?: number | undefined;
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
   * renewed, and that does not run alone any more, did not end its process at once: of its stalls, one is left.
   */
  readonly stalls: number;
  /** Those of the last `note` or `settle`. */
  readonly notes: Notes;
  /** What its group came to: the last fact of a verdict, until its time is over. */
  readonly fact?: string | undefined;
  /** When it was leased, in milliseconds since 1970 by the clock of the store. @default now, by the clock of this machine */
  readonly leasedAt?: number | undefined;
}

/** From this number of stalls on, an entry may be what ends its process: it is a suspect, and leased only `alone`. */
export const suspectStalls = 2;
/** How long a suspect runs alone at most, in milliseconds. A process that ends later may do so because of something else. */
export const aloneMsOf = (leaseMs: number): number => Math.max(leaseMs / 3, 10_000);

/** With this number of stalls, an entry is given up. */
export const mostStalls = 10;
const firstPauseMs = 2_000;

/**
 * How long a suspect waits before it runs again, in milliseconds: twice as long after each run alone whose process has ended. What ends
 * processes from outside, for some minutes, is over before the last run. The pauses take 254 seconds, and less with shorter leases.
 */
export function suspectPauseMs(stalls: number, leaseMs: number): number {
  if (stalls <= suspectStalls || stalls >= mostStalls) return 0;
  return Math.min(leaseMs, firstPauseMs) * 2 ** (stalls - suspectStalls - 1);
}

/** What a worker asks for. */
export interface Claim {
  /** What it can run. */
  readonly kinds: readonly string[];
  /** The most leases. */
  readonly limit: number;
  /** How long the leases last, in milliseconds; `renew` extends them. */
  readonly leaseMs: number;
  /**
   * Nothing else runs in this process, nor will for some time: one suspect is leased if any is due, and nothing else.
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
  /** How long ago the oldest open entry was added, of a job since when it may begin, in milliseconds; absent when none is open. */
  oldestAgeMs?: number | undefined;
}>;

/** A store is of another program, or of a version of this package that writes other tables. Waiting does not help. */
export class LayoutError extends ConfigurationError {}

/** Where an inbox or an outbox keeps its work: what `memoryStore`, `sqliteStore` and `postgresStore` return. */
export interface Store {
  /** Whether entries survive the end of the process. */
  readonly durable: boolean;
  /** Whether other processes may add and change entries. */
  readonly shared: boolean;
  /** A type only: it tells what this package has made from any other object. */
  readonly '~made': 'store';
}

/** Gives out its work by itself: what `bullmq` returns. */
export interface Engine extends Omit<Store, '~made'> {
  readonly '~made': 'engine';
}

/** A store inside. It has no policy. Each method is one step: it happens whole or not at all, also when processes are killed. */
export interface InnerStore extends Store {
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
  renew(leases: readonly LeaseId[], leaseMs: number, alone?: string): Promise<readonly string[]>;
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
  /** Opens it now, not when it is used first. @throws {ConfigurationError} when it is of another version, or another program */
  open?(): Promise<void>;
  close?(): Promise<void>;
  /** Called before anything else by those who only look: the store is neither created nor changed in its layout. */
  onlyOpen?(): void;
}

/** What a worker is for. */
export interface WorkerOptions {
  /** How its log names it: `inbox` or `outbox`. */
  readonly name: string;
  /** What it claims; none: it claims nothing. */
  readonly kinds: readonly string[];
  readonly taskOf: TaskOf;
  /** Called when the result of a run is stored. Does not throw. */
  readonly onStored?: ((key: string) => void) | undefined;
  /** How many tasks run at once. */
  readonly concurrency: number;
  /** How long a lease lasts without renewal, in milliseconds. */
  readonly leaseMs: number;
  readonly log: Log;
}

/** What runs the tasks of an inbox or an outbox. */
export interface Works {
  /** Runs what is due from now on, and keeps the process alive until `close`. */
  start(): void;
  /** Something was added or made due: runs what is due, from now on. Keeps nothing alive. */
  wake(): void;
  /** Runs what is due, and resolves once nothing is due and nothing runs here. Keeps the process alive meanwhile. */
  idle(): Promise<void>;
  /** Claims nothing more, waits for what runs, then aborts it, and gives back what ignores that. */
  close(graceMs: number): Promise<void>;
}

/** What is kept without leases: what the door, the lists and the commands need. */
export type Shelf = Omit<InnerStore, 'claim' | 'renew' | 'note' | 'settle' | '~made'>;

/** Since when an open entry waits, in milliseconds since 1970: a job waits from when it may begin. */
export function waitsSince({ kind, sentAt }: Pick<Work, 'kind' | 'sentAt'>, addedAt: number): number {
  return kind === 'job' ? Math.max(addedAt, sentAt) : addedAt;
}

/** An engine inside: it gives out its leases by itself. */
export interface InnerEngine extends Shelf, Engine {
  works(options: WorkerOptions): Works;
}

/** What the runs of an entry have reached. */
export interface RunNotes extends Notes {
  /** Its writes; of a job, those of the step that is next. */
  readonly writes?: readonly WriteRecord[] | undefined;
  /** How often the service did not show whether a write was carried out. */
  readonly unknowns?: number | undefined;
  /** Whether the last run failed with an error that waiting does not change. */
  readonly wasLasting?: boolean | undefined;
  /** Since when moderation has not decided about a message, in milliseconds since 1970. */
  readonly followedSince?: number | undefined;
  /** When the service did not show the message of a notification for the last time, in milliseconds since 1970. */
  readonly missingAt?: number | undefined;
  /** The pack whose conversation has shown it. */
  readonly shownIn?: string | undefined;
  /** What the steps of a job have returned that are accepted. */
  readonly outputs?: readonly StepOutput[] | undefined;
}

/** What a step of a job has returned. */
export interface StepOutput {
  /** Absent if the service returned nothing. */
  readonly output?: unknown;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** One run of an entry. */
export interface Run {
  /** Aborted when nobody waits for the run any more: it must not write. */
  readonly signal: AbortSignal;
  /** What has been reached. The task keeps it true: it is stored when the run has ended, however it ended. */
  notes: RunNotes;
  /** Ends the run early, such as after its time limit: what it writes from now on is not sent. */
  abort(reason: Error): void;
  /** Stores what has been reached. Resolves once it survives a power cut; to `false` when the lease is lost. */
  note(notes: RunNotes): Promise<boolean>;
}

/** What is done for one lease. It does not know where the lease came from. */
export interface Task {
  /** Does it once. @throws what prevented it: `failed` then decides what follows */
  run(): Promise<Verdict>;
  /** What follows from an error. Does not throw. */
  failed(error: unknown): Verdict;
  /** Whether the user listens to what has become of it. Then what was reached is stored before it is told. */
  isObserved(verdict: Verdict): boolean;
  /**
   * Tells the user what has become of it. The verdict is stored after that, so that a process that is killed meanwhile is
   * followed by one that tells it again. Does not throw.
   */
  tell(verdict: Verdict, error: unknown): Promise<unknown>;
}

/** Makes the task of a lease. */
export type TaskOf = (lease: Lease, run: Run) => Task;

/** The lease ends without a result: another process does it, or this one later. It counts as no attempt. */
export const released: Verdict = { state: 'open', inMs: 0, failed: false };

/**
 * What inboxes and outboxes keep beside their entries, by key and for a time: who looks for missed questions, which messages were handled,
 * and which writes were sent. All processes of a store or a queue share it.
 */
export interface Ledger {
  /** The value of a key; `undefined` if there is none, or its time is over. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets a value for `ms` milliseconds if the key has the value `expected`, in one step. Resolves once it
   * survives the end of the process.
   *
   * @param expected `undefined`: only if there is no value.
   * @returns whether it was set.
   */
  replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean>;
}

/** The key of what the entries of a group came to: a verdict sets it, and each lease of the group has it. */
export const factKeyOf = (group: string): string => `fact ${group}`;

/** Takes the lead in something that one process does for all, or keeps it, for `ms` milliseconds. */
export async function leads(ledger: Ledger, name: string, holder: string, ms: number): Promise<boolean> {
  const current = await ledger.get(name);
  return (current === undefined || current === holder) && ledger.replace(name, current, holder, ms);
}

const dayMs = 86_400_000;
/** How long an ended job keeps its data and notes by default, in milliseconds. */
export const keepDataMs = 30 * dayMs;

/** How long the key of an ended job is known by default, in milliseconds. What gives out its own leases keeps it in Redis, in memory. */
export function keepKeysMsOf(store: object): number {
  return ('works' in store ? 30 : 365) * dayMs;
}

/** In which states an entry has ended. */
export const endedStates: readonly EndedState[] = ['dead', 'accepted', 'rejected'];

/** What stays of an ended entry in the place of its data: an equal one is recognized, and nothing can be read. */
export interface Reduced {
  /** Of its data. */
  readonly hash: string;
  /** In which state it was. Stores that are asked for a list treat it as `done`. */
  readonly was: EndedState;
}

/** Reduces the data of an entry. */
export async function reducedOf(data: unknown, was: EndedState): Promise<Reduced> {
  return { hash: await digest(contentOf(data)), was };
}

/** What makes an entry another one, as a text: not when it may begin. */
function contentOf(data: unknown): string {
  if (!isObject(data) || !('notBefore' in data)) return canonical(data);
  const { notBefore: _, ...content } = data;
  return canonical(content);
}

/** Whether of the data of an entry only this is left. */
export function isReduced(data: object): data is Reduced {
  const { hash, was } = data as Partial<Reduced>;
  return typeof hash === 'string' && endedStates.some((state) => state === was);
}

/** Whether what a store has of an entry is, or was, equal to this. */
export async function isSameData(kept: object, data: object): Promise<boolean> {
  const content = contentOf(data);
  return isReduced(kept) ? kept.hash === (await digest(content)) : contentOf(kept) === content;
}

const nodeHash = nodeModule('node:crypto')?.hash;

/** The start of the SHA-256 in hexadecimal. Node's own hash is many times faster than that of other platforms. */
export function digest(content: string): string | Promise<string> {
  return nodeHash ? nodeHash('sha256', content, 'hex').slice(0, 32) : portableDigest(content);
}

async function portableDigest(content: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return [...new Uint8Array(hash, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const kept = ['add', 'get', 'list', 'counts', 'again', 'remove'];
const leased = ['claim', 'renew', 'note', 'settle'];

const remedy = 'takes what sqliteStore, postgresStore, memoryStore or bullmq returns';

/** What a value is lacking to be a store of an inbox or an outbox. */
export const storeRule: Rule = (value) => {
  if (typeof value === 'string') return `${remedy}: sqliteStore(path) for a file`;
  if (!isObject(value)) return remedy;
  if (has(value, ...kept) && (has(value, ...leased) || has(value, 'works'))) return undefined;
  return `${remedy}${hintOf(value)}`;
};

function hintOf(value: object): string {
  if (has(value, 'load', 'save')) return '; this is a store of tokens';
  if (has(value, 'query')) return '; a pool becomes one by postgresStore({ pool })';
  return '';
}

/** Stores had options once, of which nothing would be left. @throws {ConfigurationError} when there are any */
export function assertNoOptions(name: string, options: readonly unknown[]): void {
  if (options.every((each) => each === undefined)) return;
  throw new ConfigurationError(`${name} has no options; \`maxWaiting\` is an option of createInbox`);
}

/** An instance of a class has its methods in its prototype. */
function has(value: object, ...names: readonly string[]): boolean {
  return withMethods(...names)(value) === undefined;
}

/** A list that begins with another one of its items each time. */
export function rotated<T>(list: readonly T[], times: number): readonly T[] {
  const from = times % Math.max(1, list.length);
  return [...list.slice(from), ...list.slice(0, from)];
}
