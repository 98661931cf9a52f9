import { AsyncLocalStorage } from 'node:async_hooks';
import { createRandom } from '../testing/random.js';
import type { VirtualTime } from './virtual-time.js';

/** What a process does more often never becomes idle. The clock is read so often while it stands still. */
export const mostAnHour = { timers: 100_000, calls: 5_000 };
const mostReads = 5_000_000;
const current = new AsyncLocalStorage<SimulatedProcess>();
/** Runs a function in the async context in which this module was loaded. */
const outsideOfAll = AsyncLocalStorage.snapshot();

/** The process whose code runs now; `undefined` outside of a simulation. */
export function currentProcess(): SimulatedProcess | undefined {
  return current.getStore();
}

/**
 * A process of the simulation: all that one start of the bot has begun, or the world around it. Timers, requests and databases
 * belong to the one whose code has begun them, across every `await`.
 */
export class SimulatedProcess {
  /** `bot 1` for the first start, or `the world`. */
  readonly name: string;
  readonly time: VirtualTime;
  /** How far its clock is ahead, in milliseconds. */
  readonly clockAheadMs: number;
  readonly random: () => number;
  /** Told of what the process prints. */
  readonly print: (text: string) => void;
  readonly fetch: (request: Request, process: SimulatedProcess) => Promise<Response>;
  /** What the package remembers in it beside its objects. */
  readonly memory = new Map<object, unknown>();
  isAlive = true;
  /** Called by `process.exit`. */
  onExit: ((code: unknown) => void) | undefined;
  /** Called with what a timer throws. */
  onError: ((error: unknown) => void) | undefined;
  /** Why the run cannot go on. */
  failure: string | undefined;
  #hour = 0;
  #counts = { timers: 0, calls: 0 };
  #readAt = 0;
  #reads = 0;
  readonly #onEnd = new Set<() => void>();

  constructor(init: ProcessInit) {
    this.name = init.name;
    this.time = init.time;
    this.clockAheadMs = init.clockAheadMs ?? 0;
    this.random = createRandom(init.seed);
    this.print = init.print;
    this.fetch = init.fetch;
  }

  /** Its time, in milliseconds since 1970. @throws {Error} in a loop that waits for the clock, which stands still while code runs */
  get now(): number {
    const { now } = this.time;
    if (this.#readAt !== now) [this.#readAt, this.#reads] = [now, 0];
    this.#reads += 1;
    if (this.#reads > mostReads) throw this.#fail('it waits for the clock in a loop, without a timer');
    return now + this.clockAheadMs;
  }

  /** What `performance.now()` shows. */
  get elapsedMs(): number {
    return this.now - this.clockAheadMs - this.time.startedAt;
  }

  /** Runs a function as this process, and in no context of the code that asks for it: a handler that is killed starts the next process. */
  run<T>(body: () => T): T {
    return outsideOfAll(() => current.run(this, body));
  }

  /** Waits for some of the virtual time; for ever, if the process ends meanwhile. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.time.set(this, resolve, ms));
  }

  /** Counts a timer that has fired, or a call: too many within an hour end the run. */
  count(what: keyof typeof mostAnHour): void {
    const hour = Math.floor(this.time.now / 3_600_000);
    if (hour !== this.#hour) [this.#hour, this.#counts] = [hour, { timers: 0, calls: 0 }];
    this.#counts[what] += 1;
    if (this.#counts[what] > mostAnHour[what]) this.#fail(`more than ${mostAnHour[what]} ${what} within an hour`);
  }

  #fail(why: string): Error {
    return new Error((this.failure ??= `${this.name} never becomes idle: ${why}.`));
  }

  /** A timer has thrown an error. */
  failed(error: unknown): void {
    if (!this.onError) throw error;
    this.onError(error);
  }

  /** What `process.exit` does. @throws so that no code of the process follows */
  exit(code: unknown = 0): never {
    this.onExit?.(code);
    throw new Error(`${this.name} has ended with process.exit(${String(code)})`);
  }

  /** Calls a function when the process ends. @returns a function that takes this back */
  onEnd(listener: () => void): () => void {
    this.#onEnd.add(listener);
    return () => this.#onEnd.delete(listener);
  }

  /** Ends it between two events: its timers never fire, and nothing that it has begun is received. */
  end(): void {
    this.isAlive = false;
    for (const listener of this.#onEnd) listener();
    this.#onEnd.clear();
  }
}

/** What a process is made of. */
export interface ProcessInit {
  readonly name: string;
  readonly time: VirtualTime;
  readonly seed: number;
  readonly clockAheadMs?: number;
  readonly print: (text: string) => void;
  readonly fetch: SimulatedProcess['fetch'];
}
