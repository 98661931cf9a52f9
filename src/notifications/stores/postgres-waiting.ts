import { fullPage } from './postgres-database.js';
import type { PostgresRow, RunStatement } from './postgres-database.js';
import { nowMs } from './postgres-schema.js';
import { entryOf, lastFailureOf } from './sqlite-entries.js';
import type { WaitingEntry } from './store.js';

/** What waits in PostgreSQL after one, in the order of arrival. A row that cannot be read is left out. */
export async function waitingOf(run: RunStatement, limit: number, after: number): Promise<WaitingEntry[]> {
  const page = `SELECT waiting.number::float8, waiting.key, waiting.entry, writes, failures + stalls AS attempts, last_failure,
      arrived_at, CASE WHEN leased_key = waiting.key THEN NULL WHEN turn IS NOT NULL THEN 0
        ELSE greatest(0, ready_at - ${nowMs}) END AS ready_at
    FROM seller_inbox_waiting AS waiting JOIN seller_inbox_group USING (group_id)
    WHERE waiting.number > $1 ORDER BY waiting.number LIMIT $2`;
  return fullPage(run, page, { limit, after, of: waitingEntryOf });
}

function waitingEntryOf(row: PostgresRow): WaitingEntry[] {
  const entry = entryOf(row);
  if (!entry) return [];
  const failure = lastFailureOf(row)?.failure;
  const { attempts, ready_at: nextInMs, arrived_at: addedAt, number } = row;
  const known = { ...(failure !== undefined && { failure }), ...(nextInMs !== null && { nextInMs }) };
  return [{ entry, attempts, ...known, addedAt, number }];
}

/** Makes the group of an entry due, unless it is leased. */
export async function makeDueNow(run: RunStatement, key: string): Promise<boolean> {
  const group = await groupOf(run, key);
  if (group?.token !== null) return false;
  await run('UPDATE seller_inbox_group SET ready_at = 0 WHERE group_id = $1 AND turn IS NULL', group.group_id);
  return true;
}

/** Deletes an entry, unless its handler runs. */
export async function removeWaiting(run: RunStatement, key: string): Promise<boolean> {
  const group = await groupOf(run, key);
  if (!group || group.leased_key === key) return false;
  const deleted = await run('DELETE FROM seller_inbox_waiting WHERE key = $1 RETURNING key', key);
  const empty = `DELETE FROM seller_inbox_group
    WHERE group_id = $1 AND NOT EXISTS (SELECT 1 FROM seller_inbox_waiting WHERE group_id = $1)`;
  await run(empty, group.group_id);
  return deleted.length > 0;
}

/** The group of an entry, locked until the end of the transaction. */
async function groupOf(run: RunStatement, key: string): Promise<PostgresRow | undefined> {
  const lock = `SELECT group_id, turn, token, leased_key FROM seller_inbox_group
    WHERE group_id = (SELECT group_id FROM seller_inbox_waiting WHERE key = $1) FOR UPDATE`;
  return (await run(lock, key))[0];
}
