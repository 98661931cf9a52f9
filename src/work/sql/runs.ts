import { factKeyOf, suspectPauseMs, suspectStalls } from '../store.js';
import type { Claim, Lease, LeaseId, Ledger, Notes, Verdict } from '../store.js';
import {
  all,
  becomesDue,
  first,
  has,
  hasEnded,
  isHead,
  notesIn,
  objectIn,
  places,
  promote,
  textOf,
  turnOf,
} from './entries.js';
import type { Row, SqlContext, SqlRule, SqlValue } from './entries.js';

/** The response to a claim, and what the store has to see to after it. */
export interface SqlClaimed {
  readonly leases: readonly Lease[];
  readonly nextInMs?: number | undefined;
  readonly hasSuspect?: boolean | undefined;
  /** The keys of entries that cannot be read. */
  readonly damaged: readonly string[];
}

/** What there is of a kind. */
interface Due {
  readonly kind: string;
  readonly isDue: boolean;
  readonly hasSuspect: boolean;
  readonly nextAt: number;
}

/** How many heads a claim makes due at a time. */
const dueAtATime = 1_000;

/** Leases what is due. Kinds take turns as well, whatever turns they have come to: of equals, the first kind comes first. */
export function* claim(context: SqlContext, { kinds, limit, leaseMs, alone }: Claim): SqlRule<SqlClaimed> {
  const { now } = context;
  let found = yield* lookUp(kinds);
  if (found.some(({ nextAt }) => nextAt <= now)) {
    yield* makeDue(context, kinds, leaseMs);
    found = yield* lookUp(kinds);
  }
  const most = alone ? Math.min(1, limit) : limit;
  const chosen: { readonly row: Row; readonly place: number }[] = [];
  for (const { kind, isDue, hasSuspect } of found)
    if (most > 0 && (alone ? hasSuspect : isDue))
      chosen.push(...(yield* placesOf(context, kind, { alone, limit: most + 1 })));
  chosen.sort((a, b) => a.place - b.place);
  const token = crypto.randomUUID();
  const leases: Lease[] = [];
  const damaged: string[] = [];
  for (const { row } of chosen.slice(0, most)) {
    const leased = leaseOf(row, token, now);
    if (leased) leases.push(leased);
    else damaged.push(String(row.key));
  }
  if (leases.length > 0) yield* lease(leases, token, now + leaseMs);
  const isMoreDue = most === 0 || alone ? found.some(({ isDue }) => isDue) : chosen.length > leases.length;
  const nextAt = Math.min(...found.map((each) => each.nextAt), leases.length > 0 ? now + leaseMs : Infinity);
  const hasSuspect = alone && most > 0 ? chosen.length > leases.length : found.some((each) => each.hasSuspect);
  return {
    leases,
    ...(isMoreDue ? { nextInMs: 0 } : nextAt < Infinity && { nextInMs: Math.max(0, nextAt - now) }),
    ...(hasSuspect && { hasSuspect }),
    damaged,
  };
}

function* lookUp(kinds: readonly string[]): SqlRule<readonly Due[]> {
  if (kinds.length === 0) return [];
  const due = `SELECT 1 FROM seller_work WHERE kind = k.kind AND turn IS NOT NULL AND stalls`;
  const sql = `SELECT kind, (${due} < ${suspectStalls} LIMIT 1) AS due, (${due} >= ${suspectStalls} LIMIT 1) AS suspects,
      (SELECT due_at FROM seller_work WHERE kind = k.kind AND ${isHead} AND turn IS NULL ORDER BY due_at LIMIT 1) AS next_at
    FROM (${kinds.map(() => 'SELECT CAST(? AS TEXT) AS kind').join(' UNION ALL ')}) AS k`;
  return (yield* all(sql, ...kinds)).map((row) => ({
    kind: String(row.kind),
    isDue: row.due !== null,
    hasSuspect: row.suspects !== null,
    nextAt: Number(row.next_at ?? Infinity),
  }));
}

/** Makes due what was delayed until now, or whose lease has ended. A suspect waits first. */
function* makeDue({ dialect, now }: SqlContext, kinds: readonly string[], leaseMs: number): SqlRule<void> {
  const delayed = `SELECT number, token, stalls FROM seller_work WHERE kind = ? AND ${isHead} AND turn IS NULL AND due_at <= ?
    ORDER BY due_at, number LIMIT ${dueAtATime} ${dialect.skipLocked}`;
  const update = `UPDATE seller_work AS w SET ${becomesDue(dialect)} WHERE number = ?`;
  const pause = 'UPDATE seller_work SET due_at = ?, token = NULL, stalls = stalls + 1 WHERE number = ?';
  for (const kind of kinds)
    for (const { number = null, token, stalls } of yield* all(delayed, kind, now)) {
      const pauseMs = token === null ? 0 : suspectPauseMs(Number(stalls) + 1, leaseMs);
      if (pauseMs > 0) yield* all(pause, now + pauseMs, number);
      else yield* all(update, number);
    }
}

function* placesOf(
  { dialect, now }: SqlContext,
  kind: string,
  { alone, limit }: { readonly alone: boolean; readonly limit: number },
): SqlRule<readonly { readonly row: Row; readonly place: number }[]> {
  const due = `SELECT number, key, turn, data, failures, stalls, notes,
      (SELECT value FROM seller_work_ledger AS l WHERE l.key = ? || group_id AND l.until > ?) AS fact FROM seller_work
    WHERE kind = ? AND turn IS NOT NULL AND stalls ${alone ? '>=' : '<'} ${suspectStalls}
    ORDER BY turn, number LIMIT ? ${dialect.skipLocked}`;
  const rows = yield* all(due, factKeyOf(''), now, kind, limit);
  return rows.map((row) => ({ row, place: Number(row.turn) - Number(rows[0]?.turn) }));
}

function leaseOf(row: Row, token: string, leasedAt: number): Lease | undefined {
  const [data, notes] = [objectIn(row.data), notesIn(row.notes)];
  if (!data || !notes) return undefined;
  return {
    ...{ key: String(row.key), token, data, failures: Number(row.failures), stalls: Number(row.stalls), notes },
    leasedAt,
    ...(row.fact !== null && { fact: String(row.fact) }),
  };
}

function* lease(leases: readonly Lease[], token: string, until: number): SqlRule<void> {
  const keys = leases.map(({ key }) => key);
  const update = `UPDATE seller_work SET token = ?, turn = NULL, due_at = ? WHERE key IN (${places(keys)})`;
  yield* all(update, token, until, ...keys);
}

/** Extends leases. Returns the keys of those that are lost. */
export function* renew(
  { now }: SqlContext,
  leases: readonly LeaseId[],
  leaseMs: number,
  alone = '',
): SqlRule<readonly string[]> {
  if (leases.length === 0) return [];
  const keys = leases.map(({ key }) => key);
  const tokens = [...new Set(leases.map(({ token }) => token))];
  const extend = `UPDATE seller_work SET due_at = ?, turn = NULL, stalls = CASE WHEN stalls < ${suspectStalls} OR key = ? THEN stalls ELSE ${suspectStalls - 1} END
    WHERE key IN (${places(keys)}) AND token IN (${places(tokens)}) AND ${has('open')} RETURNING key, token`;
  const renewed = yield* all(extend, now + leaseMs, alone, ...keys, ...tokens);
  const isRenewed = (lease: LeaseId): boolean =>
    renewed.some(({ key, token }) => key === lease.key && token === lease.token);
  return leases.filter((each) => !isRenewed(each)).map(({ key }) => key);
}

/** Sets an entry aside that cannot be read. */
export function* setAside(context: SqlContext, key: string): SqlRule<void> {
  const update = `UPDATE seller_work SET state = 'damaged', turn = NULL, due_at = NULL, ended_at = ?
    WHERE key = ? AND turn IS NOT NULL RETURNING group_id`;
  const found = yield* first(update, context.now, key);
  if (found) yield* promote(context, found.group_id ?? null);
}

/** Keeps notes with a leased entry. */
export function* note({ key, token }: LeaseId, notes: Notes): SqlRule<boolean> {
  const update = `UPDATE seller_work SET notes = ? WHERE key = ? AND token = ? AND ${has('open')} RETURNING number`;
  return (yield* first(update, textOf(notes), key, token)) !== undefined;
}

/** What ends a lease. */
interface Settled {
  readonly isSettled: boolean;
  /** Whose entry it was, if it is not open any more. */
  readonly ended?: { readonly kind: string; readonly owner: string };
  /** The keys of dead entries that were deleted to make room. */
  readonly deleted: readonly string[];
}

/** Ends a lease, with all that follows. */
export function* settle(context: SqlContext, { key, token }: LeaseId, verdict: Verdict): SqlRule<Settled> {
  const find = `SELECT number, kind, owner, group_id, failures, failure, notes FROM seller_work
    WHERE key = ? AND token = ? AND ${has('open')}`;
  const entry = yield* first(find, key, token);
  const isSettled =
    entry !== undefined &&
    (yield* verdict.state === 'open' ? delay(context, entry, token, verdict) : end(context, entry, token, verdict));
  if (!isSettled) return { isSettled, deleted: [] };
  const { fact } = verdict;
  if (fact) yield* addFact(context, { ...fact, key: factKeyOf(String(entry.group_id)) });
  const { mostDead } = verdict;
  const isTrimmed = verdict.state === 'dead' && mostDead !== undefined;
  const deleted = isTrimmed ? yield* trim(entry, mostDead) : [];
  if (verdict.state === 'open') return { isSettled, deleted };
  return { isSettled, ended: { kind: String(entry.kind), owner: String(entry.owner) }, deleted };
}

/** What a verdict makes of an entry. */
function resultOf(
  entry: Row,
  { failed, failure, notes }: Verdict,
): { failures: number; failure: SqlValue; notes: SqlValue } {
  return {
    failures: Number(entry.failures) + Number(failed),
    // PostgreSQL keeps no NUL.
    failure: failure === undefined ? (entry.failure ?? null) : failure.replaceAll('\0', ''),
    notes: notes === undefined ? (entry.notes ?? null) : textOf(notes),
  };
}

/** A head is due again after a delay. One that has not begun makes way for one that was sent earlier. */
function* delay(context: SqlContext, entry: Row, token: string, verdict: Verdict): SqlRule<boolean> {
  const { failures, failure, notes } = resultOf(entry, verdict);
  const { inMs } = verdict;
  const { number = null, group_id: group = null } = entry;
  const hasBegun = failures > 0 || notes !== null;
  const place = !hasBegun
    ? 'due_at = NULL, turn = NULL'
    : inMs > 0
      ? 'due_at = ?, turn = NULL'
      : `due_at = ?, turn = ${turnOf(context.dialect, 'w')}`;
  const update = `UPDATE seller_work AS w SET failures = ?, failure = ?, notes = ?, stalls = 0, token = NULL, ${place}
    WHERE number = ? AND token = ? RETURNING number`;
  const at = hasBegun ? [context.now + inMs] : [];
  if (!(yield* first(update, failures, failure, notes, ...at, number, token))) return false;
  if (!hasBegun) yield* promote(context, group, { inMs });
  return true;
}

/** An entry has ended. The next one of its group is its head. */
function* end(context: SqlContext, entry: Row, token: string, verdict: Verdict): SqlRule<boolean> {
  const { state, inMs, keepsData = false } = verdict;
  const { number = null, group_id: group = null } = entry;
  const isDead = state === 'dead';
  const isEnded =
    isDead || inMs > 0
      ? yield* keep(context, entry, token, verdict, isDead || keepsData)
      : yield* first('DELETE FROM seller_work WHERE number = ? AND token = ? RETURNING number', number, token);
  if (isEnded) yield* promote(context, group);
  return isEnded !== undefined;
}

function* keep(
  { dialect, now }: SqlContext,
  entry: Row,
  token: string,
  verdict: Verdict,
  keepsData: boolean,
): SqlRule<Row | undefined> {
  const { state, inMs } = verdict;
  const { failures, failure, notes } = resultOf(entry, verdict);
  // What nobody lists keeps its number, which is not even named: SQLite would write all indexes anew.
  const next = state === 'done' ? [] : [(yield* first(dialect.nextNumber))?.number ?? null];
  const update = `UPDATE seller_work SET state = ?, ${next.length > 0 ? 'number = ?, ' : ''}due_at = ?, ended_at = ?, failures = ?, failure = ?, notes = ?,
    stalls = 0, token = NULL, turn = NULL${keepsData ? '' : ", data = '{}'"} WHERE number = ? AND token = ? RETURNING number`;
  const dueAt = state === 'dead' ? null : now + inMs;
  const result = [failures, failure, keepsData ? notes : null];
  return yield* first(update, state, ...next, dueAt, now, ...result, entry.number ?? null, token);
}

/** Deletes the oldest dead entries beyond a number. Returns their keys. */
function* trim({ kind = null, owner = null }: Row, most: number): SqlRule<readonly string[]> {
  // Only the index of owners has this order: their numbers alone are in the order of what waits, too, which would be read to find them.
  const last = `SELECT number, kind, owner, state FROM seller_work WHERE (kind, owner, state) <= (?, ?, 'dead')
    ORDER BY kind DESC, owner DESC, state DESC, number DESC LIMIT 100 OFFSET ${Math.trunc(most)}`;
  const beyond = `SELECT number FROM (${last}) AS l WHERE kind = ? AND owner = ? AND state = 'dead'`;
  const rows = yield* all(
    `DELETE FROM seller_work WHERE number IN (${beyond}) RETURNING key`,
    kind,
    owner,
    kind,
    owner,
  );
  return rows.map(({ key }) => String(key));
}

/** Deletes some of the keys that were kept for long enough. */
export function* forget(context: SqlContext): SqlRule<void> {
  const { now, dialect } = context;
  const over = `SELECT number FROM seller_work WHERE ${hasEnded} AND due_at <= ? ORDER BY due_at LIMIT 1000 ${dialect.skipLocked}`;
  yield* all(`DELETE FROM seller_work WHERE number IN (${over})`, now);
  yield* forgetFacts(context);
}

/** Runs rules of a ledger. */
export type RunRule = <R>(rule: (context: SqlContext) => SqlRule<R>, options?: { readonly isRead: true }) => Promise<R>;

/** A ledger in the database of a store. */
export class SqlLedger implements Ledger {
  readonly #run: RunRule;

  constructor(run: RunRule) {
    this.#run = run;
  }

  get(key: string): Promise<string | undefined> {
    return this.#run((context) => valueOf(context, key), { isRead: true });
  }

  replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    return this.#run((context) => replace(context, expected, { key, value, ms }));
  }
}

function* valueOf({ now }: SqlContext, key: string): SqlRule<string | undefined> {
  const row = yield* first('SELECT value FROM seller_work_ledger WHERE key = ? AND until > ?', key, now);
  return row && String(row.value);
}

interface LedgerFact {
  readonly key: string;
  readonly value: string;
  readonly ms: number;
}

const insert = 'INSERT INTO seller_work_ledger AS l (key, value, until) VALUES (?, ?, ?)';
const update = 'DO UPDATE SET value = excluded.value, until = excluded.until';

function* replace({ now }: SqlContext, expected: string | undefined, { key, value, ms }: LedgerFact): SqlRule<boolean> {
  const change =
    'UPDATE seller_work_ledger SET value = ?, until = ? WHERE key = ? AND value = ? AND until > ? RETURNING key';
  if (expected !== undefined) return (yield* first(change, value, now + ms, key, expected, now)) !== undefined;
  const sql = `${insert} ON CONFLICT (key) ${update} WHERE l.until <= ? RETURNING key`;
  return (yield* first(sql, key, value, now + ms, now)) !== undefined;
}

/** Sets a value, whatever there is. */
function* addFact({ now }: SqlContext, { key, value, ms }: LedgerFact): SqlRule<void> {
  yield* all(`${insert} ON CONFLICT (key) ${update}`, key, value, now + ms);
}

/** Deletes some of the values whose time is over. */
function* forgetFacts({ now, dialect }: SqlContext): SqlRule<void> {
  const over = `SELECT key FROM seller_work_ledger WHERE until <= ? LIMIT 1000 ${dialect.skipLocked}`;
  yield* all(`DELETE FROM seller_work_ledger WHERE key IN (${over})`, now);
}
