import { ConfigurationError } from '../core/errors/errors.js';
import { checks as all } from './checks.js';
import { SimulationError } from './error.js';
import type { History } from './history.js';
import { assertOptions } from './options.js';
import type { Check, SimulationOptions } from './options.js';
import { isFault } from './decisions.js';
import { loadLateModules } from './late-modules.js';
import { planOf } from './plan.js';
import { runSeed } from './run.js';
import { shrink } from './shrink.js';

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
