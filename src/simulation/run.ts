import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../core/errors/errors.js';
import { Activity } from './activity.js';
import type { Bots } from './bots.js';
import { Decisions, hashOf } from './decisions.js';
import { subscribe } from './deliveries.js';
import { PlannedEvents } from './events.js';
import { installGlobals } from './globals.js';
import { Recorder, clockText } from './history.js';
import type { BotStats, History } from './history.js';
import { Names } from './names.js';
import { sharesOf } from './options.js';
import type { SimulationOptions } from './options.js';
import { dayMs, planOf } from './plan.js';
import { SimulatedProcess } from './process.js';
import { createScene } from './scene.js';
import type { Scene } from './scene.js';
import { isSettled, silentMs } from './settled.js';
import { watchUnhandled } from './unhandled.js';
import { VirtualTime } from './virtual-time.js';

/** A Monday. */
const startedAt = Date.UTC(2026, 2, 2);
const hourMs = 3_600_000;
/** How long the bot may take to count what is left, and at the end to stop, in milliseconds. */
const endMs = 60_000;

/** What came of a run. */
export interface SeedResult {
  readonly history: History;
  /** The names of what has happened and can be left out, in order. */
  readonly happened: readonly string[];
}

/** Simulates the days of one seed. @throws {ConfigurationError} when the bot leaves the simulation, or never becomes idle */
export async function runSeed(
  options: SimulationOptions,
  seed: number,
  only: readonly string[] | undefined,
): Promise<SeedResult> {
  const undo: (() => void)[] = [];
  try {
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'simulation-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const others: { noteOther?: (url: string) => void } = {};
    undo.push(installGlobals((url) => others.noteOther?.(url)));
    const run = new SeedRun(options, seed, only && new Set(only), folder);
    undo.push(() => run.close());
    others.noteOther = (url) => run.noteOther(url);
    return await run.result();
  } finally {
    for (const each of undo.reverse()) each();
  }
}

class SeedRun {
  readonly #scene: Scene;
  readonly #activity = new Activity();
  readonly #unwatch: () => void;
  /** What was thrown around the bot. */
  #failure: Error | undefined;

  constructor(options: SimulationOptions, seed: number, only: ReadonlySet<string> | undefined, folder: string) {
    const time = new VirtualTime(startedAt);
    const world = worldProcess(time, seed);
    const names = new Names();
    const recorder = new Recorder(startedAt, names);
    const decisions = new Decisions(seed, sharesOf(options), only);
    const init = { options, seed, time, world, recorder, names, decisions, folder };
    this.#scene = world.run(() => createScene(init));
    subscribe(this.#scene);
    this.#unwatch = watchUnhandled((from, error) => this.#crash(from, error));
  }

  async result(): Promise<SeedResult> {
    const { options, seed, world, bots, decisions } = this.#scene;
    const { days = 1 } = options;
    world.run(() => {
      const events = new PlannedEvents(this.#scene);
      bots.begin();
      for (const event of planOf(options, seed).filter(({ name }) => decisions.includes(name)))
        setTimeout(() => events.happen(event), event.at);
      setTimeout(() => events.calmDown(), days * dayMs);
    });
    await this.#drive(startedAt + days * dayMs);
    await this.#quietDay(startedAt + days * dayMs);
    const stats = await this.#ended(bots);
    return { history: this.#historyOf(stats), happened: decisions.happened };
  }

  close(): void {
    this.#scene.bots.kill();
    this.#scene.world.end();
    this.#unwatch();
    this.#activity.close();
  }

  /** A request that no process sends, and that goes to the marketplace of this run, comes from its bot. */
  noteOther(url: string): void {
    if (URL.canParse(url) && this.#scene.baseUrls.has(new URL(url).origin)) this.#activity.left('sent a request');
  }

  #crash(from: SimulatedProcess, error: unknown): void {
    const { bots, world } = this.#scene;
    if (from === world) this.#failure ??= error instanceof Error ? error : new Error(String(error));
    else bots.crash(from, error);
  }

  /** Fires one timer after the other until a time, or until something has resolved. */
  async #drive(until: number, isDone: () => boolean = () => false): Promise<void> {
    const { seed, time, bots } = this.#scene;
    for (;;) {
      const failure = (await this.#activity.settle()) ?? bots.process?.failure;
      if (this.#failure) throw this.#failure;
      if (failure !== undefined)
        throw new ConfigurationError(`${failure} It was with seed ${seed}, on ${clockText(time.now - startedAt)}.`);
      const fired = isDone() ? undefined : time.fireNext(until);
      if (!fired) return;
      fired.owner.count('timers');
    }
  }

  /** Looks each hour whether more can come: what the bot would do after that is to ask, and to find nothing. */
  async #quietDay(begin: number): Promise<void> {
    const counted = new Map<number, BotStats | undefined>();
    for (let at = begin + hourMs; at <= begin + dayMs; at += hourMs) {
      await this.#drive(at);
      counted.set(at, await this.#within(this.#scene.bots.stats().catch(() => undefined)));
      if (isSettled(this.#historyOf(counted.get(at)), at, counted.get(at - silentMs))) return;
    }
  }

  /** Asks the bot what is left, and stops it. */
  async #ended(bots: Bots): Promise<BotStats | undefined> {
    const { recorder, time, world } = this.#scene;
    const failed = (error: unknown): void => recorder.line(time.now, `stats() failed: ${String(error)}`);
    recorder.end(time.now);
    const counted: { stats?: BotStats | undefined } = {};
    const stats = bots.stats().then((counts) => (counted.stats = counts), failed);
    await this.#within(stats.then(() => world.run(() => bots.stop())));
    return counted.stats;
  }

  /** Goes on until something has resolved. @returns its value; `undefined` where it takes too long */
  async #within<T>(promise: Promise<T>): Promise<T | undefined> {
    const end: { isOver: boolean; value?: T } = { isOver: false };
    void promise.then((value) => (end.value = value)).finally(() => (end.isOver = true));
    await this.#drive(this.#scene.time.now + endMs, () => end.isOver);
    return end.value;
  }

  #historyOf(stats: BotStats | undefined): History {
    const { seed, recorder, names, marketplace } = this.#scene;
    const { events, calls, deliveries, crashes, revoked } = recorder;
    const nameOf = (id: number | string): string => names.of(id);
    const traced = recorder.traced();
    let trace: readonly string[] | undefined;
    return {
      ...{ seed, events, calls, deliveries, crashes, revoked, marketplace, stats, nameOf },
      get trace() {
        return (trace ??= traced());
      },
    };
  }
}

/** Everything around the bot. */
function worldProcess(time: VirtualTime, seed: number): SimulatedProcess {
  return new SimulatedProcess({
    name: 'The marketplace',
    time,
    seed: hashOf(seed, 'the world'),
    print: () => undefined,
    fetch: (request) => Promise.reject(new Error(`The marketplace has no way to ${request.url}`)),
  });
}
