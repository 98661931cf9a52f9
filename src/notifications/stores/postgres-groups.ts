import { stallsUntilSuspect } from '../handling/failure-policy.js';
import { routeOf, routes as allRoutes } from '../queued-notification.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { PostgresRow, RunStatement } from './postgres-database.js';
import { nowMs } from './postgres-schema.js';
import { entryOf, lastFailureOf } from './sqlite-entries.js';
import { writesOf } from '../../work/sqlite-rows.js';
import type { Claim, Lease } from './store.js';

/**
 * The turn of a group that becomes due. Users take turns: a user with many groups does not delay the groups of others, and the
 * first group of a user comes with those that are next.
 */
const turnOf = (user: string, route: string): string => `1 + greatest(
  coalesce((SELECT max(turn) FROM seller_inbox_group WHERE user_id = ${user} AND turn IS NOT NULL), 0),
  coalesce((SELECT min(turn) FROM seller_inbox_group WHERE route = ${route} AND turn IS NOT NULL), 1) - 1)`;

/** Locks the group of an entry until the end of the transaction, and inserts it if it is new. */
export async function lockGroup(run: RunStatement, { groupId, notification }: QueuedNotification): Promise<void> {
  const insert = `INSERT INTO seller_inbox_group (group_id, route, user_id, turn)
    VALUES ($1, $2, $3, ${turnOf('$3', '$2')}) ON CONFLICT (group_id) DO UPDATE SET group_id = excluded.group_id`;
  await run(insert, groupId, routeOf(notification), notification.user_id);
}

/** Deletes a group that has no entry. */
export async function deleteEmptyGroup(run: RunStatement, groupId: string): Promise<void> {
  const isEmpty = 'NOT EXISTS (SELECT 1 FROM seller_inbox_waiting WHERE group_id = $1)';
  await run(`DELETE FROM seller_inbox_group WHERE group_id = $1 AND ${isEmpty}`, groupId);
}

/** Gives a turn to the groups whose lease or delay has ended. */
export async function makeDue(run: RunStatement, { routes = allRoutes }: Claim): Promise<void> {
  const due = `WITH ended AS (SELECT group_id, user_id, route FROM seller_inbox_group
      WHERE route = ANY($1) AND turn IS NULL AND ready_at <= ${nowMs} LIMIT 1000 FOR UPDATE SKIP LOCKED),
    turns AS (SELECT group_id, row_number() OVER (PARTITION BY user_id) - 1 + ${turnOf('ended.user_id', 'ended.route')} AS turn
      FROM ended)
    UPDATE seller_inbox_group AS due SET turn = turns.turn FROM turns WHERE due.group_id = turns.group_id`;
  await run(due, routes);
}

/** Locks the groups that a claim leases. Those that another transaction has locked are left to it. */
export async function dueGroups(
  run: RunStatement,
  { groupId, limit, routes = allRoutes }: Claim,
): Promise<PostgresRow[]> {
  const select = 'SELECT group_id, turn, number, token, leased_key, alone FROM seller_inbox_group WHERE';
  const lock = 'FOR UPDATE SKIP LOCKED';
  if (groupId !== undefined) {
    const isFree = `(token IS NULL OR turn IS NOT NULL OR ready_at <= ${nowMs})`;
    return run(`${select} group_id = $1 AND ${isFree} ${lock}`, groupId);
  }
  const due = `${select} route = of.route AND turn IS NOT NULL ORDER BY turn, number LIMIT $2 ${lock}`;
  return run(
    `SELECT next.* FROM unnest($1::text[]) AS of (route), LATERAL (${due}) AS next ORDER BY turn, number LIMIT $2`,
    routes,
    Math.min(limit, 100_000),
  );
}

/** When the next group of these routes is due, in milliseconds; `undefined` when none waits. */
export async function nextInMs(run: RunStatement, { routes = allRoutes }: Claim): Promise<number | undefined> {
  const next = `SELECT min(CASE WHEN turn IS NULL THEN greatest(0, ready_at - ${nowMs}) ELSE 0 END) AS ready_at
    FROM unnest($1::text[]) AS of (route), LATERAL (
      (SELECT turn, ready_at FROM seller_inbox_group WHERE route = of.route AND turn IS NOT NULL LIMIT 1) UNION ALL
      (SELECT turn, ready_at FROM seller_inbox_group WHERE route = of.route AND turn IS NULL ORDER BY ready_at LIMIT 1)
    ) AS next`;
  return (await run(next, routes))[0]?.ready_at ?? undefined;
}

/** Leases groups. A lease that one still has has expired, which counts as a stall. */
export async function leaseGroups(
  run: RunStatement,
  groups: readonly PostgresRow[],
  claim: Claim,
  problems: string[],
): Promise<Lease[]> {
  const ids = groups.map((group) => group.group_id);
  await countStalls(run, groups);
  const token = `${claim.workerId}:${crypto.randomUUID()}`;
  const found = await nextEntries(run, ids, claim.coalesce);
  const rows = found.filter((row) => entryOf(row));
  if (rows.length < found.length) await setAside(run, found.filter((row) => !entryOf(row)), problems); // prettier-ignore
  const lease = `UPDATE seller_inbox_group AS leased SET token = $1, leased_key = next.key, alone = $2, turn = NULL,
    ready_at = ${nowMs} + $3 FROM unnest($4::text[], $5::text[]) AS next (group_id, key)
    WHERE leased.group_id = next.group_id`;
  const [leasedIds, keys] = [rows.map((row) => row.group_id), rows.map(({ key }) => key)];
  if (rows.length > 0) await run(lease, token, claim.alone === true, claim.leaseMs, leasedIds, keys);
  if (rows.length < ids.length)
    for (const groupId of ids.filter((id) => !leasedIds.includes(id))) await deleteEmptyGroup(run, groupId);
  const others = claim.coalesce ? await otherKeys(run, leasedIds, keys) : [];
  return rows.flatMap((row) => leaseOf(row, token, others));
}

async function countStalls(run: RunStatement, groups: readonly PostgresRow[]): Promise<void> {
  const expired = groups.filter(({ token }) => token !== null);
  const count = `UPDATE seller_inbox_waiting AS waiting SET stalls = stalls + 1
    FROM unnest($1::text[], $2::boolean[]) AS expired (key, alone)
    WHERE waiting.key = expired.key AND (stalls < ${stallsUntilSuspect} OR expired.alone)`;
  if (expired.length > 0)
    await run(
      count,
      expired.map((group) => group.leased_key),
      expired.map(({ alone }) => alone),
    );
}

function nextEntries(run: RunStatement, ids: readonly string[], coalesce: boolean): Promise<PostgresRow[]> {
  const order = coalesce ? 'sent_at DESC, number DESC' : 'sent_at, number';
  const next = `SELECT next.* FROM unnest($1::text[]) WITH ORDINALITY AS of (id, place), LATERAL (
    SELECT group_id, key, entry, failures, stalls, last_failure, writes FROM seller_inbox_waiting
    WHERE group_id = of.id ORDER BY ${order} LIMIT 1) AS next ORDER BY of.place`;
  return run(next, ids);
}

/** A row that cannot be read is set aside, so that it does not stop its group. */
async function setAside(run: RunStatement, rows: readonly PostgresRow[], problems: string[]): Promise<void> {
  const move = `WITH damaged AS (DELETE FROM seller_inbox_waiting WHERE key = ANY($1) RETURNING key, group_id, entry)
    INSERT INTO seller_inbox_damaged (key, group_id, entry) SELECT key, group_id, entry FROM damaged`;
  const keys = rows.map(({ key }) => key);
  await run(move, keys);
  problems.push(...keys.map((key) => `The notification ${key} is damaged; it is in the table seller_inbox_damaged`));
}

function otherKeys(run: RunStatement, ids: readonly string[], keys: readonly string[]): Promise<PostgresRow[]> {
  const others = `SELECT group_id, key FROM seller_inbox_waiting
    WHERE group_id = ANY($1) AND key <> ALL($2) ORDER BY sent_at, number`;
  return run(others, ids, keys);
}

function leaseOf(row: PostgresRow, token: string, others: readonly PostgresRow[]): Lease[] {
  const { group_id: groupId, failures, stalls: stalledCount } = row;
  const entry = entryOf(row);
  if (!entry) return [];
  const coalescedKeys = others.filter((other) => other.group_id === groupId).map(({ key }) => key);
  const [lastFailure, writes] = [lastFailureOf(row), writesOf(row)];
  const kept = { ...(lastFailure && { lastFailure }), ...(writes && { writes }) };
  return [{ groupId, token, entry, attempt: failures + stalledCount + 1, stalledCount, coalescedKeys, ...kept }];
}

/** Ends the lease of a locked group, and deletes the group if it is empty. */
export async function releaseGroup(run: RunStatement, groupId: string, delayMs: number): Promise<void> {
  const turn = delayMs > 0 ? 'NULL' : turnOf('released.user_id', 'released.route');
  const release = `UPDATE seller_inbox_group AS released SET token = NULL, leased_key = NULL, turn = ${turn},
    ready_at = ${nowMs} + $2
    WHERE group_id = $1 AND EXISTS (SELECT 1 FROM seller_inbox_waiting WHERE group_id = $1) RETURNING 1`;
  const released = await run(release, groupId, delayMs);
  if (released.length === 0) await deleteEmptyGroup(run, groupId);
}
