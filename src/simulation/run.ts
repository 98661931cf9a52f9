import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../core/errors/errors.js';
import { checks } from './checks.js';
import { PlannedEvents, subscribe } from './events.js';
import { installGlobals } from './globals.js';
import { clockText, Names, Recorder, type BotStats, type History } from './history.js';
import { sharesOf, type SimulationOptions } from './options.js';
import { dayMs, Decisions, hashOf, planOf } from './plan.js';
import { Activity, currentProcess, SimulatedProcess, VirtualTime } from './process.js';
import { createScene, type Bots, type Scene } from './scene.js';

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

/** How long the bot has to be silent, in milliseconds: longer than what waits in an inbox or an outbox until it is tried again. */
const silentMs = 7_200_000;

/** What may be wrong now, and right later. */
const mayHeal = [checks.answered, checks.allReplied, checks.acknowledgedHandled, checks.missedHandled];

/**
 * Whether the quiet day can end: for two hours the bot counts the same, nothing was written or announced, and nothing is open. A
 * bot that does not count may have work that nobody sees, so it gets the whole day.
 */
function isSettled(history: History, now: number, counted: BotStats | undefined): boolean {
  const { calls, deliveries, stats } = history;
  if (!stats || stats.running > 0 || stats.waiting !== counted?.waiting || stats.dead !== counted.dead) return false;
  const isRecent = ({ at }: { readonly at: number }): boolean => at > now - silentMs;
  if (calls.some((call) => call.method !== 'GET' && isRecent(call)) || deliveries.some(isRecent)) return false;
  return mayHeal.every((check) => check(history).length === 0);
}

type ErrorListener = (error: unknown, source: unknown) => void;

const kinds = ['unhandledRejection', 'uncaughtException'] as const;

/**
 * Tells of the errors of simulated processes that nobody handled. The listeners of the test runner hear only of others.
 *
 * @returns a function that ends this
 */
function watchUnhandled(onCrash: (from: SimulatedProcess, error: unknown) => void): () => void {
  const undo = kinds.map((kind) => {
    const others = process.listeners(kind as 'uncaughtException') as ErrorListener[];
    const listener: ErrorListener = (error, source) => {
      const from = currentProcess();
      if (from) onCrash(from, error);
      else if (others.length > 0) for (const other of others) other.call(process, error, source);
      else throw error;
    };
    process.removeAllListeners(kind);
    process.on(kind, listener);
    return () => {
      process.off(kind, listener);
      for (const other of others) process.on(kind, other);
    };
  });
  return () => undo.forEach((each) => each());
}
