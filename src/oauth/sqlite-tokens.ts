import type { DatabaseSync } from 'node:sqlite';
import { AccessTokenError, ClosedError, ConfigurationError } from '../core/errors/errors.js';
import { TimeLimit, wait } from '../core/scope/cancel-scope.js';
import { nodeModule } from '../core/scope/node-module.js';
import { createPrivateFile, explain, unlessBusy } from '../work/sqlite-file.js';
import { times, type SellerStatus, type StoredTokens, type TokenSet, type TokenStore } from './tokens.js';

/**
 * Opens the tokens of all sellers in a SQLite file, which the processes of one machine share: one of them at a time refreshes the
 * tokens of a seller. The tokens are stored as they are, in a file that is created so that only its user can read it (mode 0600).
 *
 * Needs Node 22.13 or later; `node:sqlite` is loaded when it is called. Do not use it on a network file system.
 *
 * @example
 * const tokens = sqliteTokens(':memory:'); // a file, such as 'tokens.db'
 * await tokens.save(7, { accessToken: 'token', refreshToken: 'refresh token' });
 * console.log(await tokens.sellers());
 * await tokens.close?.();
 * @param path The file. It is created if it does not exist.
 * @throws {ConfigurationError} when the file cannot be opened.
 */
export function sqliteTokens(path: string): TokenStore {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError('sqliteTokens takes the name of a file, such as "tokens.db"');
  try {
    const sqlite = nodeModule('node:sqlite');
    if (!sqlite) throw new Error('there is no node:sqlite');
    createPrivateFile(path);
    return new SqliteTokens(new sqlite.DatabaseSync(path));
  } catch (cause) {
    const { reason, remedy } = explain(cause);
    throw new ConfigurationError(`sqliteTokens cannot open its database (${reason})${remedy}`, { cause });
  }
}

/** The version of the tables: a later one opens those of an earlier one. */
const tokensVersion = 1;

/** A refresh token works once, so what is stored waits for the disk. */
const schema = `PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS seller_tokens (user_id INTEGER PRIMARY KEY, tokens TEXT NOT NULL, refresh_token TEXT,
    revoked INTEGER NOT NULL DEFAULT 0, since INTEGER);
  CREATE TABLE IF NOT EXISTS seller_lock (user_id INTEGER PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS seller_tokens_version (version INTEGER NOT NULL);
  INSERT INTO seller_tokens_version SELECT ${tokensVersion} WHERE NOT EXISTS (SELECT 1 FROM seller_tokens_version);
  PRAGMA busy_timeout = 0;`;

/** Since when a seller is connected or revoked was not kept by earlier versions, whose processes may still use the file. */
function addSince(db: DatabaseSync): void {
  const hasSince = `SELECT 1 FROM pragma_table_info('seller_tokens') WHERE name = 'since'`;
  if (db.prepare(hasSince).get()) return;
  db.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
  if (!db.prepare(hasSince).get()) db.exec('ALTER TABLE seller_tokens ADD COLUMN since INTEGER');
  db.exec('COMMIT; PRAGMA busy_timeout = 0');
}

class SqliteTokens implements TokenStore {
  readonly #db: DatabaseSync;
  /** The locks of this process, with their sellers. */
  readonly #holding = new Map<Promise<unknown>, number>();
  /** The locks of others that were waited for, and since when. */
  readonly #seen = new Map<number, { readonly holder: string; readonly since: number }>();
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec(schema);
    const [row] = db.prepare('SELECT max(version) AS version FROM seller_tokens_version').all();
    if (row?.version === tokensVersion) {
      addSince(db);
      return;
    }
    db.close();
    throw new ConfigurationError(
      'the file was written by a later version of this package; use that version, and keep the file: it has the only refresh tokens',
    );
  }

  async #all(sql: string, ...values: (string | number | null)[]): Promise<Record<string, unknown>[]> {
    if (this.#isClosed) throw new ClosedError('sqliteTokens was closed');
    return unlessBusy(() => this.#db.prepare(sql).all(...values));
  }

  async load(user_id: number): Promise<StoredTokens | undefined> {
    const [row] = await this.#all('SELECT tokens, revoked FROM seller_tokens WHERE user_id = ?', user_id);
    return row && { tokens: JSON.parse(String(row.tokens)) as TokenSet, isRevoked: row.revoked === 1 };
  }

  async save(user_id: number, tokens: TokenSet): Promise<void> {
    const insert = `INSERT INTO seller_tokens (user_id, tokens, refresh_token, since) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET tokens = excluded.tokens, refresh_token = excluded.refresh_token, revoked = 0,
        since = CASE WHEN revoked = 1 THEN excluded.since ELSE since END`;
    await this.#all(insert, user_id, JSON.stringify(tokens), tokens.refreshToken ?? null, Date.now());
  }

  async revoke(user_id: number, { accessToken, refreshToken }: TokenSet): Promise<boolean> {
    const update = `UPDATE seller_tokens SET revoked = 1, since = ? WHERE user_id = ? AND refresh_token IS ? AND revoked = 0
      AND json_extract(tokens, '$.accessToken') = ? RETURNING user_id`;
    return (await this.#all(update, Date.now(), user_id, refreshToken ?? null, accessToken)).length > 0;
  }

  async remove(user_id: number): Promise<boolean> {
    return (await this.#all('DELETE FROM seller_tokens WHERE user_id = ? RETURNING user_id', user_id)).length > 0;
  }

  async sellers(): Promise<readonly number[]> {
    const rows = await this.#all('SELECT user_id FROM seller_tokens WHERE revoked = 0 ORDER BY user_id');
    return rows.map(({ user_id }) => Number(user_id));
  }

  async list(): Promise<readonly SellerStatus[]> {
    const rows = await this.#all('SELECT user_id, revoked, since FROM seller_tokens ORDER BY user_id');
    return rows.map(({ user_id, revoked, since }) => ({
      user_id: Number(user_id),
      state: revoked === 1 ? 'revoked' : 'connected',
      ...(since !== null && { since: Number(since) }),
    }));
  }

  /** Unlike a transaction, it blocks neither this process nor other sellers. */
  async lock<R>(user_id: number, work: () => Promise<R>): Promise<R> {
    const holder = newHolder();
    const until = performance.now() + times.lockWaitMs;
    while (!(await this.#takes(user_id, holder))) {
      if (performance.now() > until) throw await this.#heldError(user_id);
      await wait(times.lockPollMs, undefined);
    }
    const holding = this.#hold(user_id, holder, work);
    this.#holding.set(holding, user_id);
    return holding.finally(() => this.#holding.delete(holding));
  }

  async #hold<R>(user_id: number, holder: string, work: () => Promise<R>): Promise<R> {
    try {
      // What begins now would be cut off by the end of the store.
      if (this.#closing) {
        const cause = new ClosedError('sqliteTokens was closed');
        throw new AccessTokenError('The access token has ended, and is not refreshed: its store was closed', { cause });
      }
      return await work();
    } finally {
      await this.#all('DELETE FROM seller_lock WHERE user_id = ? AND holder = ?', user_id, holder);
    }
  }

  async #takes(user_id: number, holder: string): Promise<boolean> {
    const [held] = await this.#all('SELECT holder, until FROM seller_lock WHERE user_id = ?', user_id);
    const other = held && this.#isOver(user_id, String(held.holder), Number(held.until)) ? String(held.holder) : '';
    const insert = `INSERT INTO seller_lock (user_id, holder, until) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE holder = ? RETURNING user_id`;
    return (await this.#all(insert, user_id, holder, Date.now() + times.lockMs, other)).length > 0;
  }

  /** Whether a lock may be taken over. That of a process that runs is timed here, because its clock may be set meanwhile. */
  #isOver(user_id: number, holder: string, until: number): boolean {
    const state = stateOf(holder);
    if (state === 'ended') return true;
    const seen = this.#seen.get(user_id);
    const since = seen?.holder === holder ? seen.since : performance.now();
    this.#seen.set(user_id, { holder, since });
    if (state === 'runs') return performance.now() - since >= times.lockMs;
    // A lock that ends later than one can was set by a clock that was wrong.
    return until < Date.now() || until > Date.now() + 2 * times.lockMs;
  }

  async #heldError(user_id: number): Promise<AccessTokenError> {
    const [held] = await this.#all('SELECT holder, until FROM seller_lock WHERE user_id = ?', user_id);
    const who = held ? nameOfHolder(String(held.holder)) : 'another process';
    const until = held ? ` until ${new Date(Number(held.until)).toISOString()} at the latest` : '';
    return new AccessTokenError(
      `The tokens of the seller ${user_id} are being refreshed by ${who}, which holds their lock${until}: try again then`,
    );
  }

  /** Once. What holds a lock ends first, because it may have used a refresh token. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      await new TimeLimit(times.closeMs).run(
        () => Promise.allSettled(this.#holding.keys()),
        () => this.#closedTooLate(),
      );
    } finally {
      this.#isClosed = true;
      this.#db.close();
    }
  }

  #closedTooLate(): AccessTokenError {
    const sellers = [...new Set(this.#holding.values())].join(', ');
    return new AccessTokenError(
      `sqliteTokens was closed while the tokens of these sellers were being refreshed, for ${times.closeMs} ms: ${sellers}. If a request was carried out, its grant is lost, and the seller has to authorise again`,
    );
  }
}

/** Who holds a lock: `<host> <process> <start of the process> <its processes> <random>`, as a store keeps it. */
function newHolder(): string {
  return [...ownProcess(), crypto.randomUUID()].join(' ');
}

/** Whether the process of a holder certainly runs or has ended; of another host or container nobody knows. */
function stateOf(holder: string): 'runs' | 'ended' | undefined {
  const [host, pid, start, processes] = holder.split(' ');
  const own = ownProcess();
  if (host !== own[0] || processes !== own[3]) return undefined;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: it is there, and belongs to another user.
    if ((error as { code?: unknown }).code === 'ESRCH') return 'ended';
  }
  const now = startOf(pid);
  return now === '-' ? undefined : now === start ? 'runs' : 'ended';
}

/** For messages. */
function nameOfHolder(holder: string): string {
  const [host, pid] = holder.split(' ');
  return `process ${pid} on host ${host}`;
}

function ownProcess(): [host: string, pid: string, start: string, processes: string] {
  const pid = String(process.pid);
  return [nodeModule('node:os')?.hostname() ?? '-', pid, startOf(pid), processesSeen()];
}

/** When a process began (Linux), because the number of one that has ended is given to another; `-` if nobody knows. */
function startOf(pid = ''): string {
  try {
    const status = nodeModule('node:fs')?.readFileSync(`/proc/${pid}/stat`, 'utf8') ?? '';
    // After the name, which may contain anything: the state and 18 numbers.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '-');
  } catch {
    return '-';
  }
}

/** Which processes this one can see (Linux): containers of one host count from 1, each for itself. */
function processesSeen(): string {
  try {
    return nodeModule('node:fs')?.readlinkSync('/proc/self/ns/pid') ?? '-';
  } catch {
    return '-';
  }
}
