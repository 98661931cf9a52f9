import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf } from '../tools/imports.ts';
import type { Import } from '../tools/imports.ts';

const src = join(import.meta.dirname, '../src');
const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
const files = paths.filter((path) => path.endsWith('.ts'));
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(src, file), 'utf8')));
const within = imports.filter(({ to }) => files.includes(to));
const without = imports.filter(({ to }) => !files.includes(to));

/**
 * The rooms of `src`, lowest first: a file imports from its own room and from lower floors, types included. Rooms of one
 * floor do not know each other. A file that is named here is a room by itself.
 */
const floors: readonly (readonly string[])[] = [
  ['core/json'],
  ['core/errors'],
  ['core/scope'],
  ['core/schema'],
  ['core/operation'],
  ['core/options'],
  ['core/files'],
  ['core/request'],
  ['core/transport', 'core/limits'],
  ['core/response'],
  ['core/recover', 'core/paging'],
  ['core/client'],
  // What the inbox and the outbox have in common.
  ['work'],
  ['resources/fields.ts'],
  // What resources have in common: reading back by a list, the description of a resource.
  ['resources/confirm-by-list.ts', 'resources/describe.ts'],
  // What messages and the action guide have in common, a part of questions, and a part of Flex.
  ['resources/post-sale', 'resources/blacklist', 'resources/flex-items'],
  [
    'resources/action-guide',
    'resources/contacts',
    'resources/currencies',
    'resources/flex',
    'resources/items',
    'resources/questions',
    'resources/sites',
  ],
  // `messages.contact` chooses between the conversation and an option of the action guide.
  // The second generation of Flex has entities and errors of the first.
  ['resources/messages', 'resources/flex-v2'],
  ['client.ts', 'endpoints.ts'],
  ['create-http-client.ts'],
  ['notifications', 'oauth', 'otel', 'outbox', 'schemas.ts', 'stores.ts', 'tools'],
  ['testing'],
  ['simulation'],
  ['cli', 'index.ts'],
];

/** Pure functions of an entity that was read: what moderation has decided, whether a question takes an answer. */
const judgments = /^resources\/(?:post-sale\/moderation|questions\/question-facts)\.ts$/;

/** Two files that need each other's types, and why that is better than a third file. */
const pairs: readonly (readonly [string, string])[] = [];

describe('imports point one way', () => {
  test('each file has a floor', () => {
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  });

  test('a room imports from lower floors only, types included', () => {
    const upward = ({ from, to }: Import): boolean => roomOf(from) !== roomOf(to) && floorOf(to) >= floorOf(from);
    expect(those(within, upward)).toEqual([]);
  });

  test('in a resource, schemas and errors stand below endpoints, and endpoints below methods', () => {
    const ranks = [['graphql/'], ['schemas.ts', 'errors.ts', 'attachment-errors.ts'], ['endpoints.ts']];
    const rank = (file: string): number => {
      const found = ranks.findIndex((names) => names.some((name) => file.includes(`/${name}`)));
      return found < 0 ? ranks.length : found;
    };
    const upward = ({ from, to }: Import): boolean => roomOf(from) === roomOf(to) && rank(to) > rank(from);
    expect(those(within, (each) => isIn('resources', each.from) && upward(each))).toEqual([]);
  });

  test('notifications, testing and the CLI do not depend on the client; only the fake marketplace, the simulation and the commands that call a service create one', () => {
    const loads = within.filter(({ kind }) => kind !== 'type');
    const client = those(loads, ({ from, to }) => to === 'client.ts' && from !== 'index.ts');
    expect(client).toEqual([
      'cli/connection.ts -> client.ts',
      'simulation/scene.ts -> client.ts',
      'testing/marketplace.ts -> client.ts',
    ]);
    const knowsOfTests = those(
      within,
      ({ from, to }) => isIn('testing', to) && !['testing', 'simulation', 'cli'].some((room) => isIn(room, from)),
    );
    expect(knowsOfTests).toEqual([]);
    expect(
      those(
        loads,
        ({ from, to }) =>
          isIn('cli', from) && !/^(cli|testing|core|work|notifications|oauth|outbox|tools)\/|^client\.ts$/.test(to),
      ),
    ).toEqual([]);
    expect(those(within, ({ from, to }) => isIn('cli', to) && !isIn('cli', from))).toEqual([]);
    const notifies = ({ from, to }: Import): boolean =>
      isIn('notifications', from) &&
      !isIn('notifications', to) &&
      !isIn('core', to) &&
      !isIn('work', to) &&
      !judgments.test(to);
    expect(those(loads, notifies)).toEqual([]);
  });

  test('an inbox knows clients and entities by type, and judges what it has read: it reads through a client that the user passes', () => {
    const named = within.filter(({ from, to }) => isIn('notifications', from) && !isIn('notifications', to));
    const others = those(
      named,
      ({ to }) =>
        !isIn('core', to) &&
        !isIn('work', to) &&
        to !== 'client.ts' &&
        !judgments.test(to) &&
        !/^resources\/[\w-]+\/(?:schemas|message)\.ts$/.test(to),
    );
    expect(others).toEqual([]);
  });

  test('nothing in src imports index.ts, tests or tools', () => {
    expect(those(imports, ({ to }) => /^(index\.ts|\.\.\/)/.test(to))).toEqual([]);
  });

  test('no files import each other in a circle, types included', () => {
    const platforms = ['core/transport/platform-node.ts', 'core/transport/platform-portable.ts'];
    const ofPlatform = without.filter(({ to }) => to === '#platform');
    const all = [...within, ...ofPlatform.flatMap((each) => platforms.map((to) => ({ ...each, to })))];
    const edges = byImporter(
      all.filter(({ from, to }) => !pairs.some((pair) => pair.includes(from) && pair.includes(to))),
    );
    const circular = files.filter((file) => reached(file, edges).has(file));
    expect(circular).toEqual([]);
  });
});

describe('names', () => {
  test('no type name is declared twice', () => {
    const declarations = new Map<string, string[]>();
    // The page of the fake has no declarations.
    for (const file of files.filter((each) => !isIn('testing/dashboard/browser', each))) {
      for (const name of typesIn(readFileSync(join(src, file), 'utf8'))) {
        declarations.set(name, [...(declarations.get(name) ?? []), file]);
      }
    }
    expect([...declarations].filter(([, places]) => places.length > 1)).toEqual([]);
  });
});

test('an error decides by what it says of itself: its name and its message are for people', () => {
  const byWords =
    /\berror\.name [!=]==|\berror\.message(?: [!=]==|\.(?:includes|startsWith|match)\()|\.test\(error\.message\)/;
  expect(files.filter((file) => byWords.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
});

describe('third-party packages and Node', () => {
  const owners: Readonly<Record<string, readonly string[]>> = {
    ky: ['core/transport/fetch.ts'],
    '#platform': [
      'core/client/call.ts',
      'core/client/http-client.ts',
      'core/recover/failure.ts',
      'core/recover/memory-book.ts',
      'oauth/token-request.ts',
      'work/sql/store.ts',
      'simulation/globals.ts',
    ],
    'zod/v4/core': ['core/schema/schema.ts', 'core/schema/define.ts'],
    'form-data': ['core/files/multipart.ts', 'simulation/simulate.ts'],
    'graphql-request': ['resources/flex/graphql/query.ts'],
    graphql: ['resources/flex/graphql/query.ts', 'testing/handlers/flex-query.ts'],
    msw: ['testing/msw.ts'],
    'htm/preact': ['testing/dashboard/browser/preact.ts'],
    preact: ['testing/dashboard/browser/preact.ts'],
    'preact/hooks': ['testing/dashboard/browser/preact.ts'],
    '@opentelemetry/api': ['otel/index.ts'],
    oauth4webapi: ['oauth/oauth.ts'],
    '@modelcontextprotocol/sdk/server/mcp.js': ['cli/commands/mcp.ts'],
    '@modelcontextprotocol/sdk/server/stdio.js': ['cli/commands/mcp.ts'],
    '@modelcontextprotocol/sdk/types.js': ['cli/commands/mcp.ts'],
    // The document of this package, by the name under which users import it.
    'marketplace-seller-sdk/openapi.json': ['testing/dashboard/control.ts'],
  };
  // Texts are taken in from where they stand; `?raw` and `?script` say so.
  const packages = without.filter(
    ({ to }) => !to.startsWith('node:') && !/\?(?:raw|script)$/.test(to) && !paths.includes(to),
  );

  test('each third-party package is imported by its one owner', () => {
    const foreign = ({ from, to }: Import): boolean => !(owners[to] ?? []).includes(from);
    expect(those(packages, foreign)).toEqual([]);
  });

  test('a package that only some callers use is imported on first use', () => {
    const heavy = new Set(['form-data', 'graphql-request', 'graphql', 'msw']);
    const owning = new Set(packages.filter(({ to, kind }) => heavy.has(to) && kind !== 'type').map(({ from }) => from));
    for (const entry of ['index.ts', 'notifications/index.ts', 'testing/index.ts']) {
      const loaded = reached(entry, needed(within));
      expect([...owning].filter((file) => loaded.has(file))).toEqual([]);
    }
  });

  test('what is loaded on first use imports nothing of the client: bundlers would split the client in two', () => {
    const loads = needed(within);
    const client = new Set(
      ['index.ts', 'core/transport/platform-node.ts', 'core/transport/platform-portable.ts'].flatMap((file) => [
        file,
        ...reached(file, loads),
      ]),
    );
    // Of these, only bundles for Node load ky on first use, and their size matters less.
    const ky = 'core/transport/node-fetch.ts';
    const starts = within
      .filter(({ from, to, kind }) => kind === 'lazy' && client.has(from) && to !== ky)
      .map(({ to }) => to);
    expect(starts).toContain('core/files/multipart.ts');
    const lazy = starts.flatMap((start) => [start, ...reached(start, loads)]);
    expect(lazy.filter((file) => client.has(file))).toEqual([]);
  });

  test('node:* is imported only by files that run on Node', () => {
    const ofNode = without.filter(({ to, kind }) => to.startsWith('node:') && kind !== 'type');
    const eager = new Set([...reached('index.ts', needed(within))].filter((file) => !file.endsWith('node.ts')));
    expect(those(ofNode, ({ from, kind }) => kind === 'static' && eager.has(from))).toEqual([]);
    // The program of the command line is Node's own, and so is the simulation.
    const hidden = ({ from }: Import): boolean =>
      !/(^|\/)node\.ts$/.test(from) && !isLazy(from) && !isIn('cli', from) && !isIn('simulation', from);
    expect(those(ofNode, (each) => each.kind === 'static' && hidden(each))).toEqual([]);
  });
});

describe('the size and name of a file', () => {
  test('no file is longer than its limit', () => {
    // A file that holds one engine may be longer.
    const engines = ['work/memory.ts'];
    const most = (file: string): number => (engines.includes(file) ? 500 : 400);
    const long = files.filter((file) => linesOfCode(readFileSync(join(src, file), 'utf8')) > most(file));
    expect(long).toEqual([]);
  });

  test('no file is called utils, helpers, common, types or manager', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|types|managers?|misc)\.ts$/.test(file))).toEqual([]);
  });
});

/** The imports that break a rule, as `from -> to`. */
function those(all: readonly Import[], breaks: (each: Import) => boolean): string[] {
  return all.filter(breaks).map(({ from, to }) => `${from} -> ${to}`);
}

function isIn(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** The room of a file, as `floors` names it: the longest name that fits. */
function roomOf(path: string): string | undefined {
  const fitting = floors.flat().filter((room) => room === path || isIn(room, path));
  return fitting.toSorted((a, b) => b.length - a.length)[0];
}

function floorOf(path: string): number {
  const room = roomOf(path);
  return floors.findIndex((rooms) => room !== undefined && rooms.includes(room));
}

/** The names of the interfaces, type aliases and classes of a file. */
function typesIn(text: string): string[] {
  return Array.from(
    text.matchAll(/^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm),
    ([, name = '']) => name,
  );
}

/** Imports that load a file together with the one that names it. */
function needed(all: readonly Import[]): Map<string, Import[]> {
  return byImporter(all.filter(({ kind }) => kind === 'static'));
}

/** Loaded by `import()` only. */
function isLazy(file: string): boolean {
  const importers = within.filter(({ to, kind }) => to === file && kind !== 'type');
  return importers.length > 0 && importers.every(({ kind }) => kind === 'lazy');
}

/** All files that loading a file loads; itself only where they come back to it. */
function reached(start: string, edges: ReadonlyMap<string, readonly Import[]>): Set<string> {
  const found = new Set<string>();
  const waiting = [start];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { to } of edges.get(at) ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      waiting.push(to);
    }
  }
  return found;
}

function byImporter(all: readonly Import[]): Map<string, Import[]> {
  return Map.groupBy(all, ({ from }) => from);
}

function linesOfCode(text: string): number {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return bare.split('\n').filter((line) => line.trim() !== '').length;
}

test('no test has a time limit of its own: those of vitest.config.ts end what hangs, and a busy machine is no fault', () => {
  const tests = import.meta.dirname;
  const limit = /\{ timeout: [\d_]+ \}|^ *\}, \d+_000\);$/m;
  // A rehearsed release installs, builds and tests a clone.
  const isLong = (path: string): boolean => path === 'tools/rehearsed-releases.test.ts';
  const all = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.ts'));
  const paths = all.filter((path) => !isLong(path));
  expect(paths.filter((path) => limit.test(readFileSync(join(tests, path), 'utf8')))).toEqual([]);
});
