import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { packagePaths } from './package-paths.ts';

/**
 * Joins a script of a page, with the packages that it imports, into one that a browser runs.
 *
 * @param metafile where what it was made of is written, for the bill of materials
 */
export async function pageScript(file: string, metafile?: string): Promise<string> {
  const { outputFiles, metafile: made } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    minify: true,
    plugins: [packagePaths],
  });
  if (metafile !== undefined) {
    await mkdir(dirname(metafile), { recursive: true });
    await writeFile(metafile, JSON.stringify(made));
  }
  return outputFiles.map(({ text }) => text).join('');
}

/** Lets Vite handle `import text from './page.ts?script'` as the build of the package does. */
export async function loadPageScript(id: string): Promise<string | undefined> {
  if (!id.endsWith('?script')) return undefined;
  return `export default ${JSON.stringify(await pageScript(id.replace(/\?script$/, '')))};`;
}
