// Runs TypeScript 7: both compilers have a command `tsc`, and which one npm puts on the PATH is left to chance.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('typescript-native/package.json');
await import(pathToFileURL(join(manifest, '../lib/tsc.js')).href);
