import { routes as allRoutes } from '../queued-notification.js';
import { writesOf } from '../../work/sqlite-rows.js';
import type { PostgresDatabase, PostgresRow } from './postgres-database.js';
import { nowMs } from './postgres-schema.js';
import { entryOf, lastFailureOf } from './sqlite-entries.js';
import type { Claim, Claimed, Lease } from './store.js';

/** Leases what is due. */
export async function claimed(db: PostgresDatabase, claim: Claim, problems: readonly string[]): Promise<Claimed> {
  const { workerId, routes = allRoutes, limit, groupId = null, leaseMs, alone = false, coalesce } = claim;
  // It begins with the worker, so that a stored lease shows who has it.
  const token = `${workerId}:${crypto.randomUUID()}`;
  const lease = 'SELECT * FROM seller_inbox_claim($1, $2, $3, $4, $5, $6, $7)';
  const rows = await db.run(lease, token, routes, Math.min(limit, 2 ** 31 - 1), groupId, leaseMs, alone, coalesce);
  const leases = rows.flatMap((row) => leaseOf(row, token));
  const found = [...problems];
  for (const row of rows) if (!entryOf(row)) found.push(await setAside(db, row, token));
  const nextInMs = await nextIn(db, routes);
  return { leases, ...(nextInMs !== undefined && { nextInMs }), ...(found.length > 0 && { problems: found }) };
}

function leaseOf(row: PostgresRow, token: string): Lease[] {
  const { group_id: groupId, failures, stalls: stalledCount, others: coalescedKeys } = row;
  const entry = entryOf(row);
  if (!entry) return [];
  const [lastFailure, writes] = [lastFailureOf(row), writesOf(row)];
  const kept = { ...(lastFailure && { lastFailure }), ...(writes && { writes }) };
  return [{ groupId, token, entry, attempt: failures + stalledCount + 1, stalledCount, coalescedKeys, ...kept }];
}

/** A row that cannot be read is set aside, so that it does not stop its group. Returns what the log says of it. */
async function setAside(db: PostgresDatabase, { key, group_id }: PostgresRow, token: string): Promise<string> {
  const move = `WITH damaged AS (DELETE FROM seller_inbox_waiting WHERE key = $1 RETURNING key, group_id, entry)
    INSERT INTO seller_inbox_damaged (key, group_id, entry) SELECT key, group_id, entry FROM damaged`;
  await db.write(async (run) => {
    await run(move, key);
    await run(
      "SELECT seller_inbox_settle($1, $2, '{}', NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL)",
      group_id,
      token,
    );
  });
  return `The notification ${key} is damaged; it is in the table seller_inbox_damaged`;
}

/** When the next group of these routes is due, in milliseconds; `undefined` when none waits. */
async function nextIn(db: PostgresDatabase, routes: readonly string[]): Promise<number | undefined> {
  const next = `SELECT min(CASE WHEN turn IS NULL THEN greatest(0, ready_at - ${nowMs}) ELSE 0 END) AS ready_at
    FROM unnest($1::text[]) AS of (route), LATERAL (
      (SELECT turn, ready_at FROM seller_inbox_group WHERE route = of.route AND turn IS NOT NULL LIMIT 1) UNION ALL
      (SELECT turn, ready_at FROM seller_inbox_group WHERE route = of.route AND turn IS NULL ORDER BY ready_at LIMIT 1)
    ) AS next`;
  return (await db.run(next, routes))[0]?.ready_at ?? undefined;
}
