import { suspectStalls } from '../store.js';
import { hasOutcome, isShown } from './entries.js';

/**
 * The version of the tables. What an earlier version wrote is opened, in one transaction; what a later one wrote is an error.
 *
 * A version keeps every statement of the one before working: it adds columns and indexes, and renames and removes no column. So an old
 * process goes on beside a new one until it ends. 2 was that of the files of 0.2.0, which had other tables.
 */
export const schemaVersion = 3;

/** Whether tables of a version can be read and written as they are. */
export function isKnownVersion(version: unknown): boolean {
  return version === 1 || version === schemaVersion;
}

/** What versions have added to the tables of version 1, by name: first 3. */
export const additions: Readonly<Record<string, string>> = {
  seller_work_shown: `CREATE INDEX IF NOT EXISTS seller_work_shown ON seller_work (kind, state, number) WHERE ${isShown};
    DROP INDEX IF EXISTS seller_work_listed`,
  // What is seldom has an index of its own, so that looking for it does not read all that waits.
  seller_work_suspects: `CREATE INDEX IF NOT EXISTS seller_work_suspects ON seller_work (kind, turn, number)
    WHERE turn IS NOT NULL AND stalls >= ${suspectStalls}`,
  seller_work_leased:
    'CREATE INDEX IF NOT EXISTS seller_work_leased ON seller_work (kind, due_at) WHERE token IS NOT NULL',
  seller_work_reopened: `CREATE INDEX IF NOT EXISTS seller_work_reopened ON seller_work (kind, added_at)
    WHERE state = 'open' AND ended_at IS NOT NULL`,
  seller_work_outcome: `CREATE INDEX IF NOT EXISTS seller_work_outcome ON seller_work (kind, ended_at) WHERE ${hasOutcome}`,
};

/** The version that the files of 0.2.0 have. */
export const version020 = 2;

const kind = `CASE WHEN json_extract(entry, '$.notification.known') AND json_extract(entry, '$.notification.topic')
  IN ('questions', 'messages') THEN json_extract(entry, '$.notification.topic') ELSE '*' END`;
const owner = "coalesce(json_extract(entry, '$.notification.user_id'), '')";
const isFirst = `NOT EXISTS (SELECT 1 FROM seller_work AS e WHERE e.state = 'open' AND e.group_id = w.group_id
  AND (e.sent_at < w.sent_at OR (e.sent_at = w.sent_at AND e.number < w.number)))`;

/**
 * Moves what a file of 0.2.0 has into the tables of version 1: what waits, the dead letters, the keys of what was handled, and the
 * questions that are settled. A process of 0.2.0 that still runs stops by itself, because it looks at the version before each transaction.
 */
export const import020: readonly string[] = [
  `INSERT INTO seller_work (key, kind, owner, group_id, sent_at, added_at, data, state, failures)
    SELECT key, ${kind}, ${owner}, group_id, sent_at, arrived_at, json_insert(entry, '$.arrivedAt', arrived_at), 'open', failures
    FROM notification_waiting WHERE json_valid(entry) ORDER BY number`,
  `UPDATE seller_work AS w SET due_at = added_at, turn = 1 WHERE ${isFirst}`,
  `INSERT INTO seller_work (key, kind, owner, group_id, sent_at, added_at, data, state, failures, failure, ended_at)
    SELECT key, ${kind}, ${owner}, json_extract(entry, '$.groupId'), json_extract(entry, '$.sentAt'), dead_lettered_at,
      json_insert(entry, '$.arrivedAt', dead_lettered_at), 'dead', attempts, failure, dead_lettered_at
    FROM notification_dead WHERE json_valid(entry) ORDER BY number`,
  `INSERT INTO seller_work (key, kind, owner, group_id, sent_at, added_at, data, state, due_at)
    SELECT key, '*', '', key, 0, 0, '{}', 'done', until FROM notification_processed WHERE key NOT LIKE 'handled %'
    ON CONFLICT DO NOTHING`,
  `INSERT INTO seller_work_ledger (key, value, until)
    SELECT 'fact ' || group_id, 'caught up ' || sent_at, until FROM notification_done_until`,
  `INSERT INTO seller_work_ledger (key, value, until)
    SELECT 'fact ' || substr(key, length('handled ') + 1), 'handled', until FROM notification_processed WHERE key LIKE 'handled %'
    ON CONFLICT DO NOTHING`,
  ...['waiting', 'group', 'processed', 'dead', 'damaged', 'clock', 'total', 'done_until', 'topic'].map(
    (name) => `DROP TABLE notification_${name}`,
  ),
];
