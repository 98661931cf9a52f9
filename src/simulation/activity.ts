import { createHook } from 'node:async_hooks';
import type { HookCallbacks } from 'node:async_hooks';
import { clearInterval, setImmediate, setInterval } from 'node:timers';
import { currentProcess } from './process.js';

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
