import type { Reporter, TestModule } from 'vitest/node';
import { seed } from '../tests/support/seed.ts';
import { findProgram } from './find-program.mjs';

/**
 * Ends vitest's output with the seed of the property tests, what was left out and how to include it, and
 * `N passed, N failed, N skipped` alone on the last line, after the coverage table.
 *
 * A file that could not be loaded counts as one failed test.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length;
    const skipped = count('skipped');
    const missing = (['redis-server', 'chromium'] as const).filter((program) => findProgram(program) === undefined);
    const isWholeRun = !process.argv.some((argument) => argument.startsWith('tests'));
    const lines = [
      `Seed of the property tests: ${seed} (FUZZ_SEED)`,
      ...(skipped > 0 && missing.length > 0
        ? [`Left out: ${skipped} tests. To include them, install ${missing.join(' and ')}.`]
        : []),
      ...(isWholeRun && !modules.some(isOfBrowser) ? [`Left out: ${outsideOfNpmTest}`] : []),
      `${count('passed')} passed, ${count('failed') + broken} failed, ${skipped} skipped`,
    ];
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}

const outsideOfNpmTest =
  'tests that kill processes, put a load on the machine, or start Chromium, Redis or PostgreSQL. To run them: npm run test:coverage.';

function isOfBrowser({ moduleId }: TestModule): boolean {
  return moduleId.replaceAll('\\', '/').includes('/tests/browser/');
}
