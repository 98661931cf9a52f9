import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends vitest's output with `N passed, N failed` alone on a line, after the coverage table.
 *
 * A file that could not be loaded counts as one failed test.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const line = closingLine(modules, unhandledErrors);
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}

function closingLine(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
  const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length;
  return `${count('passed')} passed, ${count('failed') + broken} failed`;
}
