import { notesIn, objectIn } from './sql-columns.js';
import { isReduced } from './reduced.js';
import { isRunning } from './sql-groups.js';
import type { SqlContext } from './sql-groups.js';
import { all, first } from './sql-rule.js';
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
    `SELECT * FROM (SELECT number FROM seller_work WHERE kind = ? AND ${where} AND number > ? ORDER BY number LIMIT ?) AS p`;
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
        "SELECT state, count(*) AS entries FROM seller_work WHERE kind = ? AND state <> 'done' GROUP BY state",
        kind,
      ),
      1,
    );
    const over = `SELECT state, count(*) AS entries FROM seller_work WHERE ${hasEnded} AND due_at <= ? AND kind = ? GROUP BY state`;
    add(yield* all(over, now, kind), -1);
    const running = `SELECT 'running' AS state, count(*) AS entries FROM seller_work WHERE kind = ? AND state = 'open' AND ${isRunning}`;
    add(yield* all(running, kind, now), 1);
    // Entries have numbers in the order in which they were added, but for dead letters that were opened again.
    const first = "SELECT added_at FROM seller_work WHERE kind = ? AND state = 'open' ORDER BY number LIMIT 1";
    const reopened =
      "SELECT added_at FROM seller_work WHERE kind = ? AND state = 'open' AND ended_at IS NOT NULL ORDER BY added_at LIMIT 1";
    const rows = [...(yield* all(first, kind)), ...(yield* all(reopened, kind))];
    oldest = Math.min(oldest, ...rows.map((row) => Number(row.added_at)));
  }
  const { open = 0, running = 0, dead = 0, accepted = 0, rejected = 0, damaged = 0 } = sum;
  const counted = { waiting: open - running, running, dead, accepted, rejected, unreadable: damaged };
  return { ...counted, ...(oldest < Infinity && { oldestAgeMs: Math.max(0, now - oldest) }) };
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
