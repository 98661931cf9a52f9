import { readFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';
import { transform } from 'esbuild';
import type { Plugin } from 'esbuild';

/** Lets esbuild handle `import text from './file.css?raw'` as Vite does: it inlines the text of the file, without white space. */
export const rawText: Plugin = {
  name: 'raw-text',
  setup(build) {
    build.onResolve({ filter: /\?raw$/ }, ({ path, importer }) => {
      const from = join(dirname(importer), path);
      // This path appears in the source map, so it contains no folder of this machine. The suffix stays, so that no other
      // plugin treats the file as a style sheet.
      return { path: relative(process.cwd(), from), namespace: 'raw-text', pluginData: from.replace(/\?raw$/, '') };
    });
    build.onLoad({ filter: /.*/, namespace: 'raw-text' }, async ({ pluginData }) => ({
      contents: await shortened(String(pluginData)),
      loader: 'text',
    }));
  },
};

async function shortened(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  const loader = ({ '.js': 'js', '.css': 'css' } as const)[extname(file)];
  return loader === undefined ? text : (await transform(text, { loader, minifyWhitespace: true })).code;
}
