import { becomesDue, promote } from './sql-groups.js';
import type { SqlContext } from './sql-groups.js';
import { notesIn, objectIn } from './sql-columns.js';
import { all, first, places } from './sql-rule.js';
import type { Row, SqlRule } from './sql-rule.js';
import { isHead } from './sql-schema.js';
import { factKeyOf } from './ledger.js';
import { suspectStalls } from './store.js';
import type { Claim, Lease, LeaseId } from './store.js';

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
    yield* makeDue(context, kinds);
    found = yield* lookUp(kinds);
  }
  const most = alone ? Math.min(1, limit) : limit;
  const chosen: { readonly row: Row; readonly place: number }[] = [];
  for (const { kind, isDue, hasSuspect } of found)
    if (most > 0 && (alone ? hasSuspect : isDue))
      chosen.push(...(yield* placesOf(context, kind, { alone, limit: most + 1 })));
  chosen.sort((a, b) => a.place - b.place);
  const rows = chosen.slice(0, most).map(({ row }) => row);
  const token = crypto.randomUUID();
  const leases = rows.flatMap((row) => leaseOf(row, token) ?? []);
  if (leases.length > 0) yield* lease(leases, token, now + leaseMs);
  const isMoreDue = most === 0 || alone ? found.some(({ isDue }) => isDue) : chosen.length > leases.length;
  const nextAt = Math.min(...found.map((each) => each.nextAt), leases.length > 0 ? now + leaseMs : Infinity);
  const hasSuspect = alone && most > 0 ? chosen.length > leases.length : found.some((each) => each.hasSuspect);
  return {
    leases,
    ...(isMoreDue ? { nextInMs: 0 } : nextAt < Infinity && { nextInMs: Math.max(0, nextAt - now) }),
    ...(hasSuspect && { hasSuspect }),
    damaged: rows.filter((row) => !leaseOf(row, token)).map(({ key }) => String(key)),
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

/** Makes due what was delayed until now, or whose lease has ended. */
function* makeDue({ dialect, now }: SqlContext, kinds: readonly string[]): SqlRule<void> {
  const delayed = `SELECT number FROM seller_work WHERE kind IN (${places(kinds)}) AND ${isHead} AND turn IS NULL AND due_at <= ?
    ORDER BY due_at, number LIMIT ${dueAtATime} ${dialect.skipLocked}`;
  const rows = yield* all(delayed, ...kinds, now);
  const update = `UPDATE seller_work AS w SET ${becomesDue(dialect)} WHERE number = ?`;
  for (const { number = null } of rows) yield* all(update, number);
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

function leaseOf(row: Row, token: string): Lease | undefined {
  const [data, notes] = [objectIn(row.data), notesIn(row.notes)];
  if (!data || !notes) return undefined;
  return {
    ...{ key: String(row.key), token, data, failures: Number(row.failures), stalls: Number(row.stalls), notes },
    ...(row.fact !== null && { fact: String(row.fact) }),
  };
}

function* lease(leases: readonly Lease[], token: string, until: number): SqlRule<void> {
  const keys = leases.map(({ key }) => key);
  const update = `UPDATE seller_work SET token = ?, turn = NULL, due_at = ? WHERE key IN (${places(keys)})`;
  yield* all(update, token, until, ...keys);
}

/** Extends leases. Returns the keys of those that are lost. */
export function* renew({ now }: SqlContext, leases: readonly LeaseId[], leaseMs: number): SqlRule<readonly string[]> {
  if (leases.length === 0) return [];
  const keys = leases.map(({ key }) => key);
  const tokens = [...new Set(leases.map(({ token }) => token))];
  const extend = `UPDATE seller_work SET due_at = ?, turn = NULL, stalls = CASE WHEN stalls < ${suspectStalls} THEN stalls ELSE ${suspectStalls - 1} END
    WHERE key IN (${places(keys)}) AND token IN (${places(tokens)}) AND state = 'open' RETURNING key, token`;
  const renewed = yield* all(extend, now + leaseMs, ...keys, ...tokens);
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
