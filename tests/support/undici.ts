import * as zlib from 'node:zlib';
import type * as Undici from 'undici';

/** undici 8; on a Node.js without Zstandard, which it does not run on, undici 6. */
export const undici: typeof Undici =
  'zstdCompressSync' in zlib ? await import('undici') : ((await import('undici6')) as never);
