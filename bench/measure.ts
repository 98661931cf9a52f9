import { fork, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { certificate } from '../tests/support/certificate.ts';

/** One line of the table: what was measured, of whom, and how it compares with the row's base. */
export interface Figure {
  readonly who: string;
  readonly value: number;
  /** The lowest and the highest of the runs, of which there are at least five. Nothing for what was measured once. */
  readonly range?: readonly [number, number];
  readonly ratio?: number;
  readonly ratioRange?: readonly [number, number];
}

/** A row of the benchmark. */
export interface Row {
  readonly title: string;
  readonly unit: string;
  readonly figures: readonly Figure[];
  /** What was to be reached, in words. */
  readonly goal: string;
  /** The same as figures, from which the page says whether it was met. None for a row that only states what is. */
  readonly limits?: readonly Limit[];
}

/** The most that a line may have, as its ratio (to the first line, or to `of`) or its value, or the lines that it has to be below. */
export interface Limit {
  readonly who: string;
  readonly ratio?: number;
  readonly of?: string;
  readonly value?: number;
  readonly below?: readonly string[];
}

export const here = (path: string): string => new URL(path, import.meta.url).pathname;

/** Runs a script in a fresh process, which trusts the benchmark's own server, and reads the JSON it prints. */
export function child<T>(script: string, ...args: string[]): Promise<T> {
  return childOn(process.execPath, script, ...args);
}

/**
 * The same on another Node.js. The process is killed when it has printed: on Node 24, `process.exit()` sometimes waits for a
 * compiler thread that waits for a garbage collection, for ever.
 */
export function childOn<T>(node: string, script: string, ...args: string[]): Promise<T> {
  return outputOf<T>(node, here(script), ...args);
}

/** Whether processes can be bound to a processor core. */
const binds = ['0', '1'].every((core) => spawnSync('taskset', ['--cpu-list', core, 'true']).status === 0);

/**
 * Binds a server to one processor core, and returns `child` for processes on another. Where the scheduler places them decides
 * whether a write to the socket takes 30 or 100 µs, and it differs from process to process. Without `taskset`, which only
 * Linux has, or with a single core, they are not bound.
 */
export function childBeside({ pid }: ChildProcess): typeof child {
  if (!binds) return child;
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', String(pid)]);
  return (script, ...args) => outputOf('taskset', '--cpu-list', '0', process.execPath, here(script), ...args);
}

async function outputOf<T>(command: string, ...args: string[]): Promise<T> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile() };
  const started = spawn(command, args, { env, timeout: 300_000, killSignal: 'SIGKILL' });
  let errors = '';
  started.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)));
  try {
    for await (const line of createInterface({ input: started.stdout })) return JSON.parse(line) as T;
  } finally {
    started.kill('SIGKILL');
  }
  throw new Error(`${command} ${args.join(' ')} printed nothing: ${errors}`);
}

/** A server in a process of its own, so that its work is not counted. */
export async function server(): Promise<{ url: string; secureUrl: string; process: ChildProcess }> {
  const process = fork(here('children/server.mjs'));
  const [port, securePort] = await new Promise<readonly [number, number]>((resolve) =>
    process.once('message', (message) => {
      resolve(message as [number, number]);
    }),
  );
  return { url: `http://127.0.0.1:${port}`, secureUrl: `https://127.0.0.1:${securePort}`, process };
}

let file: string | undefined;

function certificateFile(): string {
  if (file !== undefined) return file;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, 'certificate.pem');
  writeFileSync(file, certificate.cert);
  return file;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Figures from measurements by name, as ratios to the first. They were taken in turns, so they are compared run by run: a slow
 * minute of the machine hits both.
 */
export function compare(measured: Readonly<Record<string, readonly number[]>>): Figure[] {
  const [base = []] = Object.values(measured).map(runsOf);
  return Object.entries(measured).map(([who, values]) => {
    const runs = runsOf(values);
    const ratios = runs.map((value, run) => value / (runs.length === base.length ? (base[run] ?? NaN) : median(base)));
    return { who, value: median(runs), range: rangeOf(runs), ratio: median(ratios), ratioRange: rangeOf(ratios) };
  });
}

/** At most nine runs: of many short measurements, a run is the median of a seventh. */
function runsOf(values: readonly number[]): readonly number[] {
  if (values.length <= 9) return values;
  const size = values.length / 7;
  return Array.from({ length: 7 }, (_, run) =>
    median(values.slice(Math.round(run * size), Math.round((run + 1) * size))),
  );
}

function rangeOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
