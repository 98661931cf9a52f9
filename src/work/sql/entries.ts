import { isReduced, suspectStalls, waitsSince } from '../store.js';
import type { Counts, EndedState, EntryState, Notes, Query, Status, Work } from '../store.js';

/** What a column holds. */
export type SqlValue = string | number | null;

/** A row; each query has only the columns that it names. PostgreSQL returns large integers as texts. */
export type Row = Readonly<Record<string, SqlValue>>;

/** A statement, with a `?` for each value. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** What a store does in one transaction: it yields statements, and gets their rows. */
export type SqlRule<R> = Generator<Statement, R, readonly Row[]>;

/** Runs a statement, and returns its rows. */
export function* all(sql: string, ...values: readonly SqlValue[]): SqlRule<readonly Row[]> {
  return yield { sql, values };
}

/** Runs a statement, and returns its first row. */
export function* first(sql: string, ...values: readonly SqlValue[]): SqlRule<Row | undefined> {
  return (yield* all(sql, ...values))[0];
}

/** As many `?` as there are values, for a list in which something is looked up; nothing is found in an empty one. */
export function places(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ') || 'NULL';
}

/** Where the SQL of databases differs. */
export interface Dialect {
  /** The type of the column that numbers the entries. */
  readonly numberType: string;
  /** The function that returns the greatest of its arguments. */
  readonly greatest: string;
  /** Ends a query of rows that this transaction changes, and that others may be changing. */
  readonly skipLocked: string;
  /** Returns a new `number`. */
  readonly nextNumber: string;
}

/** What an ended entry has, as long as it is listed: one that is reduced to its key is `done`. */
export const hasOutcome = "state IN ('accepted', 'rejected')";

/** Whether an entry has ended, with a key that is kept for a time. */
export const hasEnded = "state IN ('done', 'accepted', 'rejected')";

/**
 * Whether an entry that is found by something else has a state. The state is no constant, so PostgreSQL cannot prove the condition of
 * another index, and read all that is open: it made its plan when that was nothing.
 */
export function has(state: 'open' | 'dead'): string {
  return `state = (SELECT '${state}')`;
}

/**
 * What lists and counts show. Each of them says so, although a state may say as much: this is the condition of their index. That of an
 * open entry alone must not prove it: PostgreSQL would find a head by reading all that is open.
 */
export const isShown = "state <> 'done' AND number > 0";

/** Whether an entry is the head of its group, which is leased next, or is leased. */
export const isHead = "state = 'open' AND due_at IS NOT NULL";

/**
 * The tables of version 1, which every later version has. What version 3 has in the place of an index is not among them.
 *
 * One table holds all entries. An open one with `due_at` is the head of its group, and the unique index makes a second one
 * impossible. A head with a `turn` is due; without, it is leased or delayed until `due_at`.
 *
 * Of an empty table, PostgreSQL takes any index whose condition fits. So none but those of a group begins with what every open entry has.
 *
 * Each index that an entry is in costs a page of its own where many wait: heads, most of what waits, are not in that of a group.
 */
export function tablesOf({ numberType }: Dialect): readonly string[] {
  return [
    `CREATE TABLE seller_work (
      number ${numberType}, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, owner TEXT NOT NULL, group_id TEXT NOT NULL,
      sent_at DOUBLE PRECISION NOT NULL, added_at DOUBLE PRECISION NOT NULL, data TEXT NOT NULL, state TEXT NOT NULL,
      turn DOUBLE PRECISION, due_at DOUBLE PRECISION, token TEXT,
      failures INTEGER NOT NULL DEFAULT 0, stalls INTEGER NOT NULL DEFAULT 0, failure TEXT, notes TEXT,
      ended_at DOUBLE PRECISION)`,
    `CREATE UNIQUE INDEX seller_work_head ON seller_work (group_id) WHERE ${isHead}`,
    "CREATE INDEX seller_work_group ON seller_work (group_id, sent_at, number) WHERE state = 'open' AND due_at IS NULL",
    'CREATE INDEX seller_work_due ON seller_work (kind, turn, number) WHERE turn IS NOT NULL',
    'CREATE INDEX seller_work_turn ON seller_work (kind, owner, turn) WHERE turn IS NOT NULL',
    `CREATE INDEX seller_work_later ON seller_work (kind, due_at) WHERE ${isHead} AND turn IS NULL`,
    'CREATE INDEX seller_work_owner ON seller_work (kind, owner, state, number)',
    `CREATE INDEX seller_work_ended ON seller_work (due_at) WHERE ${hasEnded}`,
    'CREATE TABLE seller_work_ledger (key TEXT PRIMARY KEY, value TEXT NOT NULL, until DOUBLE PRECISION NOT NULL)',
    'CREATE INDEX seller_work_ledger_until ON seller_work_ledger (until)',
  ];
}

/** Notes as a column has them: none are null. */
export function textOf(notes: Notes): string | null {
  return Object.keys(notes).length > 0 ? JSON.stringify(notes) : null;
}

/** The notes that a column has; nothing, if they are damaged. */
export function notesIn(text: SqlValue | undefined): Notes | undefined {
  return text === null ? {} : (objectIn(text) as Notes | undefined);
}

/** The object that a column has as JSON; nothing, if it is damaged. */
export function objectIn(text: SqlValue | undefined): object | undefined {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a rule needs beside its input. */
export interface SqlContext {
  readonly dialect: Dialect;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly now: number;
}

/**
 * The next turn of the owner of a row: owners take turns, so much work of one does not delay that of others. Without a row, takes kind,
 * owner, kind, owner and kind.
 */
export function turnOf({ greatest }: Dialect, row?: 'w'): string {
  // As it is in a column, SQLite would not look it up in an index together with the kind.
  const [kind, owner] = row === undefined ? ['?', '?'] : [`${row}.kind`, `${row}.owner || ''`];
  // The last one up to this owner, which may be of another: only one index has this order, whatever a database expects of an owner.
  const last = `(SELECT CASE WHEN t.kind = ${kind} AND t.owner = ${owner} THEN t.turn END FROM seller_work AS t
    WHERE t.turn IS NOT NULL AND (t.kind, t.owner) <= (${kind}, ${owner}) ORDER BY t.kind DESC, t.owner DESC, t.turn DESC LIMIT 1)`;
  const served = `(SELECT t.turn FROM seller_work AS t WHERE t.kind = ${kind} AND t.turn IS NOT NULL AND t.stalls < ${suspectStalls}
    ORDER BY t.turn LIMIT 1)`;
  return `1 + ${greatest}(coalesce(${last}, 0), coalesce(${served}, 1) - 1)`;
}

/** Counts a stall of a lease that has ended, and sets the turn. */
export function becomesDue(dialect: Dialect): string {
  return `turn = ${turnOf(dialect, 'w')}, stalls = stalls + CASE WHEN token IS NULL THEN 0 ELSE 1 END`;
}

/** Whether the lease of an entry is not over. Takes the time. */
const isRunning = 'token IS NOT NULL AND turn IS NULL AND due_at > ?';

/** Whether nothing of a head was carried out: it makes way for what was sent earlier. */
const hasNotBegun = 'token IS NULL AND failures = 0 AND notes IS NULL';

/** Makes the first entry of a group without a head its head, due at once or after a delay. */
export function* promote(
  { dialect, now }: SqlContext,
  group: SqlValue,
  { inMs = 0, turn = null }: { readonly inMs?: number; readonly turn?: SqlValue } = {},
): SqlRule<void> {
  const next =
    "SELECT number FROM seller_work WHERE group_id = ? AND state = 'open' AND due_at IS NULL ORDER BY sent_at, number LIMIT 1";
  const where = `WHERE number = (${next})`;
  if (inMs > 0) yield* all(`UPDATE seller_work SET due_at = ? ${where}`, now + inMs, group);
  else if (turn !== null) yield* all(`UPDATE seller_work SET due_at = ?, turn = ? ${where}`, now, turn, group);
  else yield* all(`UPDATE seller_work AS w SET due_at = ?, turn = ${turnOf(dialect, 'w')} ${where}`, now, group);
}

/** Finds the place of an open entry that is no head. A head that has not begun makes way for one that was sent earlier. */
function* enter(
  context: SqlContext,
  group: SqlValue,
  { number, sentAt }: { readonly number: SqlValue; readonly sentAt: SqlValue },
): SqlRule<void> {
  const find = `SELECT number, turn, sent_at FROM seller_work WHERE group_id = ? AND ${isHead}`;
  const head = yield* first(find, group);
  if (!head) return yield* promote(context, group);
  const [own, other] = [Number(sentAt), Number(head.sent_at)];
  if (own > other || (own === other && Number(number) > Number(head.number))) return;
  // Another process may have leased it meanwhile.
  const stepDown = `UPDATE seller_work SET due_at = NULL, turn = NULL WHERE number = ? AND ${hasNotBegun} RETURNING number`;
  if (yield* first(stepDown, head.number ?? null)) yield* promote(context, group, { turn: head.turn ?? null });
}

/** Stores an entry unless its key is known. */
export function* add(context: SqlContext, work: Work): SqlRule<'added' | 'known'> {
  const { key, group, sentAt } = work;
  let added = yield* insert(context, work);
  if (!added && (yield* isKnown(context, key))) return 'known';
  // The key was in the way only if it has been kept for long enough.
  added ??= yield* insert(context, work);
  if (!added) return 'known';
  if (added.due_at === null) yield* enter(context, group, { number: added.number ?? null, sentAt });
  return 'added';
}

/** The same unless its owner has `most` open ones of its kind; and how many are open then, up to `most`. */
export function* addCounted(
  context: SqlContext,
  work: Work,
  most: number,
): SqlRule<{ readonly added: 'added' | 'known' | 'full'; readonly open: number }> {
  const some = `SELECT 1 FROM seller_work WHERE kind = ? AND owner = ? AND ${has('open')} LIMIT ?`;
  const row = yield* first(`SELECT count(*) AS open FROM (${some}) AS o`, work.kind, work.owner, Math.max(0, most));
  const open = Number(row?.open);
  if (open >= most) return { added: (yield* isKnown(context, work.key)) ? 'known' : 'full', open };
  const added = yield* add(context, work);
  return { added, open: added === 'added' ? open + 1 : open };
}

/** Whether the key of an entry is known. One that was kept for long enough is forgotten. */
function* isKnown({ now }: SqlContext, key: string): SqlRule<boolean> {
  yield* all(`DELETE FROM seller_work WHERE key = ? AND ${hasEnded} AND due_at <= ?`, key, now);
  return (yield* first('SELECT 1 FROM seller_work WHERE key = ?', key)) !== undefined;
}

function insert({ dialect, now }: SqlContext, work: Work): SqlRule<Row | undefined> {
  const { key, kind, owner, group, sentAt, data, notBefore = now } = work;
  const isDue = notBefore <= now;
  const turn = isDue ? turnOf(dialect) : 'CAST(NULL AS DOUBLE PRECISION)';
  const ifFirst = (value: string): string =>
    `CASE WHEN EXISTS (SELECT 1 FROM seller_work WHERE group_id = ? AND ${isHead}) THEN NULL ELSE ${value} END`;
  const sql = `INSERT INTO seller_work
    (key, kind, owner, group_id, sent_at, added_at, data, state, due_at, turn)
    SELECT ?, ?, ?, ?, CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION), ?, 'open',
      ${ifFirst('CAST(? AS DOUBLE PRECISION)')}, ${ifFirst(turn)}
    WHERE true ON CONFLICT (key) DO NOTHING RETURNING number, due_at`;
  const entry = [key, kind, owner, group, sentAt, now, JSON.stringify(data)];
  const ofTurn = isDue ? [kind, owner, kind, owner, kind] : [];
  return first(sql, ...entry, group, Math.max(now, notBefore), group, ...ofTurn);
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
  const reopen = `UPDATE seller_work SET state = 'open', failures = 0, failure = NULL
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

const columns = `number, key, kind, owner, group_id, sent_at, data, state, failures, stalls, failure, notes, added_at, ended_at,
  CASE WHEN ${isRunning} THEN 1 ELSE 0 END AS running,
  CASE WHEN state = 'open' THEN (SELECT CASE WHEN h.turn IS NULL THEN h.due_at ELSE 0 END FROM seller_work AS h
    WHERE h.group_id = w.group_id AND h.state = 'open' AND h.due_at IS NOT NULL) END AS next_at`;

const isKept = `NOT (${hasEnded} AND due_at <= ?)`;

/** Finds an entry; nothing, if it cannot be read. */
export function* get({ now }: SqlContext, key: string): SqlRule<Status | undefined> {
  const row = yield* first(`SELECT ${columns} FROM seller_work AS w WHERE key = ? AND ${isKept}`, now, key, now);
  return row && statusOf(row, now);
}

/**
 * Lists entries. A page is full although some rows are damaged, of which nothing is made: a shorter one is the last. Those of one kind and
 * state have an index in the order of their numbers, so no more is read than a page of each.
 */
export function* list({ now }: SqlContext, { kinds, states, limit, after }: Query): SqlRule<readonly Status[]> {
  const parts = [...new Set(kinds)].flatMap((kind) =>
    [...new Set(states)].map((state) => ({ kind, where: conditions[state] })),
  );
  if (parts.length === 0) return [];
  const one = (where: string): string =>
    `SELECT * FROM (SELECT number FROM seller_work WHERE kind = ? AND ${where} AND ${isShown} AND number > ? ORDER BY number LIMIT ?) AS p`;
  const numbers = `SELECT number FROM (${parts.map(({ where }) => one(where)).join(' UNION ALL ')}) AS u ORDER BY number LIMIT ?`;
  const sql = `SELECT ${columns} FROM seller_work AS w WHERE number IN (${numbers}) ORDER BY number`;
  const page: Status[] = [];
  for (let from = after; page.length < limit;) {
    const most = Math.min(limit - page.length, 1_000);
    const values = parts.flatMap(({ kind, where }) => [kind, ...(where.includes('?') ? [now] : []), from, most]);
    const rows = yield* all(sql, now, ...values, most);
    page.push(...rows.flatMap((row) => statusOf(row, now) ?? []));
    const last = rows.at(-1);
    if (!last) break;
    from = Number(last.number);
  }
  return page;
}

/** Which entries have a state. Some take the time. What is `done` is not listed. */
const conditions: Readonly<Record<EntryState, string>> = {
  running: `state = 'open' AND ${isRunning}`,
  waiting: `state = 'open' AND NOT (${isRunning})`,
  dead: "state = 'dead'",
  accepted: "state = 'accepted' AND due_at > ?",
  rejected: "state = 'rejected' AND due_at > ?",
  done: 'state <> state',
};

/** Counts entries, in indexes alone. What was kept for long enough is about to be forgotten, and not much. */
export function* counts({ now }: SqlContext, kinds: readonly string[]): SqlRule<Counts> {
  const sum: Record<string, number> = {};
  const add = (rows: readonly Row[], sign: number): void => {
    for (const { state, entries } of rows) sum[String(state)] = (sum[String(state)] ?? 0) + sign * Number(entries);
  };
  let oldest = Infinity;
  for (const kind of new Set(kinds)) {
    add(
      yield* all(
        `SELECT state, count(*) AS entries FROM seller_work WHERE kind = ? AND ${isShown} GROUP BY state`,
        kind,
      ),
      1,
    );
    const over = `SELECT state, count(*) AS entries FROM seller_work WHERE ${hasEnded} AND due_at <= ? AND kind || '' = ? GROUP BY state`;
    add(yield* all(over, now, kind), -1);
    const running = `SELECT 'running' AS state, count(*) AS entries FROM seller_work WHERE kind = ? AND state = 'open' AND ${isRunning}`;
    add(yield* all(running, kind, now), 1);
    // Entries have numbers in the order in which they were added, but for dead letters that were opened again. Few begin later.
    const open = "SELECT added_at, sent_at FROM seller_work WHERE kind = ? AND state = 'open'";
    const rows = [
      ...(yield* all(`${open} AND ${isShown} AND (kind <> 'job' OR sent_at <= ?) ORDER BY number LIMIT 1`, kind, now)),
      ...(yield* all(`${open} AND ended_at IS NOT NULL ORDER BY added_at LIMIT 1`, kind)),
    ];
    const since = (row: Row): number => waitsSince({ kind, sentAt: Number(row.sent_at) }, Number(row.added_at));
    oldest = Math.min(oldest, ...rows.map(since));
  }
  const { open = 0, running = 0, dead = 0, accepted = 0, rejected = 0, damaged = 0 } = sum;
  const counted = { waiting: open - running, running, dead, accepted, rejected, unreadable: damaged };
  return { ...counted, ...(open > 0 && { oldestAgeMs: Math.max(0, now - oldest) }) };
}

function statusOf(row: Row, now: number): Status | undefined {
  const [data, notes] = [objectIn(row.data), notesIn(row.notes)];
  if (!data || !notes) return undefined;
  const ended = isReduced(data) ? data.was : (row.state as EntryState);
  const state = row.state === 'open' ? (Number(row.running) === 1 ? 'running' : 'waiting') : ended;
  return {
    key: String(row.key),
    kind: String(row.kind),
    group: String(row.group_id),
    owner: String(row.owner),
    sentAt: Number(row.sent_at),
    data,
    state,
    failures: Number(row.failures),
    stalls: Number(row.stalls),
    ...(row.failure !== null && { failure: String(row.failure) }),
    notes,
    addedAt: Number(row.added_at),
    // Of one that was opened again, the index of the oldest needs it.
    ...(row.ended_at !== null && row.state !== 'open' && { endedAt: Number(row.ended_at) }),
    ...(state === 'waiting' && { nextInMs: Math.max(0, Number(row.next_at ?? 0) - now) }),
    number: Number(row.number),
  };
}
