import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../../tools/find-program.mjs';

const program = findProgram('postgres');
const folderOfPrograms = program === undefined ? '' : dirname(realpathSync(program));

/** Whether there is a PostgreSQL server; tests that need one are skipped when there is none. */
export const hasPostgres = existsSync(join(folderOfPrograms, 'initdb'));

/** A PostgreSQL of one test file, on a Unix socket. */
export interface OwnPostgres {
  readonly connectionString: string;
  /** Ends all connections at once, and starts again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param options `fsync`: whether it waits for the disk, as in production. */
export async function startPostgres({ fsync = false } = {}): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  // PostgreSQL does not run as root.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    // Its user has to reach the folder.
    chmodSync(tmpdir(), statSync(tmpdir()).mode | 0o011);
  }
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync'];
  execFileSync(join(folderOfPrograms, 'initdb'), initdb, { ...user, cwd: folder, stdio: 'ignore' });
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, `fsync=${fsync ? 'on' : 'off'}`].flatMap(
    (each) => ['-c', each],
  );
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(join(folderOfPrograms, 'postgres'), ['-D', data, ...settings], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    });
    // PostgreSQL writes its state into this file, also while it still recovers.
    const state = join(data, 'postmaster.pid');
    const isReady = (): boolean =>
      existsSync(state) && new RegExp(`^${started.pid}$[^]*^ready *$`, 'm').test(readFileSync(state, 'utf8'));
    while (!isReady()) await pause(50);
    return started;
  };
  let server = await start();
  const end = async (): Promise<void> => {
    const gone = once(server, 'exit');
    server.kill('SIGQUIT');
    await gone;
  };
  return {
    connectionString: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    restart: async () => {
      await end();
      server = await start();
    },
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
}
