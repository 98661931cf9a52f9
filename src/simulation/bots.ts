import { addressOf } from '../testing/webhooks/post-notification.js';
import type { BotStats, Recorder } from './history.js';
import type { Bot, SimulationOptions, World } from './options.js';
import type { SimulatedProcess } from './process.js';

/** What the starts of a bot have in common. */
export interface BotsInit {
  readonly bot: SimulationOptions['bot'];
  readonly world: SimulatedProcess;
  readonly recorder: Recorder;
  readonly processOf: (start: number) => SimulatedProcess;
  readonly worldOf: (start: number) => World;
}

/** How long a bot may take to stop, and to start, in milliseconds. */
const stopMs = 10_000;
const startMs = 600_000;
/** When a bot starts again that has ended by itself, in milliseconds. */
const [restartMs, longestRestartMs] = [5_000, 600_000];

/** The bot across its starts: of one at a time the process is alive. */
export class Bots {
  /** The number of the last start. */
  start = 0;
  process: SimulatedProcess | undefined;
  #bot: Bot | undefined;
  #restartMs = restartMs;
  /** The process that is being stopped. */
  #stopping: SimulatedProcess | undefined;
  readonly #init: BotsInit;

  constructor(init: BotsInit) {
    this.#init = init;
  }

  #line(text: string): void {
    const { recorder, world } = this.#init;
    recorder.line(world.time.now, text);
  }

  #beginIn(ms: number): void {
    this.#init.world.run(() => setTimeout(() => this.begin(), ms));
  }

  /** Starts the bot, unless it runs. */
  begin(): void {
    if (this.process?.isAlive) return;
    const { world, processOf, worldOf, bot } = this.#init;
    const start = (this.start += 1);
    this.#line(`start ${start} of the bot`);
    const process = (this.process = processOf(start));
    this.#bot = undefined;
    process.onExit = (code) => this.#exit(process, code);
    process.onError = (error) => this.crash(process, error);
    const begun = process.run(async () => botIn(await bot(worldOf(start))));
    begun.then(
      (made) => {
        if (process.isAlive) this.#bot = made;
      },
      (error: unknown) => this.crash(process, error),
    );
    world.run(() => setTimeout(() => this.#assertStarted(process), startMs));
  }

  #assertStarted(process: SimulatedProcess): void {
    if (!process.isAlive || this.process !== process) return;
    if (this.#bot) this.#restartMs = restartMs;
    else this.crash(process, new Error('bot(world) has not returned within ten minutes'));
  }

  /** Ends a process after an error that nobody handled, as Node.js does. */
  crash(process: SimulatedProcess, error: unknown): void {
    if (!process.isAlive) return;
    const { recorder, world } = this.#init;
    recorder.crash({ start: this.start, at: world.time.now, message: nameOf(error) });
    this.#endByItself(process);
  }

  /** Ends a process that has called `process.exit`. */
  #exit(process: SimulatedProcess, code: unknown): void {
    if (!process.isAlive) return;
    if (this.#stopping === process) {
      process.end();
      return;
    }
    this.#line(`the bot ends with process.exit(${String(code)})`);
    this.#endByItself(process);
  }

  /** A process manager starts it again, later after each end in a row. */
  #endByItself(process: SimulatedProcess): void {
    process.end();
    this.#beginIn(this.#restartMs);
    this.#restartMs = Math.min(this.#restartMs * 2, longestRestartMs);
  }

  /** Kills the process between two events. */
  kill(restartInMs?: number): void {
    this.process?.end();
    if (restartInMs !== undefined) this.#beginIn(restartInMs);
  }

  /** Whether the process was told to stop, and has not ended. A process manager tells it once. */
  get isStopping(): boolean {
    return this.#stopping !== undefined && this.#stopping === this.process;
  }

  /** Stops the bot, and kills it after ten seconds. */
  async stop(restartInMs?: number): Promise<void> {
    const process = (this.#stopping = this.process);
    if (process?.isAlive) {
      const stopped = process
        .run(async () => {
          await this.#bot?.stop?.();
        })
        .catch((error: unknown) => this.#stopFailed(process, error));
      const limit = this.#init.world.wait(stopMs);
      await Promise.race([stopped, limit, new Promise<void>((resolve) => process.onEnd(resolve))]);
    }
    if (this.process === process) this.kill(restartInMs);
  }

  /** Nobody waits for what a handler of SIGTERM returns. */
  #stopFailed(process: SimulatedProcess, error: unknown): void {
    const { recorder, world } = this.#init;
    if (process.isAlive)
      recorder.crash({ start: this.start, at: world.time.now, message: `stop() failed: ${nameOf(error)}` });
  }

  /** Passes a notification to the bot. @throws when there is none that listens, or it dies meanwhile */
  async deliver(request: Request): Promise<Response> {
    const { process } = this;
    const bot = this.#bot;
    if (!process?.isAlive || !bot?.callback) throw new TypeError('connect ECONNREFUSED');
    const ofInbox = (bot as { readonly callback: { readonly path?: string } }).callback.path;
    const posted = new Request(addressOf({ path: bot.path ?? ofInbox }), request);
    return new Promise((resolve, reject) => {
      const forget = process.onEnd(() => reject(new TypeError('read ECONNRESET')));
      const responded = process
        .run(async () => responseIn(await bot.callback?.(posted)))
        .catch((error: unknown) => this.#failed(error));
      void responded.then(resolve).finally(forget);
    });
  }

  /** What a server responds when its handler throws. */
  #failed(error: unknown): Response {
    this.#line(`the callback fails: ${nameOf(error)}`);
    return new Response(undefined, { status: 500 });
  }

  /** What the bot counts. */
  async stats(): Promise<BotStats | undefined> {
    return this.process?.run(async () => this.#bot?.stats?.());
  }
}

/** The class of an error, and the first line of its message. */
function nameOf(error: unknown): string {
  return String(error).split('\n')[0] ?? '';
}

function botIn(made: Bot | undefined): Bot {
  if (typeof made === 'object' && (made as unknown) !== null) return made;
  throw new TypeError('bot(world) returned no bot: an object, e.g. with `callback`, `stop` and `stats`');
}

function responseIn(response: Response | undefined): Response {
  if (response && Number.isInteger(response.status)) return response;
  throw new TypeError('`callback` returned no Response');
}
