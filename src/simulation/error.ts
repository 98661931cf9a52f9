import { SellerError } from '../core/errors/seller-error.js';

/** What a simulation has found. */
interface Found {
  readonly seed: number;
  readonly only: readonly string[];
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly runs: number;
}

/** The longest trace that is printed. */
const mostLines = 120;

/**
 * A check has failed in a simulation. The message has the seed, what is wrong, the shortest trace that was found and the line
 * that replays it.
 *
 * Remedy: run the line that replays it, with a debugger or with `world.log(...)` in the bot, until the check passes; then run
 * all seeds again.
 */
export class SimulationError extends SellerError {
  static override readonly kind: string = 'SimulationError';
  readonly seed: number;
  /** The events and faults that are enough for the failure: pass them as `only`. */
  readonly only: readonly string[];
  /** What is wrong, one sentence each. */
  readonly violations: readonly string[];
  /** What has happened in the shortest run, one line each. */
  readonly trace: readonly string[];

  constructor({ seed, only, violations, trace, runs }: Found) {
    const left = trace.length - mostLines;
    const shown = left > 0 ? [...trace.slice(0, mostLines), `(${left} more lines in \`trace\`)`] : trace;
    const names = only.map((name) => `'${name}'`).join(', ');
    super(
      [
        `The bot fails with seed ${seed}; ${only.length} events are enough (found in ${runs} runs):`,
        ...violations.map((violation) => `  ${violation}`),
        'Trace:',
        ...shown.map((line) => `  ${line}`),
        'To replay it:',
        `  await simulate({ ...options, seeds: [${seed}], only: [${names}] });`,
      ].join('\n'),
    );
    this.seed = seed;
    this.only = only;
    this.violations = violations;
    this.trace = trace;
  }
}
