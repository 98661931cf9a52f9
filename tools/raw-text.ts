import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/** Lets esbuild read `import text from './file.css?raw'` as Vite does: the text of the file, in its place. */
export const rawText: Plugin = {
  name: 'raw-text',
  setup(build) {
    build.onResolve({ filter: /\?raw$/ }, ({ path, importer }) => {
      const from = join(dirname(importer), path);
      // What stands here stands in the source map: no folder of this machine. And the ending stays, so that no other
      // plugin takes the file for a style sheet.
      return { path: relative(process.cwd(), from), namespace: 'raw-text', pluginData: from.replace(/\?raw$/, '') };
    });
    build.onLoad({ filter: /.*/, namespace: 'raw-text' }, async ({ pluginData }) => ({
      contents: await readFile(String(pluginData), 'utf8'),
      loader: 'text',
    }));
  },
};
