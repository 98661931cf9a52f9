import { findProgram } from '../../tools/find-program.mjs';
import { spawn } from 'node:child_process';

const LONGEST_MS = 240_000;

/** How a run of npm ended; `status` is `null` where it had to be ended. */
export interface Run {
  readonly status: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** Runs npm in a folder. Whatever it leaves running, a server or a browser, ends with it. */
export function npm(cwd: string, ...args: readonly string[]): Promise<Run> {
  const started = performance.now();
  // `npm_execpath` is the npm that runs this script; on Windows `npm` is no program that could be started.
  const program = process.env.npm_execpath;
  const [command, ...all] = program === undefined ? ['npm', ...args] : [process.execPath, program, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, all, { cwd, env: ours(), stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    const keep = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = setTimeout(() => {
      output += `\nnot done within ${LONGEST_MS / 1000} seconds\n`;
      endGroup(child.pid);
    }, LONGEST_MS);
    child.on('error', reject);
    child.on('exit', () => {
      clearTimeout(timer);
      endGroup(child.pid);
    });
    child.on('close', (status) => {
      resolve({ status, output, seconds: (performance.now() - started) / 1000 });
    });
  });
}

/** The environment without npm's variables about this package, and with the path of Chromium if there is one. */
function ours(): NodeJS.ProcessEnv {
  const ofThisPackage = /^(?:npm_(?:package|lifecycle|command|config_local)|INIT_CWD)/;
  const others = Object.entries(process.env).filter(([name]) => !ofThisPackage.test(name));
  return { ...Object.fromEntries(others), CHROMIUM_PATH: findProgram('chromium') ?? '' };
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
