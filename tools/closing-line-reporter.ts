import { readFileSync } from 'node:fs';
import type { UserConsoleLog } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { seed } from '../tests/support/seed.ts';
import { findProgram } from './find-program.mjs';

/**
 * Ends vitest's output with what ran, what was left out and why, and `N passed, N failed, N skipped` alone on the last line, after
 * the coverage table.
 *
 * A file that could not be loaded counts as one failed test, and so does what a test prints: a line that looks like a failure and
 * is none hides the one that is. A test silences the logger, or says which line it expects.
 */
export default class ClosingLineReporter implements Reporter {
  readonly #printed: UserConsoleLog[] = [];

  onUserConsoleLog(log: UserConsoleLog): void {
    this.#printed.push(log);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const broken =
      modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length + this.#printed.length;
    if (this.#printed.length > 0) process.exitCode = 1;
    const isWholeRun = !process.argv.some((argument) => argument.startsWith('tests'));
    const { PASSED_CHECKS: checks } = process.env;
    const lines = [
      ...(checks === undefined ? [] : [`Checked: ${checks}.`]),
      `Ran: ${tests.length - count('skipped')} tests of ${modules.length} files; seed of the property tests: ${seed} (FUZZ_SEED).`,
      ...this.#printed.map(({ taskId, content }) => {
        const name = tests.find(({ id }) => id === taskId)?.fullName ?? 'outside of a test';
        return `Printed, which counts as a failure (${name}): ${content.trim().slice(0, 200)}`;
      }),
      ...leftOut(tests.filter((test) => test.result().state === 'skipped')),
      ...(isWholeRun && !modules.some(isOfBrowser) ? [outsideOfNpmTest] : []),
      `${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`,
    ];
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}

const outsideOfNpmTest =
  'Left out: tests that kill processes, put a load on the machine, start a browser or repeat days that failed once. To run them: npm run test:coverage.';

/** What some tests need beside Node, with the module of `tests/support` that looks for it. */
const programs = [
  ['redis-server', /support\/(redis|inbox-engines|shared-places)\.ts/],
  ['postgres', /support\/(postgres|inbox-engines|shared-places)\.ts/],
  ['chromium', /support\/chromium\.ts/],
] as const;

/** One line for each program that is missing, and one for what this machine or this version of Node.js cannot show. */
function leftOut(skipped: readonly TestCase[]): string[] {
  const reasons = new Map<string, number>();
  for (const { module } of skipped) {
    const text = readFileSync(module.moduleId, 'utf8');
    const [program] = programs.find(([name, needs]) => needs.test(text) && findProgram(name) === undefined) ?? [];
    const reason =
      program === undefined ? 'this system or Node.js lacks what they show' : `install ${program} for them`;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons].map(([reason, count]) => `Left out: ${count} tests; ${reason}.`);
}

function isOfBrowser({ moduleId }: TestModule): boolean {
  return moduleId.replaceAll('\\', '/').includes('/tests/browser/');
}
