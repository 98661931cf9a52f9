import { stallsUntilSuspect } from '../handling/failure-policy.js';
import { knownKey, knownMs, roomOf } from './postgres-room-functions.js';
import { nowMs, plpgsql } from './postgres-schema.js';

/**
 * The turn of a group that becomes due. Users take turns: a user with many groups does not delay the groups of others, and the
 * first group of a user comes with those that are next.
 */
const turnOf = (user: string, route: string): string => `1 + greatest(
  coalesce((SELECT max(turn) FROM seller_inbox_group WHERE user_id = ${user} AND turn IS NOT NULL), 0),
  coalesce((SELECT min(turn) FROM seller_inbox_group WHERE route = ${route} AND turn IS NOT NULL), 1) - 1)`;

/**
 * What is called for each notification: one round trip and one transaction each. They belong to the version of the tables.
 *
 * The row of a group is its lock: what adds, leases or settles holds it.
 */
export const functions = [
  // Key, group, route, user, time sent, time added, topic, entry, whether it is confirmed, how long it is kept if it is not, and
  // how much its room may hold: entries and bytes, then the same for a room in which something was true.
  plpgsql(
    `seller_inbox_add(text, text, text, float8, float8, float8, text, text, boolean, float8, float8[]) RETURNS text`,
    `DECLARE known text; place bytea := ${roomOf('$4', '$7')}; BEGIN
      INSERT INTO seller_inbox_group (group_id, route, user_id, turn) VALUES ($2, $3, $4, ${turnOf('$4', '$3')})
        ON CONFLICT (group_id) DO UPDATE SET group_id = excluded.group_id;
      SELECT state INTO known FROM (
        SELECT 'waiting' AS state FROM seller_inbox_waiting WHERE key = $1
        UNION ALL SELECT 'processed' FROM seller_inbox_processed WHERE key = $1 AND until > ${nowMs}
        UNION ALL SELECT 'processed' FROM seller_inbox_dead WHERE key = $1) AS found LIMIT 1;
      IF known IS NULL THEN
        known := 'full';
        IF seller_inbox_enter(place, octet_length($8), $11[1], $11[2]) OR (seller_inbox_knows(place, 0)
          AND seller_inbox_enter(place, octet_length($8), $11[3], $11[4])) THEN
          INSERT INTO seller_inbox_waiting (key, group_id, sent_at, arrived_at, topic, room, confirmed, until, entry)
            VALUES ($1, $2, $5, $6, $7, place, nullif($9, false), ${nowMs} + $10, $8);
          RETURN 'added';
        END IF;
      END IF;
      DELETE FROM seller_inbox_group
        WHERE group_id = $2 AND NOT EXISTS (SELECT 1 FROM seller_inbox_waiting WHERE group_id = $2);
      RETURN known;
    END`,
  ),
  // Token, routes, limit, the only group or null, how long the lease lasts, whether it runs alone, whether to coalesce.
  plpgsql(
    `seller_inbox_claim(text, text[], integer, text, float8, boolean, boolean) RETURNS TABLE (group_id text, key text,
      entry text, failures integer, stalls integer, last_failure text, writes text, others text[])`,
    `DECLARE due record; chosen text; BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      WITH ended AS (SELECT group_id, user_id, route FROM seller_inbox_group
          WHERE route = ANY($2) AND turn IS NULL AND ready_at <= ${nowMs} LIMIT 1000 FOR UPDATE SKIP LOCKED),
        turns AS (SELECT group_id, row_number() OVER (PARTITION BY user_id) - 1 + ${turnOf('ended.user_id', 'ended.route')} AS turn
          FROM ended)
        UPDATE seller_inbox_group AS due SET turn = turns.turn FROM turns WHERE due.group_id = turns.group_id;
      FOR due IN
        SELECT next.* FROM unnest($2) AS of (route), LATERAL (
          SELECT group_id, turn, number, token, leased_key, alone FROM seller_inbox_group
          WHERE $4 IS NULL AND route = of.route AND turn IS NOT NULL ORDER BY turn, number LIMIT $3
          FOR UPDATE SKIP LOCKED) AS next
        UNION ALL SELECT * FROM (
          SELECT group_id, turn, number, token, leased_key, alone FROM seller_inbox_group
          WHERE group_id = $4 AND (token IS NULL OR turn IS NOT NULL OR ready_at <= ${nowMs})
          FOR UPDATE SKIP LOCKED) AS named
        ORDER BY turn, number LIMIT $3
      LOOP
        -- A lease that it still has has expired, which counts as a stall.
        IF due.token IS NOT NULL THEN
          UPDATE seller_inbox_waiting SET stalls = stalls + 1
            WHERE key = due.leased_key AND (stalls < ${stallsUntilSuspect} OR due.alone);
        END IF;
        -- One whose handler has begun to write goes first.
        IF $7 THEN
          SELECT waiting.key INTO chosen FROM seller_inbox_waiting AS waiting
            WHERE waiting.group_id = due.group_id ORDER BY writes IS NULL, sent_at DESC, number DESC LIMIT 1;
        ELSE
          SELECT waiting.key INTO chosen FROM seller_inbox_waiting AS waiting
            WHERE waiting.group_id = due.group_id ORDER BY writes IS NULL, sent_at, number LIMIT 1;
        END IF;
        IF NOT FOUND THEN
          DELETE FROM seller_inbox_group AS empty WHERE empty.group_id = due.group_id;
          CONTINUE;
        END IF;
        others := ARRAY(SELECT waiting.key FROM seller_inbox_waiting AS waiting
          WHERE $7 AND waiting.group_id = due.group_id AND (sent_at, number) < (
            SELECT last.sent_at, last.number FROM seller_inbox_waiting AS last WHERE last.key = chosen)
          ORDER BY sent_at, number);
        UPDATE seller_inbox_group AS leased SET token = $1, leased_key = chosen, alone = $6, turn = NULL,
          ready_at = ${nowMs} + $5 WHERE leased.group_id = due.group_id;
        SELECT waiting.group_id, waiting.key, waiting.entry, waiting.failures, waiting.stalls, waiting.last_failure, waiting.writes
          INTO group_id, key, entry, failures, stalls, last_failure, writes
          FROM seller_inbox_waiting AS waiting WHERE waiting.key = chosen;
        RETURN NEXT;
      END LOOP;
    END`,
  ),
  // Group, token, writes.
  plpgsql(
    'seller_inbox_note(text, text, text) RETURNS boolean',
    `DECLARE leased text; BEGIN
      SELECT leased_key INTO leased FROM seller_inbox_group WHERE group_id = $1 AND token = $2 FOR UPDATE;
      IF NOT FOUND THEN RETURN false; END IF;
      UPDATE seller_inbox_waiting SET writes = nullif($3, '[]') WHERE key = leased;
      RETURN true;
    END`,
  ),
  // Group, token, handled keys, until when all is handled, how long keys are kept, writes or null, key and error of the dead
  // letter, failures to count or null, last failure or null, delay, what the service has shown or null.
  plpgsql(
    'seller_inbox_settle(text, text, text[], float8, float8, text, text, text, integer, text, float8, boolean) RETURNS boolean',
    `DECLARE leased text; place bytea; BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      SELECT leased_key INTO leased FROM seller_inbox_group WHERE group_id = $1 AND token = $2 FOR UPDATE;
      IF NOT FOUND THEN RETURN false; END IF;
      IF $6 IS NOT NULL THEN
        UPDATE seller_inbox_waiting SET writes = nullif($6, '[]') WHERE key = leased;
      END IF;
      IF $12 IS NOT NULL THEN
        UPDATE seller_inbox_waiting SET confirmed = $12 WHERE key = leased RETURNING room INTO place;
        IF $12 AND NOT seller_inbox_knows(place, ${knownMs / 2}) THEN
          INSERT INTO seller_inbox_ledger (key, value, until) VALUES (${knownKey('place')}, '', ${nowMs} + ${knownMs})
            ON CONFLICT (key) DO UPDATE SET until = excluded.until;
        END IF;
      END IF;
      WITH deleted AS (DELETE FROM seller_inbox_waiting
          WHERE key = ANY($3) OR (group_id = $1 AND arrived_at < $4) RETURNING key)
        INSERT INTO seller_inbox_processed (key, until)
          SELECT key, ${nowMs} + $5 FROM (SELECT unnest($3) AS key UNION SELECT key FROM deleted) AS handled
        ON CONFLICT (key) DO UPDATE SET until = excluded.until;
      IF $7 IS NOT NULL THEN
        WITH dead AS (DELETE FROM seller_inbox_waiting WHERE key = $7
            RETURNING key, entry, failures + stalls + 1 AS attempts, room, confirmed, writes)
          INSERT INTO seller_inbox_dead (key, entry, attempts, failure, dead_lettered_at, room, confirmed, writes)
            SELECT key, entry, attempts, $8, ${nowMs}, room, confirmed, writes FROM dead;
      END IF;
      IF $9 IS NOT NULL THEN
        UPDATE seller_inbox_waiting SET stalls = 0, failures = failures + $9, last_failure = coalesce($10, last_failure)
          WHERE key = leased;
      END IF;
      UPDATE seller_inbox_group AS released SET token = NULL, leased_key = NULL, ready_at = ${nowMs} + $11,
        turn = CASE WHEN $11 > 0 THEN NULL ELSE ${turnOf('released.user_id', 'released.route')} END
        WHERE group_id = $1 AND EXISTS (SELECT 1 FROM seller_inbox_waiting WHERE group_id = $1);
      IF NOT FOUND THEN DELETE FROM seller_inbox_group WHERE group_id = $1; END IF;
      RETURN true;
    END`,
  ),
];
