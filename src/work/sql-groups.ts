import { all, first } from './sql-rule.js';
import type { SqlRule, SqlValue } from './sql-rule.js';
import { isHead } from './sql-schema.js';
import type { Dialect } from './sql-schema.js';
import { suspectStalls } from './store.js';

/** What a rule needs beside its input. */
export interface SqlContext {
  readonly dialect: Dialect;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly now: number;
}

/** The next turn of an owner: owners take turns, so much work of one does not delay that of others. Takes kind, owner and kind. */
export function turnOf({ greatest }: Dialect, kind = '?', owner = '?'): string {
  const due = (where: string, order: string): string =>
    `(SELECT t.turn FROM seller_work AS t WHERE t.kind = ${kind} AND t.turn IS NOT NULL AND ${where} ORDER BY t.turn${order} LIMIT 1)`;
  const last = due(`t.owner = ${owner}`, ' DESC');
  const served = due(`t.stalls < ${suspectStalls}`, '');
  return `1 + ${greatest}(coalesce(${last}, 0), coalesce(${served}, 1) - 1)`;
}

/** Counts a stall of a lease that has ended, and sets the turn. */
export function becomesDue(dialect: Dialect): string {
  return `turn = ${turnOf(dialect, 'w.kind', 'w.owner')}, stalls = stalls + CASE WHEN token IS NULL THEN 0 ELSE 1 END`;
}

/** Whether the lease of an entry is not over. Takes the time. */
export const isRunning = 'token IS NOT NULL AND turn IS NULL AND due_at > ?';

/** Whether nothing of a head was carried out: it makes way for what was sent earlier. */
const hasNotBegun = 'token IS NULL AND failures = 0 AND notes IS NULL';

/** Makes the first entry of a group without a head its head, due at once or after a delay. */
export function* promote(
  { dialect, now }: SqlContext,
  group: SqlValue,
  { inMs = 0, turn = null }: { readonly inMs?: number; readonly turn?: SqlValue } = {},
): SqlRule<void> {
  const next = "SELECT number FROM seller_work WHERE group_id = ? AND state = 'open' ORDER BY sent_at, number LIMIT 1";
  const where = `WHERE number = (${next})`;
  if (inMs > 0) yield* all(`UPDATE seller_work SET due_at = ? ${where}`, now + inMs, group);
  else if (turn !== null) yield* all(`UPDATE seller_work SET due_at = ?, turn = ? ${where}`, now, turn, group);
  else
    yield* all(
      `UPDATE seller_work AS w SET due_at = ?, turn = ${turnOf(dialect, 'w.kind', 'w.owner')} ${where}`,
      now,
      group,
    );
}

/** Finds the place of an open entry that is no head. A head that has not begun makes way for one that was sent earlier. */
export function* enter(
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
