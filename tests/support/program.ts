import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { rawText } from '../../tools/raw-text.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/programs');

const bundles = new Map<string, Promise<string>>();

/** Bundles a program with the sources of this package, once; what others wrote it finds in node_modules. */
export function bundled(program: string): Promise<string> {
  let file = bundles.get(program);
  if (!file) bundles.set(program, (file = bundle(program)));
  return file;
}

/** Two workers may bundle one program at the same time: the file is replaced as a whole, so that no process reads part of it. */
async function bundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, program)],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    packages: 'external',
    plugins: [rawText],
    alias: {
      '#platform': join(root, 'src/core/transport/platform-node.ts'),
      'marketplace-seller-sdk/oauth': join(root, 'src/oauth/index.ts'),
      'marketplace-seller-sdk/inbox': join(root, 'src/notifications/index.ts'),
      'marketplace-seller-sdk/outbox': join(root, 'src/outbox/index.ts'),
      'marketplace-seller-sdk/schemas': join(root, 'src/schemas.ts'),
      'marketplace-seller-sdk/simulation': join(root, 'src/simulation/index.ts'),
      'marketplace-seller-sdk/stores': join(root, 'src/stores.ts'),
      'marketplace-seller-sdk/testing': join(root, 'src/testing/index.ts'),
      'marketplace-seller-sdk/tools': join(root, 'src/tools/index.ts'),
      'marketplace-seller-sdk/openapi.json': join(root, 'docs/openapi.json'),
      'marketplace-seller-sdk': join(root, 'src/index.ts'),
    },
  });
  const file = join(folder, `${program.replaceAll('/', '-')}.mjs`);
  const part = `${file}.${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  for (const { contents } of outputFiles) writeFileSync(part, contents);
  renameSync(part, file);
  return file;
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
