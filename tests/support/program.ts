import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { rawText } from '../../tools/raw-text.ts';

const root = join(import.meta.dirname, '../..');

/** Bundles a program with the sources of this package; what others wrote it finds in node_modules. */
export async function bundled(program: string): Promise<string> {
  const outfile = join(root, 'node_modules/.cache/programs', `${program.replaceAll('/', '-')}.mjs`);
  await build({
    entryPoints: [join(root, program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    packages: 'external',
    plugins: [rawText],
    alias: {
      '#transport': join(root, 'src/core/transport/node.ts'),
      'marketplace-seller-sdk/notifications': join(root, 'src/notifications/index.ts'),
      'marketplace-seller-sdk/testing': join(root, 'src/testing/index.ts'),
      'marketplace-seller-sdk': join(root, 'src/index.ts'),
    },
  });
  return outfile;
}

/** Runs a program to its end. */
export async function run(
  program: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [await bundled(program)], { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}
