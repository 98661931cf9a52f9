import { nowMs, plpgsql } from './postgres-schema.js';

/** How long it is remembered that something of a room was true, in milliseconds; renewed when it is half over. */
export const knownMs = 30 * 86_400_000;

/** The room of a user and topic. A topic may be longer than an index takes; entries of one group are in one room. */
export const roomOf = (user: string, topic: string): string =>
  `sha256(convert_to(${user}::text || ' ' || lower(${topic}), 'UTF8'))`;

/** Where the ledger has that something of a room was true. */
export const knownKey = (room: string): string => `sha256('known '::bytea || ${room})`;

/** Those that age out or make room: no handler runs for their group, and its row is locked. */
const free = (
  where: string,
  order: string,
  limit: number,
  into = '',
): string => `SELECT waiting.key, waiting.group_id ${into}
  FROM seller_inbox_waiting AS waiting JOIN seller_inbox_group AS held ON held.group_id = waiting.group_id
  WHERE ${where} AND held.token IS NULL ORDER BY waiting.${order} LIMIT ${limit} FOR UPDATE OF held SKIP LOCKED`;

/** Deletes the entry of the variable `gone`, and its group if it is empty. */
const remove = `DELETE FROM seller_inbox_waiting WHERE key = gone.key;
        DELETE FROM seller_inbox_group AS empty WHERE empty.group_id = gone.group_id
          AND NOT EXISTS (SELECT 1 FROM seller_inbox_waiting AS other WHERE other.group_id = gone.group_id);
        deleted := deleted + 1;`;

/** One at a time deletes from several rooms: two would wait for each other's. */
const oneAtATime = "hashtext('seller_inbox_room')";

/** What counts the rooms of an inbox in PostgreSQL, and deletes from them. A room is one row, which is locked while it changes. */
export const roomFunctions = [
  // Room, bytes of the entry, how many entries and bytes the room may hold. Takes the place of an entry, if there is one.
  plpgsql(
    'seller_inbox_enter(bytea, integer, float8, float8) RETURNS boolean',
    `BEGIN
      INSERT INTO seller_inbox_room AS kept (room, entries, bytes) SELECT $1, 1, $2 WHERE $3 > 0 AND $4 >= $2
        ON CONFLICT (room) DO UPDATE SET entries = kept.entries + 1, bytes = kept.bytes + $2
          WHERE kept.entries < $3 AND kept.bytes + $2 <= $4;
      RETURN FOUND;
    END`,
  ),
  // Room, for how much longer, in milliseconds. Whether it is remembered that something of it was true.
  plpgsql(
    'seller_inbox_knows(bytea, float8) RETURNS boolean',
    `BEGIN
      RETURN EXISTS (SELECT 1 FROM seller_inbox_ledger WHERE key = ${knownKey('$1')} AND until > ${nowMs} + $2);
    END`,
  ),
  plpgsql(
    'seller_inbox_left() RETURNS trigger',
    `DECLARE size integer := octet_length(OLD.entry); was integer := (OLD.confirmed IS FALSE)::integer;
      now_is integer := 0; stays integer := 0; BEGIN
      IF TG_OP = 'UPDATE' THEN
        stays := 1;
        now_is := (NEW.confirmed IS FALSE)::integer;
      END IF;
      UPDATE seller_inbox_room SET
        entries = entries - (1 - was) + stays * (1 - now_is), bytes = bytes + size * (stays * (1 - now_is) - (1 - was)),
        unconfirmed = unconfirmed - was + now_is, unconfirmed_bytes = unconfirmed_bytes + size * (now_is - was)
        WHERE room = OLD.room;
      DELETE FROM seller_inbox_room WHERE room = OLD.room AND entries + unconfirmed <= 0;
      RETURN NULL;
    END`,
  ),
  `CREATE TRIGGER seller_inbox_left AFTER DELETE OR UPDATE OF confirmed ON seller_inbox_waiting
    FOR EACH ROW EXECUTE FUNCTION seller_inbox_left()`,
  // Deletes what nothing has confirmed in time. Returns how many.
  plpgsql(
    'seller_inbox_age() RETURNS integer',
    `DECLARE gone record; deleted integer := 0; BEGIN
      IF NOT pg_try_advisory_xact_lock(${oneAtATime}) THEN RETURN 0; END IF;
      FOR gone IN ${free(`waiting.confirmed IS NOT TRUE AND waiting.until <= ${nowMs}`, 'until', 1_000)} LOOP
        ${remove}
      END LOOP;
      UPDATE seller_inbox_expired_total SET entries = entries + deleted WHERE deleted > 0;
      RETURN deleted;
    END`,
  ),
  // The most entries and bytes. Deletes the oldest of the room that has the most unconfirmed ones, while these are too many.
  plpgsql(
    'seller_inbox_evict(float8, float8) RETURNS integer',
    `DECLARE gone record; largest bytea; deleted integer := 0; BEGIN
      PERFORM pg_advisory_xact_lock(${oneAtATime});
      LOOP
        PERFORM 1 FROM seller_inbox_room WHERE unconfirmed > 0
          HAVING sum(unconfirmed) > $1 OR sum(unconfirmed_bytes) > $2;
        EXIT WHEN NOT FOUND;
        SELECT room INTO largest FROM seller_inbox_room WHERE unconfirmed > 0 ORDER BY unconfirmed DESC LIMIT 1;
        ${free('waiting.room = largest AND waiting.confirmed = false', 'number', 1, 'INTO gone')};
        EXIT WHEN NOT FOUND;
        ${remove}
      END LOOP;
      UPDATE seller_inbox_expired_total SET entries = entries + deleted WHERE deleted > 0;
      RETURN deleted;
    END`,
  ),
];
