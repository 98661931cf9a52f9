/** The version of the tables. */
export const version = 1;

/** The time of the server in milliseconds: leases and delays do not depend on the clocks of the machines. */
export const nowMs = '(extract(epoch FROM statement_timestamp()) * 1000)::float8';

/** A function in PL/pgSQL. Its statements see what was committed while an earlier one waited for a lock. */
export const plpgsql = (head: string, body: string): string => `CREATE FUNCTION ${head} LANGUAGE plpgsql AS $$
#variable_conflict use_column
${body} $$`;

/** What creates the tables. Times are in milliseconds. */
export const tables = [
  `CREATE TABLE seller_inbox_waiting (
    number bigserial PRIMARY KEY, key text NOT NULL UNIQUE, group_id text NOT NULL, sent_at float8 NOT NULL,
    arrived_at float8 NOT NULL, topic text NOT NULL, room bytea NOT NULL, confirmed boolean, until float8 NOT NULL,
    failures integer NOT NULL DEFAULT 0, stalls integer NOT NULL DEFAULT 0, last_failure text, writes text,
    entry text NOT NULL)`,
  'CREATE INDEX seller_inbox_order ON seller_inbox_waiting (group_id, (writes IS NULL), sent_at, number)',
  'CREATE INDEX seller_inbox_aging ON seller_inbox_waiting (until) WHERE confirmed IS NOT TRUE',
  'CREATE INDEX seller_inbox_unconfirmed ON seller_inbox_waiting (room, number) WHERE confirmed = false',
  `CREATE TABLE seller_inbox_room (
    room bytea PRIMARY KEY, entries integer NOT NULL, bytes float8 NOT NULL, unconfirmed integer NOT NULL DEFAULT 0,
    unconfirmed_bytes float8 NOT NULL DEFAULT 0)`,
  'CREATE INDEX seller_inbox_room_unconfirmed ON seller_inbox_room (unconfirmed) WHERE unconfirmed > 0',
  `CREATE TABLE seller_inbox_group (
    group_id text PRIMARY KEY, number bigserial, route text NOT NULL, user_id float8 NOT NULL, turn float8,
    ready_at float8 NOT NULL DEFAULT 0, token text, leased_key text, alone boolean NOT NULL DEFAULT false)`,
  'CREATE INDEX seller_inbox_due ON seller_inbox_group (route, turn, number) WHERE turn IS NOT NULL',
  'CREATE INDEX seller_inbox_later ON seller_inbox_group (route, ready_at) WHERE turn IS NULL',
  'CREATE INDEX seller_inbox_user ON seller_inbox_group (user_id, turn) WHERE turn IS NOT NULL',
  'CREATE TABLE seller_inbox_processed (key text PRIMARY KEY, until float8 NOT NULL)',
  'CREATE INDEX seller_inbox_expired ON seller_inbox_processed (until)',
  `CREATE TABLE seller_inbox_dead (
    number bigserial PRIMARY KEY, key text NOT NULL UNIQUE, attempts integer NOT NULL, failure text NOT NULL,
    dead_lettered_at float8 NOT NULL, room bytea NOT NULL, confirmed boolean, writes text, entry text NOT NULL)`,
  'CREATE TABLE seller_inbox_ledger (key bytea PRIMARY KEY, value text NOT NULL, until float8 NOT NULL)',
  'CREATE INDEX seller_inbox_ledger_expired ON seller_inbox_ledger (until)',
  'CREATE TABLE seller_inbox_damaged (number bigserial PRIMARY KEY, key text, group_id text, entry text)',
  'CREATE TABLE seller_inbox_expired_total (entries float8 NOT NULL)',
  'INSERT INTO seller_inbox_expired_total (entries) VALUES (0)',
  'CREATE TABLE seller_inbox_version (version integer NOT NULL)',
  `INSERT INTO seller_inbox_version (version) VALUES (${version})`,
];
