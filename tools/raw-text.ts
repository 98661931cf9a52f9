import { readFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';
import { transform } from 'esbuild';
import type { Plugin } from 'esbuild';
import { pageScript } from './page-script.ts';

/**
 * Lets esbuild handle `import text from './file.css?raw'` as Vite does: it inlines the text of the file, without white space.
 * `import text from './page.ts?script'` inlines the script with all that it imports; vitest.config.ts does the same.
 */
export const rawText: Plugin = {
  name: 'raw-text',
  setup(build) {
    const { outdir, metafile } = build.initialOptions;
    build.onResolve({ filter: /\?raw$/ }, ({ path, importer }) => {
      const from = join(dirname(importer), path);
      // This path appears in the source map, so it contains no folder of this machine. The suffix stays, so that no other
      // plugin treats the file as a style sheet.
      return { path: relative(process.cwd(), from), namespace: 'raw-text', pluginData: from.replace(/\?raw$/, '') };
    });
    build.onResolve({ filter: /\?script$/ }, ({ path, importer }) => {
      const from = join(dirname(importer), path);
      return { path: relative(process.cwd(), from), namespace: 'script', pluginData: from.replace(/\?script$/, '') };
    });
    build.onLoad({ filter: /.*/, namespace: 'script' }, async ({ pluginData }) => ({
      contents: await pageScript(
        String(pluginData),
        outdir && metafile ? join(outdir, 'metafile-page.json') : undefined,
      ),
      loader: 'text',
    }));
    build.onLoad({ filter: /.*/, namespace: 'raw-text' }, async ({ pluginData }) => ({
      contents: await shortened(String(pluginData)),
      loader: 'text',
    }));
  },
};

async function shortened(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return extname(file) === '.css' ? (await transform(text, { loader: 'css', minifyWhitespace: true })).code : text;
}
