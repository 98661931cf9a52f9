import { transform } from 'esbuild';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['plugins']>[number];

/**
 * Converts each file to CommonJS with esbuild. By itself, tsup does it with sucrase, which renames classes and writes
 * wrong code where there is no white space. `import()` becomes a lazy `require`, because Jest runs CommonJS in a context
 * where `import()` fails.
 */
export const commonJs: Plugin = {
  name: 'common-js',
  renderChunk: (code) =>
    transform(code, {
      format: 'cjs',
      target: 'es2023',
      platform: 'node',
      supported: { 'dynamic-import': false },
      minifyWhitespace: true,
      minifySyntax: true,
      // Node prints the line that throws before the message of an uncaught error: it must be short.
      lineLimit: 120,
    }),
};
