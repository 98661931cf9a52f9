import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The file in which ky detects, at import, what the platform supports. */
export const probes = /[\\/]ky[\\/]distribution[\\/]core[\\/]constants\.js$/;

const expected = [
  'supportsAbortController',
  'supportsAbortSignal',
  'supportsFormData',
  'supportsRequestStreams',
  'supportsResponseStreams',
];

/**
 * ky's checks of the platform, all answered with no. They concern features that this library implements itself (aborts,
 * progress, form data). Running them would load the platform's fetch at import, and a yes would cost each request its own
 * controller and signal. See docs/decisions/what-ky-costs.md.
 *
 * @throws {Error} when ky makes other checks than expected.
 */
export function quieted(code: string): string {
  const asked: string[] = [];
  const quiet = code.replace(
    /^(export const (supports\w+) = )(?:\(\(\) => \{\n[^]*?^\}\)\(\)|[^;\n]*);$/gm,
    (probe, start: string, name: string) => {
      asked.push(name);
      // The number of lines stays the same, for the source map.
      return `${start}false;${'\n'.repeat(probe.split('\n').length - 1)}`;
    },
  );
  if (asked.sort().join() !== expected.join()) {
    throw new Error(`ky checks the platform for ${asked.join(', ')}; tools/quiet-ky.ts expects ${expected.join(', ')}`);
  }
  return quiet;
}

/** Bundles ky with the changes of `quieted`. */
export const quietKy: Plugin = {
  name: 'quiet-ky',
  setup(build) {
    build.onLoad({ filter: probes }, async ({ path }) => ({ contents: quieted(await readFile(path, 'utf8')) }));
  },
};
