import { textOf } from './sql-columns.js';
import { all, first, places } from './sql-rule.js';
import type { Row, SqlRule } from './sql-rule.js';
import { isHead, hasEnded, hasOutcome } from './sql-schema.js';
import { becomesDue, enter, isRunning, promote, turnOf } from './sql-groups.js';
import type { SqlContext } from './sql-groups.js';
import type { Notes, EndedState, EntryState, Work } from './store.js';

/** Stores an entry unless its key is known, or its owner has `most` open ones of its kind. */
export function* add(context: SqlContext, work: Work, most?: number): SqlRule<'added' | 'known' | 'full'> {
  const { key, group, sentAt } = work;
  let added = yield* insert(context, work, most);
  if (!added && (yield* isKnown(context, key))) return 'known';
  // The key was in the way only if it has been kept for long enough.
  added ??= yield* insert(context, work, most);
  if (!added) return 'full';
  if (added.due_at === null) yield* enter(context, group, { number: added.number ?? null, sentAt });
  return 'added';
}

/** The same, and how many are open then, up to `most`. */
export function* addCounted(
  context: SqlContext,
  work: Work,
  most: number,
): SqlRule<{ readonly added: 'added' | 'known' | 'full'; readonly open: number }> {
  const added = yield* add(context, work, most);
  if (added === 'full') return { added, open: most };
  const open = "SELECT 1 FROM seller_work WHERE kind = ? AND owner = ? AND state = 'open' LIMIT ?";
  const row = yield* first(`SELECT count(*) AS open FROM (${open}) AS o`, work.kind, work.owner, Math.max(0, most));
  return { added, open: Number(row?.open) };
}

/** Whether the key of an entry is known. One that was kept for long enough is forgotten. */
function* isKnown({ now }: SqlContext, key: string): SqlRule<boolean> {
  yield* all(`DELETE FROM seller_work WHERE key = ? AND ${hasEnded} AND due_at <= ?`, key, now);
  return (yield* first('SELECT 1 FROM seller_work WHERE key = ?', key)) !== undefined;
}

function insert({ dialect, now }: SqlContext, work: Work, most?: number): SqlRule<Row | undefined> {
  const { key, kind, owner, group, sentAt, data } = work;
  const ifFirst = (value: string): string =>
    `CASE WHEN EXISTS (SELECT 1 FROM seller_work WHERE group_id = ? AND ${isHead}) THEN NULL ELSE ${value} END`;
  const isFull = "SELECT 1 FROM seller_work WHERE kind = ? AND owner = ? AND state = 'open' LIMIT 1 OFFSET ?";
  const isFree = most === undefined ? 'true' : most < 1 ? 'false' : `NOT EXISTS (${isFull})`;
  const sql = `INSERT INTO seller_work
    (key, kind, owner, group_id, sent_at, added_at, data, state, due_at, turn)
    SELECT ?, ?, ?, ?, CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION), ?, 'open',
      ${ifFirst('CAST(? AS DOUBLE PRECISION)')}, ${ifFirst(turnOf(dialect))}
    WHERE ${isFree} ON CONFLICT (key) DO NOTHING RETURNING number, due_at`;
  const entry = [key, kind, owner, group, sentAt, now, JSON.stringify(data)];
  const free = most === undefined || most < 1 ? [] : [kind, owner, most - 1];
  return first(sql, ...entry, group, now, group, kind, owner, kind, ...free);
}

/** Makes the group of a waiting entry due, or opens a dead entry again. */
export function* again(context: SqlContext, key: string, state: 'open' | 'dead', notes?: Notes): SqlRule<boolean> {
  const find = 'SELECT number, sent_at, group_id FROM seller_work WHERE key = ? AND state = ?';
  const found = yield* first(find, key, state);
  if (!found) return false;
  const { number = null, group_id: group = null, sent_at: sentAt = null } = found;
  if (state === 'open' && !(yield* hurry(context, group))) return false;
  if (notes) yield* all('UPDATE seller_work SET notes = ? WHERE number = ?', textOf(notes), number);
  if (state === 'open') return true;
  const reopen = `UPDATE seller_work SET state = 'open', failures = 0, stalls = 0, failure = NULL
    WHERE number = ? AND state = 'dead' RETURNING number`;
  if (!(yield* first(reopen, number))) return false;
  yield* enter(context, group, { number, sentAt });
  return true;
}

/** Makes the head of a group due, unless it runs. */
function* hurry({ dialect, now }: SqlContext, group: string | number | null): SqlRule<boolean> {
  const isDue = `SELECT 1 FROM seller_work WHERE group_id = ? AND ${isHead} AND turn IS NOT NULL`;
  if (yield* first(isDue, group)) return true;
  const update = `UPDATE seller_work AS w SET ${becomesDue(dialect)}
    WHERE group_id = ? AND ${isHead} AND turn IS NULL AND NOT (${isRunning}) RETURNING number`;
  return (yield* first(update, group, now)) !== undefined;
}

/** Deletes an entry that has one of these states. */
export function* remove(
  context: SqlContext,
  key: string,
  states: readonly Exclude<EntryState, 'running'>[],
): SqlRule<boolean> {
  const stored = states.map((state) => (state === 'waiting' ? 'open' : state));
  const { now } = context;
  const isGone = `state = 'open' AND ${isRunning} OR ${hasEnded} AND due_at <= ?`;
  const sql = `DELETE FROM seller_work WHERE key = ? AND state IN (${places(stored)}) AND NOT (${isGone})
    RETURNING state, due_at, group_id`;
  const removed = yield* first(sql, key, ...stored, now, now);
  if (removed?.state === 'open' && removed.due_at !== null) yield* promote(context, removed.group_id ?? null);
  return removed !== undefined;
}

/** How many entries are reduced at a time. */
const reducedAtATime = 100;

/** Finds an ended entry that has its data. */
export function findEnded({ now }: SqlContext, key: string, states: readonly EndedState[]): SqlRule<readonly Row[]> {
  const sql = `SELECT number, state, data FROM seller_work WHERE key = ? AND state IN (${places(states)}) AND NOT (${hasEnded} AND due_at <= ?)`;
  return all(sql, key, ...states, now);
}

/** Finds some of those that were accepted or rejected this long ago. */
export function findOld({ now }: SqlContext, kinds: readonly string[], olderMs: number): SqlRule<readonly Row[]> {
  const sql = `SELECT number, state, data FROM seller_work WHERE kind IN (${places(kinds)}) AND ${hasOutcome} AND ended_at <= ?
    ORDER BY ended_at LIMIT ${reducedAtATime}`;
  return all(sql, ...kinds, now - olderMs);
}

/** The latest time that there is, in milliseconds since 1970. What earlier versions kept without end is kept until later. */
const latestTime = 8_640_000_000_000_000;

/** Replaces the data of an ended entry by what stays of it. */
export function* reduce({ now }: SqlContext, row: Row, data: string, keyMs: number): SqlRule<boolean> {
  const { number = null, state = null } = row;
  const sql = `UPDATE seller_work SET state = 'done', data = ?, notes = NULL, failure = NULL,
    due_at = CASE WHEN due_at <= ${latestTime} THEN due_at ELSE ? END WHERE number = ? AND state = ? RETURNING number`;
  return (yield* first(sql, data, now + keyMs, number, state)) !== undefined;
}
