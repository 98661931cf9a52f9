import { SellerClient } from '../client.js';
import { FakeMarketplace } from '../testing/marketplace.js';
import type { Account } from '../testing/state/accounts.js';
import type { Item } from '../testing/state/items.js';
import { addressOf } from '../testing/webhooks/subscription.js';
import type { BotStats, Names, Recorder } from './history.js';
import { Network } from './network.js';
import { sharesOf, type Bot, type SimulationOptions, type World } from './options.js';
import { hashOf, type Decisions } from './plan.js';
import { SimulatedProcess, type VirtualTime } from './process.js';

/** What a scene is made of. */
export interface SceneInit {
  readonly options: SimulationOptions;
  readonly seed: number;
  readonly time: VirtualTime;
  readonly world: SimulatedProcess;
  readonly recorder: Recorder;
  readonly names: Names;
  readonly decisions: Decisions;
  readonly folder: string;
}

/** The marketplace with its sellers, the bot, and what lies between them. */
export interface Scene extends SceneInit {
  readonly marketplace: FakeMarketplace;
  readonly sellers: readonly Account[];
  readonly items: readonly Item[];
  readonly network: Network;
  readonly bots: Bots;
  /** Where the starts of the bot find the marketplace. */
  readonly baseUrls: ReadonlySet<string>;
}

/** Sets the scene. The bot has not begun. */
export function createScene(init: SceneInit): Scene {
  const { options, world, recorder } = init;
  const marketplace = new FakeMarketplace(options.marketplace);
  const { serve } = marketplace;
  // A client that was made with `marketplace.clientFor` is subject to the same faults.
  Object.defineProperty(marketplace, 'fetch', { value: (...args: Parameters<typeof fetch>) => fetch(...args) });
  const dateAheadMs = aheadMs(init, 'clock of the service', 1000);
  const network = new Network({ ...init, marketplace, serve, outside: options.outside, dateAheadMs });
  const sellers = Array.from({ length: options.sellers ?? 2 }, (_, index) =>
    marketplace.addUser({ user_id: 7 + index, nickname: `seller${index + 1}` }),
  );
  for (const { user_id, nickname } of sellers) init.names.give(user_id, nickname);
  const items = sellers.map(({ user_id }) => marketplace.addItem({ seller_id: user_id }));
  const baseUrls = new Set<string>();
  const worldOf = worldsOf(init, marketplace, sellers, baseUrls);
  const processOf = (start: number): SimulatedProcess => botProcess(init, network, start);
  const bots = new Bots({ bot: options.bot, world, recorder, processOf, worldOf });
  return { ...init, marketplace, sellers, items, network, bots, baseUrls };
}

function worldsOf(
  { time, folder, recorder }: SceneInit,
  marketplace: FakeMarketplace,
  sellers: readonly Account[],
  baseUrls: Set<string>,
): (start: number) => World {
  const tokens = new Map(sellers.map((seller) => [seller.user_id, marketplace.tokenFor(seller)]));
  const lasting = new Map<string, unknown>();
  return (start) => {
    const baseUrl = nextBaseUrl();
    baseUrls.add(baseUrl);
    return {
      ...{ sellers, baseUrl, marketplace, folder, lasting, start },
      client: (user_id, options) => new SellerClient({ baseUrl, accessToken: tokens.get(user_id) ?? '', ...options }),
      log: (text) => recorder.line(time.now, `log: ${text}`),
    };
  };
}

let starts = 0;

/**
 * Each start has one of its own: what an earlier run has left behind is not taken for a request of this one. All are equally long,
 * because a message that contains one may be cut off.
 */
function nextBaseUrl(): string {
  starts += 1;
  return `https://start${String(starts).padStart(9, '0')}.marketplace.test`;
}

/** By how much a clock is ahead, in milliseconds: as `clockDifferenceMs` says, and at most `most`. */
function aheadMs({ options, decisions }: SceneInit, clock: string, most = Infinity): number {
  return Math.round((2 * decisions.amount(clock) - 1) * Math.min(most, sharesOf(options).clockDifferenceMs ?? 0));
}

function botProcess(init: SceneInit, network: Network, start: number): SimulatedProcess {
  const { time, seed, recorder } = init;
  return new SimulatedProcess({
    name: 'The bot',
    time,
    seed: hashOf(seed, `start ${start}`),
    clockAheadMs: aheadMs(init, 'clock'),
    print: (text) => recorder.line(time.now, `bot: ${text.split('\n')[0] ?? ''}`),
    fetch: (request, from) => network.send(request, from, start),
  });
}

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
