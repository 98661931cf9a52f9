import { ConfigurationError } from '../core/errors/errors.js';
import { SellerError } from '../core/errors/seller-error.js';
import { checks as all } from './checks.js';
import type { History } from './history.js';
import { assertOptions, type Check, type SimulationOptions } from './options.js';
import { isFault, planOf } from './plan.js';
import { runSeed } from './run.js';

/** What the first check that fails has found. */
interface FailedCheck {
  readonly check: Check;
  readonly violations: readonly string[];
  readonly history: History;
}

let isRunning = false;

/**
 * Runs a bot through days of a simulated marketplace: the same seed always gives the same day.
 *
 * Buyers ask, buy and write; calls and notifications are lost, doubled and late; the bot is killed and starts again. Time is
 * virtual, so a day takes a fraction of a second. Only on Node.js.
 *
 * @example
 * await simulate({
 *   seeds: 5,
 *   bot: (world) => {
 *     const inbox = createInbox({
 *       clientFor: (user_id) => world.client(user_id),
 *       on: { questions: async (_, { read }) => world.log((await read()).status ?? '') },
 *     });
 *     return { callback: fetchHandler(inbox), stop: () => inbox.close() };
 *   },
 *   checks: [checks.noUnhandledError],
 * });
 * @throws {SimulationError} when a check fails, with the shortest run that was found.
 * @throws {ConfigurationError} when an option is unknown or wrong, `only` names what cannot happen, another simulation runs, or
 * the bot leaves the simulation, as by a port, or never becomes idle.
 */
export async function simulate<Inputs extends readonly unknown[] = readonly unknown[]>(
  options: SimulationOptions<Inputs>,
): Promise<void> {
  assertOptions(options);
  const { seeds } = options;
  const list = typeof seeds === 'number' ? Array.from({ length: seeds }, (_, index) => index + 1) : seeds;
  assertPlanned(options, list);
  if (isRunning)
    throw new ConfigurationError('simulate: another simulation runs in this process; await it before the next');
  isRunning = true;
  try {
    await loadLateModules();
    for (const seed of list) await simulateSeed(options, seed);
  } finally {
    isRunning = false;
  }
}

async function simulateSeed(options: SimulationOptions, seed: number): Promise<void> {
  const { history, happened } = await runSeed(options, seed, options.only);
  const failure = failureOf(options.checks ?? all.usual, history);
  if (!failure) return;
  const {
    only,
    runs,
    failure: shortest,
  } = await shrink(happened, failure, async (names) => {
    const run = await runSeed(options, seed, names);
    return failureOf([failure.check], run.history);
  });
  const { violations } = shortest;
  throw new SimulationError({ seed, only, violations, trace: shortest.history.trace, runs: runs + 1 });
}

/** @throws {ConfigurationError} when `only` names an event that no seed plans: the run would prove nothing */
function assertPlanned(options: SimulationOptions, seeds: readonly number[]): void {
  const { only = [] } = options;
  if (only.length === 0) return;
  const planned = new Set(seeds.flatMap((seed) => planOf(options, seed)).map(({ name }) => name));
  const unknown = only.filter((name) => !planned.has(name) && !isFault(name));
  if (unknown.length > 0)
    throw new ConfigurationError(
      `simulate: \`only\` names what no seed of these plans, with these options: ${unknown.join(', ')}`,
    );
}

function failureOf(checks: readonly Check[], history: History): FailedCheck | undefined {
  for (const check of checks) {
    const violations = violationsOf(check, history);
    if (violations.length > 0) return { check, violations, history };
  }
  return undefined;
}

/** What a check says. One that throws, as an assertion of a test runner does, has found what it throws. */
function violationsOf(check: Check, history: History): readonly string[] {
  let found: unknown;
  try {
    found = check(history);
  } catch (error) {
    return [String(error)];
  }
  if (Array.isArray(found)) return found as string[];
  throw new ConfigurationError('simulate: a check returns a list of strings: what is wrong, or nothing');
}

/** The most runs for one failure. */
const mostRuns = 60;

/** Runs only some events and faults. @returns the failure; `undefined` if there is none */
type RunOnly<Failure> = (only: readonly string[]) => Promise<Failure | undefined>;

/** What came of leaving events out. */
export interface Shrunk<Failure> {
  readonly only: readonly string[];
  readonly failure: Failure;
  readonly runs: number;
}

/**
 * Looks for few events and faults that still fail.
 *
 * By halves, it finds the shortest beginning that fails, keeps its last event, and goes on with what is before that. Then it
 * tries to leave out each event that is left, and to give faults of calls the lowest numbers.
 *
 * @param happened the names of all that has happened, in order
 */
export async function shrink<Failure>(
  happened: readonly string[],
  first: Failure,
  attempt: RunOnly<Failure>,
): Promise<Shrunk<Failure>> {
  const search = new Shrinking(happened, first, attempt);
  await search.halve();
  await search.removeSingly();
  await search.renumber();
  return { only: search.only, failure: search.failure, runs: search.runs };
}

class Shrinking<Failure> {
  /** The shortest list that is known to fail. */
  only: readonly string[];
  failure: Failure;
  runs = 0;
  readonly #attempt: RunOnly<Failure>;

  constructor(happened: readonly string[], first: Failure, attempt: RunOnly<Failure>) {
    this.only = happened;
    this.failure = first;
    this.#attempt = attempt;
  }

  /** Whether these fail too; then they are the shortest. */
  async #fails(only: readonly string[]): Promise<boolean> {
    if (this.runs >= mostRuns) return false;
    this.runs += 1;
    const failure = await this.#attempt(only);
    if (failure === undefined) return false;
    [this.only, this.failure] = [only, failure];
    return true;
  }

  async halve(): Promise<void> {
    let [before, kept]: [readonly string[], readonly string[]] = [this.only, []];
    while (before.length > 0 && !(await this.#fails(kept))) {
      let [passes, fails] = [0, before.length];
      while (fails - passes > 1 && this.runs < mostRuns) {
        const middle = (passes + fails) >> 1;
        if (await this.#fails([...before.slice(0, middle), ...kept])) fails = middle;
        else passes = middle;
      }
      kept = [...before.slice(fails - 1, fails), ...kept];
      before = before.slice(0, fails - 1);
    }
  }

  async removeSingly(): Promise<void> {
    for (const name of [...this.only].reverse()) await this.#fails(this.only.filter((each) => each !== name));
  }

  /** An earlier call may not happen any more, so that the second is the first. */
  async renumber(): Promise<void> {
    for (const name of this.only) {
      const number = Number(/#(\d+): /.exec(name)?.[1] ?? 1);
      for (let lower = 1; lower < number && this.runs < mostRuns; lower += 1) {
        const renamed = name.replace(/#\d+: /, `#${lower}: `);
        if (await this.#fails(this.only.map((each) => (each === name ? renamed : each)))) break;
      }
    }
  }
}

/** What a simulation has found. */
interface Found {
  readonly seed: number;
  readonly only: readonly string[];
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly runs: number;
}

/** The most lines of the trace and violations that are printed, and the most that differ only in numbers. */
const [mostLines, mostViolations] = [60, 10];
const mostAlike = 2;

/**
 * A check has failed in a simulation. The message has the seed, what is wrong, the shortest trace that was found and the line
 * that replays it.
 *
 * Remedy: run the line that replays it, with a debugger or with `world.log(...)` in the bot, until the check passes; then run
 * all seeds again.
 */
export class SimulationError extends SellerError {
  static override readonly kind: string = 'SimulationError';
  /** The same seed always gives the same day. */
  static override readonly lasting: boolean | undefined = true;
  /** The seed of the day on which it fails. */
  declare readonly seed: number;
  /** The events and faults that are enough for the failure: pass them as `only`. */
  declare readonly only: readonly string[];
  /** What is wrong, one sentence each. */
  declare readonly violations: readonly string[];
  /** What has happened in the shortest run, one line each. */
  declare readonly trace: readonly string[];

  /** @internal */
  constructor({ seed, only, violations, trace, runs }: Found) {
    const names = only.map((name) => `'${name}'`).join(', ');
    super(
      [
        `The bot fails with seed ${seed}. ${only.length === 1 ? 'One event is' : `${only.length} events are`} enough (found in ${runs} runs):`,
        ...shownOf(violations, 'violations', mostViolations).map((violation) => `  ${violation}`),
        'Trace:',
        ...shownOf(trace, 'trace', mostLines, only).map((line) => `  ${line}`),
        'To replay it:',
        `  await simulate({ ...options, seeds: [${seed}], only: [${names}] });`,
      ].join('\n'),
    );
    // The message has them: who prints the error sees them once.
    for (const [name, value] of Object.entries({ seed, only, violations, trace }))
      Object.defineProperty(this, name, { value });
  }
}

/** The lines to print: those of the events that are enough, and of others that are alike the first ones. */
function shownOf(lines: readonly string[], name: string, most: number, only: readonly string[] = []): string[] {
  const counts = new Map<string, number>();
  const different = lines.filter((line) => {
    const text = line.replace(/^day \S+ \S+ +/, '');
    const kind = text.replace(countedOrNamed, '');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return (counts.get(kind) ?? 0) <= mostAlike || only.includes(text.split(':')[0] ?? '');
  });
  const shown = different.slice(0, most);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `(${left} more lines are in \`${name}\`)`] : shown;
}

/** What does not make lines different: numbers of calls and starts, durations, ids and the names of events. */
const countedOrNamed = /#\d+|after \d+ ms|^(?:start|bot) \d+|\d{7,}|\b[qxsm]\d+(?:\.\d+b?)?\b/g;

/** Loads what the package loads on first use: the loader of modules knows no virtual time. */
async function loadLateModules(): Promise<void> {
  await Promise.all([
    import('form-data'),
    import('../core/files/multipart.js'),
    import('../core/files/node.js'),
    import('../core/files/open-download.js'),
    import('../core/transport/node-fetch.js'),
    import('../oauth/index.js'),
    import('../resources/flex/graphql/query.js'),
    import('../testing/handlers/flex-query.js'),
  ]);
}
