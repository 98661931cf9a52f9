import type * as AsyncHooks from 'node:async_hooks';
import type * as Crypto from 'node:crypto';
import type * as Fs from 'node:fs';
import type * as Http from 'node:http';
import type * as Os from 'node:os';
import type * as Sqlite from 'node:sqlite';
import type * as Streams from 'node:stream';

interface NodeModules {
  'node:crypto': typeof Crypto;
  'node:async_hooks': typeof AsyncHooks;
  'node:fs': typeof Fs;
  'node:http': typeof Http;
  'node:os': typeof Os;
  'node:sqlite': typeof Sqlite;
  'node:stream': typeof Streams;
}

/**
 * Returns a module of Node.js, which Deno and Bun have too; `undefined` on other platforms. It is not imported, because
 * bundlers for browsers fail at every import of a module of Node.js, even if it is never executed.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name) as NodeModules[Name] | undefined;
}
