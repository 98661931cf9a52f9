import { AsyncLocalStorage } from 'node:async_hooks';
import { createRandom } from '../testing/random.js';
import type { VirtualTime } from './virtual-time.js';

const mostTimersAnHour = 100_000;
const current = new AsyncLocalStorage<SimulatedProcess>();

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
  isAlive = true;
  #hour = 0;
  #fired = 0;
  readonly #onEnd = new Set<() => void>();

  constructor(init: ProcessInit) {
    this.name = init.name;
    this.time = init.time;
    this.clockAheadMs = init.clockAheadMs ?? 0;
    this.random = createRandom(init.seed);
    this.print = init.print;
    this.fetch = init.fetch;
  }

  /** Its time, in milliseconds since 1970. */
  get now(): number {
    return this.time.now + this.clockAheadMs;
  }

  /** Runs a function as this process. */
  run<T>(body: () => T): T {
    return current.run(this, body);
  }

  /** Waits for some of the virtual time; for ever, if the process ends meanwhile. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.time.set(this, resolve, ms));
  }

  /** Counts a timer that has fired. @throws {Error} when more than 100,000 do within an hour */
  countTimer(): void {
    const hour = Math.floor(this.time.now / 3_600_000);
    if (hour !== this.#hour) [this.#hour, this.#fired] = [hour, 0];
    this.#fired += 1;
    if (this.#fired > mostTimersAnHour)
      throw new Error(`${this.name} never becomes idle: more than ${mostTimersAnHour} timers within an hour`);
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
