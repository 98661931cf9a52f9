import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The file in which ky finds out, as it is imported, what the platform can do. */
export const probes = /[\\/]ky[\\/]distribution[\\/]core[\\/]constants\.js$/;

const expected = [
  'supportsAbortController',
  'supportsAbortSignal',
  'supportsFormData',
  'supportsRequestStreams',
  'supportsResponseStreams',
];

/**
 * ky's questions to the platform, all answered with no: they are about what the life of a call does by itself (ending a
 * request, progress, form data). Asking would load the platform's fetch at import, and a yes would cost each request a
 * controller and a signal of its own. See docs/decisions/what-ky-costs.md.
 *
 * @throws {Error} when ky asks other questions than it did.
 */
export function quieted(code: string): string {
  const asked: string[] = [];
  const quiet = code.replace(
    /^(export const (supports\w+) = )(?:\(\(\) => \{\n[^]*?^\}\)\(\)|[^;\n]*);$/gm,
    (probe, start: string, name: string) => {
      asked.push(name);
      // The lines stay where they are, for the source map.
      return `${start}false;${'\n'.repeat(probe.split('\n').length - 1)}`;
    },
  );
  if (asked.sort().join() !== expected.join()) {
    throw new Error(`ky asks the platform for ${asked.join(', ')}; tools/quiet-ky.ts knows of ${expected.join(', ')}`);
  }
  return quiet;
}

/** Bundles ky as `quieted` leaves it. */
export const quietKy: Plugin = {
  name: 'quiet-ky',
  setup(build) {
    build.onLoad({ filter: probes }, async ({ path }) => ({ contents: quieted(await readFile(path, 'utf8')) }));
  },
};
