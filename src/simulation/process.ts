import { AsyncLocalStorage, createHook, type HookCallbacks } from 'node:async_hooks';
import { clearInterval, setImmediate, setInterval } from 'node:timers';
import { createRandom } from '../testing/random.js';

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

/** Whom a timer belongs to. */
export interface TimerOwner {
  readonly isAlive: boolean;
  count(what: 'timers'): void;
}

/** A timer of the virtual time. */
export class VirtualTimer {
  /** When it is due, in milliseconds since 1970. */
  at = 0;
  isSet = false;
  readonly owner: TimerOwner;
  readonly fire: () => void;
  readonly delayMs: number;
  readonly repeats: boolean;
  readonly #time: VirtualTime;

  constructor(time: VirtualTime, owner: TimerOwner, fire: () => void, delayMs: number, repeats: boolean) {
    this.#time = time;
    this.owner = owner;
    this.fire = fire;
    this.delayMs = delayMs;
    this.repeats = repeats;
  }

  /** Nothing keeps a simulated process alive but the simulation. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.#time.start(this);
    return this;
  }

  close(): this {
    this.isSet = false;
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The longest delay that Node.js takes; it makes 1 ms of longer ones. */
const longestMs = 2 ** 31 - 1;

/** A clock that stands still until the next timer is due. */
export class VirtualTime {
  /** In milliseconds since 1970. */
  now: number;
  /** The next one last; of those with one time, the one that was set first is last. */
  #timers: { readonly at: number; readonly timer: VirtualTimer }[] = [];

  readonly startedAt: number;

  constructor(now: number) {
    this.now = this.startedAt = now;
  }

  /** Sets a timer. That of a process that has ended never fires. */
  set(owner: TimerOwner, fire: () => void, delayMs = 0, repeats = false): VirtualTimer {
    const ms = delayMs >= 1 && delayMs <= longestMs ? Math.trunc(delayMs) : 1;
    return this.start(new VirtualTimer(this, owner, fire, ms, repeats));
  }

  /** Starts a timer, also one that runs or has fired. */
  start(timer: VirtualTimer): VirtualTimer {
    const at = this.now + timer.delayMs;
    [timer.at, timer.isSet] = [at, timer.owner.isAlive];
    if (timer.isSet) this.#timers.splice(this.#placeOf(at), 0, { at, timer });
    return timer;
  }

  #placeOf(at: number): number {
    let [from, to] = [0, this.#timers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#timers[middle]?.at ?? 0) > at) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Moves to the next timer and fires it, unless it is due after `until`. @returns the timer; `undefined` if there is none */
  fireNext(until: number): VirtualTimer | undefined {
    for (let next = this.#timers.at(-1); next !== undefined && next.at <= until; next = this.#timers.at(-1)) {
      this.#timers.pop();
      const { at, timer } = next;
      if (!timer.isSet || !timer.owner.isAlive || timer.at !== at) continue;
      this.now = Math.max(this.now, at);
      timer.isSet = false;
      if (timer.repeats) this.start(timer);
      timer.fire();
      return timer;
    }
    return undefined;
  }
}

// As they were when this module was loaded: the simulation replaces those of `node:timers` too.
const [nextTurn, everyRealTick, stopTicks] = [setImmediate, setInterval, clearInterval];

/** What ends by itself within a few turns of the event loop: the work of Node's own threads, and immediates. */
const work = /^(?:Immediate|FSREQCALLBACK|FSREQPROMISE|FILEHANDLECLOSEREQ|BLOBREADER|(?!UNDICI)[A-Z0-9]+REQUEST)$/;

/** What reaches out of a simulation, and what to do instead. */
const leaks: Readonly<Record<string, string>> = {
  Timeout: 'set a real timer',
  TCPSERVERWRAP: 'opened a port',
  PIPESERVERWRAP: 'opened a port',
  TCPCONNECTWRAP: 'opened a socket',
  TCPWRAP: 'opened a socket',
  TLSWRAP: 'opened a socket',
  UDPWRAP: 'opened a socket',
  PIPEWRAP: 'opened a pipe',
  GETADDRINFOREQWRAP: 'looked up a host',
  GETNAMEINFOREQWRAP: 'looked up a host',
  QUERYWRAP: 'looked up a host',
  PROCESSWRAP: 'started a process',
  WORKER: 'started a worker',
};

const remedies: Readonly<Record<string, string>> = {
  'set a real timer':
    'It was captured before the simulation began, as by `const { setTimeout } = globalThis` at import: look it up when it is called.',
  'opened a port': 'Return the handler of its requests as `callback` instead.',
  'opened a socket':
    'Send requests with `fetch`, looked up when it is called; those that do not go to the marketplace are answered by the option `outside`.',
};

/** Where code runs that belongs to no process. */
const madeOutside =
  'It ran in an async context from outside the simulation: make what the bot uses within `bot(world)`, and bind nothing to another context.';

/** How often a real clock ticks, in milliseconds, and after how many ticks without an idle turn a run ends. */
export const stuck = { tickMs: 1000, afterTicks: 6 };

/** A timer or a socket. */
interface Unreferenced {
  unref?(): unknown;
}

/** Knows what the simulated processes have begun and Node.js has not ended, and what left the simulation. */
export class Activity {
  /** Why the run cannot go on. */
  #failure: string | undefined;
  /** Whether it is because of a timer: a socket sets one first. */
  #isTimer = false;
  /** Until the promises that are settled now have been told, all that runs comes of a timer of the simulation. */
  #isOwnTurn = true;
  readonly #pending = new Set<number>();
  readonly #leaked = new Set<Unreferenced>();
  #last = '';
  #ticks = 0;
  readonly #ticking = everyRealTick(() => (this.#ticks += 1), stuck.tickMs);
  readonly #hook = createHook({
    init: (id, type, _, resource) => this.#begin(id, type, resource),
    after: (id) => void this.#pending.delete(id),
    destroy: (id) => void this.#pending.delete(id),
    trackPromises: false,
  } as HookCallbacks);

  constructor() {
    this.#ticking.unref();
    this.#hook.enable();
  }

  #begin(id: number, type: string, resource: object): void {
    if (type === 'PROMISE' || type === 'TickObject') return;
    const process = currentProcess();
    const leak = (process?.isAlive ?? this.#isOwnTurn) ? leaks[type] : undefined;
    if (leak !== undefined) this.left(leak, resource);
    if (!process || !work.test(type)) return;
    this.#pending.add(id);
    if (this.#ticks > 1) this.#last = `${type}${callerOf()}`;
  }

  /** Notes that the bot has left the simulation. */
  left(leak: string, resource: Unreferenced = {}): void {
    const isTimer = leak === leaks.Timeout;
    if (this.#failure !== undefined && (isTimer || !this.#isTimer)) return;
    const process = currentProcess();
    const remedy = process ? (remedies[leak] ?? 'It cannot be simulated.') : madeOutside;
    this.#failure = `${process?.name ?? 'The bot'} ${leak}${callerOf()}. ${remedy}`;
    this.#isTimer = isTimer;
    this.#leaked.add(resource);
  }

  /** Resolves when nothing is under way. @returns why the run cannot go on: the bot has left the simulation, or never becomes idle */
  async settle(): Promise<string | undefined> {
    this.#ticks = 0;
    process.nextTick(() => (this.#isOwnTurn = false));
    // Some native callbacks are in no list: they run in the turn after.
    for (let idleTurns = 0; idleTurns < 2; idleTurns = this.#pending.size === 0 ? idleTurns + 1 : 0) {
      await new Promise((resolve) => nextTurn(resolve));
      if (this.#failure !== undefined) return this.#left(this.#failure);
      if (this.#ticks >= stuck.afterTicks)
        return `The bot never becomes idle: it always begins something new, last ${this.#last}.`;
    }
    this.#isOwnTurn = true;
    return undefined;
  }

  /** What has left the simulation does not keep the real process alive. */
  #left(failure: string): string {
    for (const resource of this.#leaked) resource.unref?.();
    return failure;
  }

  close(): void {
    stopTicks(this.#ticking);
    this.#hook.disable();
  }
}

/** Frames of Node.js and of this package. */
const own = /node:|[\\/](?:src|marketplace-seller-sdk)[\\/]simulation[\\/]|[\\/]dist[\\/](?:esm|cjs)[\\/]/;

/** Where the code was that calls now, without that of this package: ` at /app/bot.ts:12:5`, or nothing. */
function callerOf(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const lines = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const places = lines
    .filter((line) => !own.test(line))
    .map((line) => /(?:at |\()([^\s()]{1,500}:\d+:\d+)/.exec(line)?.[1]);
  const found = places.find((place) => place !== undefined);
  return found === undefined ? '' : ` at ${found.replace(/^file:\/\//, '')}`;
}
