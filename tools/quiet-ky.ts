import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The checks with which ky detects, at import, what the platform supports. */
const checks = [
  'supportsAbortController',
  'supportsAbortSignal',
  'supportsFormData',
  'supportsRequestStreams',
  'supportsResponseStreams',
];

/** The files of ky that this library changes: the one with the checks, and two that its options rule out. */
const changes: Readonly<Record<string, (code: string) => string>> = {
  'core/constants.js': withoutChecks,
  // With `retry: 0`, ky never asks how long to wait before a retry.
  'core/retry-timing.js': replacedBy({
    getRetryTimingHeader: '() => undefined',
    calculateRetryTimingDelay: '() => undefined',
  }),
  // Without the streams that ky checks for, it reports no progress.
  'utils/body.js': replacedBy({
    getBodySize: '() => 0',
    streamResponse: '(response) => response',
    streamRequest: '(request) => request',
  }),
};

const changedFiles = /[\\/]ky[\\/]distribution[\\/](core[\\/](?:constants|retry-timing)|utils[\\/]body)\.js$/;

/**
 * The code of a file of ky as this library uses it; `undefined` for a file that stays as it is.
 *
 * ky's checks of the platform are all answered with no. They concern features that this library implements itself
 * (aborts, progress, form data). Running them would load the platform's fetch at import, and a yes would cost each request
 * its own controller and signal. See docs/decisions/what-ky-costs.md.
 *
 * @throws {Error} when ky makes other checks, or the file exports other functions, than expected.
 */
export function quieted(path: string, code: string): string | undefined {
  const name = changedFiles.exec(path)?.[1]?.replace('\\', '/');
  return name === undefined ? undefined : changes[`${name}.js`]?.(code);
}

function withoutChecks(code: string): string {
  const asked: string[] = [];
  const quiet = code.replace(
    /^(export const (supports\w+) = )(?:\(\(\) => \{\n[^]*?^\}\)\(\)|[^;\n]*);$/gm,
    (check, start: string, name: string) => {
      asked.push(name);
      // The number of lines stays the same, for the source map.
      return `${start}false;${'\n'.repeat(check.split('\n').length - 1)}`;
    },
  );
  expectNames('checks the platform for', asked, checks);
  return quiet;
}

/** Replaces all functions of a file. */
function replacedBy(functions: Readonly<Record<string, string>>): (code: string) => string {
  return (code) => {
    const exported = Array.from(code.matchAll(/^export .*?(\w+) = /gm), ([, name = '']) => name);
    expectNames('exports', exported, Object.keys(functions));
    return Object.entries(functions)
      .map(([name, body]) => `export const ${name} = ${body};\n`)
      .join('');
  };
}

function expectNames(what: string, found: readonly string[], expected: readonly string[]): void {
  const [is, shouldBe] = [found, expected].map((names) => names.toSorted().join(', '));
  if (is !== shouldBe) throw new Error(`ky ${what} ${is}; tools/quiet-ky.ts expects ${shouldBe}`);
}

/** Bundles ky with the changes of `quieted`. */
export const quietKy: Plugin = {
  name: 'quiet-ky',
  setup(build) {
    build.onLoad({ filter: changedFiles }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      return { contents: quieted(path, code) ?? code };
    });
  },
};
