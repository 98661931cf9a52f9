import { notesIn, objectIn } from './sql-columns.js';
import { isReduced } from './reduced.js';
import { isRunning } from './sql-groups.js';
import type { SqlContext } from './sql-groups.js';
import { all, first, places } from './sql-rule.js';
import type { Row, SqlRule } from './sql-rule.js';
import { hasEnded } from './sql-schema.js';
import type { Counts, Query, EntryState, Status } from './store.js';

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

/** Lists entries. A page is full although some rows are damaged, of which nothing is made: a shorter one is the last. */
export function* list({ now }: SqlContext, { kinds, states, limit, after }: Query): SqlRule<readonly Status[]> {
  const stored = [...new Set(states.map((state) => (state === 'waiting' || state === 'running' ? 'open' : state)))];
  const [waiting, running] = [states.includes('waiting'), states.includes('running')];
  const filter = waiting === running ? '' : `AND (state <> 'open' OR ${waiting ? 'NOT ' : ''}(${isRunning}))`;
  const sql = `SELECT ${columns} FROM seller_work AS w
    WHERE state IN (${places(stored)}) AND state <> 'done' AND kind IN (${places(kinds)}) AND number > ? AND ${isKept} ${filter}
    ORDER BY number LIMIT ?`;
  const page: Status[] = [];
  for (let from = after; page.length < limit;) {
    const times = filter === '' ? [now] : [now, now];
    const rows = yield* all(sql, now, ...stored, ...kinds, from, ...times, Math.min(limit - page.length, 1_000));
    page.push(...rows.flatMap((row) => statusOf(row, now) ?? []));
    const last = rows.at(-1);
    if (!last) break;
    from = Number(last.number);
  }
  return page;
}

/** Counts entries. */
export function* counts({ now }: SqlContext, kinds: readonly string[]): SqlRule<Counts> {
  const sql = `SELECT state, count(*) AS entries, sum(CASE WHEN ${isRunning} THEN 1 ELSE 0 END) AS running, min(added_at) AS oldest
    FROM seller_work WHERE kind IN (${places(kinds)}) AND state <> 'done' AND ${isKept} GROUP BY state`;
  const rows = yield* all(sql, now, ...kinds, now);
  const of = (state: string): number => Number(rows.find((row) => row.state === state)?.entries ?? 0);
  const open = rows.find(({ state }) => state === 'open');
  const running = Number(open?.running ?? 0);
  return {
    waiting: of('open') - running,
    running,
    dead: of('dead'),
    accepted: of('accepted'),
    rejected: of('rejected'),
    unreadable: of('damaged'),
    ...(open && { oldestAgeMs: Math.max(0, now - Number(open.oldest)) }),
  };
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
    ...(row.ended_at !== null && { endedAt: Number(row.ended_at) }),
    ...(state === 'waiting' && { nextInMs: Math.max(0, Number(row.next_at ?? 0) - now) }),
    number: Number(row.number),
  };
}
