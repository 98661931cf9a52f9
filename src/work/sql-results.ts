import { textOf } from './sql-columns.js';
import { promote, turnOf } from './sql-groups.js';
import type { SqlContext } from './sql-groups.js';
import { factKeyOf } from './ledger.js';
import { addFact, forgetFacts } from './sql-ledger.js';
import { all, first } from './sql-rule.js';
import type { Row, SqlRule, SqlValue } from './sql-rule.js';
import { hasEnded } from './sql-schema.js';
import type { LeaseId, Notes, Verdict } from './store.js';

/** Keeps notes with a leased entry. */
export function* note({ key, token }: LeaseId, notes: Notes): SqlRule<boolean> {
  const update = "UPDATE seller_work SET notes = ? WHERE key = ? AND token = ? AND state = 'open' RETURNING number";
  return (yield* first(update, textOf(notes), key, token)) !== undefined;
}

/** What ends a lease. */
interface Settled {
  readonly isSettled: boolean;
  /** The keys of dead entries that were deleted to make room. */
  readonly deleted: readonly string[];
}

/** Ends a lease, with all that follows. */
export function* settle(context: SqlContext, { key, token }: LeaseId, verdict: Verdict): SqlRule<Settled> {
  const find = `SELECT number, kind, owner, group_id, failures, failure, notes FROM seller_work
    WHERE key = ? AND token = ? AND state = 'open'`;
  const entry = yield* first(find, key, token);
  const isSettled =
    entry !== undefined &&
    (yield* verdict.state === 'open' ? delay(context, entry, token, verdict) : end(context, entry, token, verdict));
  if (!isSettled) return { isSettled, deleted: [] };
  const { fact } = verdict;
  if (fact) yield* addFact(context, { ...fact, key: factKeyOf(String(entry.group_id)) });
  const { mostDead } = verdict;
  const isTrimmed = verdict.state === 'dead' && mostDead !== undefined;
  return { isSettled, deleted: isTrimmed ? yield* trim(entry, mostDead) : [] };
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
      : `due_at = ?, turn = ${turnOf(context.dialect, 'w.kind', 'w.owner')}`;
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
  // What nobody lists keeps its number.
  const next = state === 'done' ? entry.number : (yield* first(dialect.nextNumber))?.number;
  const update = `UPDATE seller_work SET state = ?, number = ?, due_at = ?, ended_at = ?, failures = ?, failure = ?, notes = ?,
    stalls = 0, token = NULL, turn = NULL${keepsData ? '' : ", data = '{}'"} WHERE number = ? AND token = ? RETURNING number`;
  const dueAt = state === 'dead' ? null : now + inMs;
  const result = [failures, failure, keepsData ? notes : null];
  return yield* first(update, state, next ?? null, dueAt, now, ...result, entry.number ?? null, token);
}

/** Deletes the oldest dead entries beyond a number. Returns their keys. */
function* trim({ kind = null, owner = null }: Row, most: number): SqlRule<readonly string[]> {
  const beyond =
    "SELECT number FROM seller_work WHERE kind = ? AND owner = ? AND state = 'dead' ORDER BY number DESC LIMIT 100 OFFSET ?";
  const rows = yield* all(`DELETE FROM seller_work WHERE number IN (${beyond}) RETURNING key`, kind, owner, most);
  return rows.map(({ key }) => String(key));
}

/** Deletes some of the keys that were kept for long enough. */
export function* forget(context: SqlContext): SqlRule<void> {
  const { now, dialect } = context;
  const over = `SELECT number FROM seller_work WHERE ${hasEnded} AND due_at <= ? ORDER BY due_at LIMIT 1000 ${dialect.skipLocked}`;
  yield* all(`DELETE FROM seller_work WHERE number IN (${over})`, now);
  yield* forgetFacts(context);
}
