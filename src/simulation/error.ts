import { SellerError } from '../core/errors/seller-error.js';

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
