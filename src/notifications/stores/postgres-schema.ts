/** The version of the tables. */
export const version = 1;

/** The time of the server in milliseconds: leases and delays do not depend on the clocks of the machines. */
export const nowMs = '(extract(epoch FROM statement_timestamp()) * 1000)::float8';

/** What creates the tables. Times are in milliseconds. */
export const tables = [
  `CREATE TABLE seller_inbox_waiting (
    number bigserial PRIMARY KEY, key text NOT NULL UNIQUE, group_id text NOT NULL, sent_at float8 NOT NULL,
    arrived_at float8 NOT NULL, topic text NOT NULL, failures integer NOT NULL DEFAULT 0,
    stalls integer NOT NULL DEFAULT 0, last_failure text, writes text, entry text NOT NULL)`,
  'CREATE INDEX seller_inbox_order ON seller_inbox_waiting (group_id, sent_at, number)',
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
    dead_lettered_at float8 NOT NULL, writes text, entry text NOT NULL)`,
  'CREATE TABLE seller_inbox_ledger (key bytea PRIMARY KEY, value text NOT NULL, until float8 NOT NULL)',
  'CREATE INDEX seller_inbox_ledger_expired ON seller_inbox_ledger (until)',
  'CREATE TABLE seller_inbox_damaged (number bigserial PRIMARY KEY, key text, group_id text, entry text)',
  'CREATE TABLE seller_inbox_version (version integer NOT NULL)',
  `INSERT INTO seller_inbox_version (version) VALUES (${version})`,
];
