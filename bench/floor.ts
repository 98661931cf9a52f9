import { build } from 'esbuild';
import { here } from './measure.ts';

/** Bundles what ky and zod cost by themselves, as they are published, into the file that `peers.mjs` loads. */
export async function buildFloor(): Promise<void> {
  await build({
    entryPoints: [here('children/floor.ts')],
    outfile: here('node_modules/.floor/floor.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    logLevel: 'error',
  });
}
