import { createHook, type AsyncHook } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import nodeCrypto from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup, lookupService, resolve4 } from 'node:dns';
import { existsSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import * as timers from 'node:timers';
import * as promises from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ConfigurationError } from 'marketplace-seller-sdk';
import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, Check, SimulationOptions, World } from 'marketplace-seller-sdk/simulation';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { platform } from '#platform';
import { stuck, mostAnHour } from '../../src/simulation/process.js';

const { setTimeout: captured, fetch: capturedFetch } = globalThis;

const real = { stuck: { ...stuck }, mostAnHour: { ...mostAnHour } };

/** Not the real ones, which are in tests/simulation/simulated-world.test.ts: what never ends is noticed sooner. */
const fewer = { calls: 300, timers: 3000 };

afterEach(() => {
  Object.assign(stuck, real.stuck);
  Object.assign(mostAnHour, real.mostAnHour);
});

function run(bot: (world: World) => Bot): Promise<void> {
  return simulate({ seeds: 1, faults: 'none', load: { questions: 3, sales: 0, messages: 0 }, checks: [], bot });
}

describe('a bot that leaves the simulation is told what it did, and where', () => {
  test('a timer that was captured at import', async () => {
    const failing = run(() => {
      captured(() => undefined, 1);
      return {};
    });
    await expect(failing).rejects.toThrow(
      /^The bot set a real timer at .*leaks\.test\.ts.* look it up when it is called/,
    );
  });

  test('a port', async () => {
    const server = createServer();
    const failing = run(() => {
      server.listen(0);
      return {};
    });
    await expect(failing).rejects.toThrow(/^The bot opened a port at .*leaks\.test\.ts.* `callback`/);
    // It does not keep the process alive.
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap');
    server.close();
  });

  test.each([
    ['of node:http', () => void get('http://127.0.0.1:65000').on('error', () => undefined)],
    ['of node:net', () => void connect(1, '127.0.0.1').on('error', () => undefined)],
    ['of a captured fetch', () => void capturedFetch('http://127.0.0.1:65000').catch(() => undefined)],
  ])('a socket %s', async (_, open) => {
    const failing = run(() => {
      open();
      return {};
    });
    await expect(failing).rejects.toThrow(/^The bot opened a socket.*\. It was with seed 1, on day 1 00:00:00\.000\.$/);
  });

  test.each([
    ['a process', 'started a process', () => void spawn(process.execPath, ['--version'])],
    ['a worker', 'started a worker', () => new Worker('', { eval: true })],
    ['a look-up of a host', 'looked up a host', () => lookup('localhost', () => undefined)],
    ['a query of DNS', 'looked up a host', () => resolve4('localhost', () => undefined)],
    ['a look-up of an address', 'looked up a host', () => lookupService('127.0.0.1', 80, () => undefined)],
    ['a port of UDP', 'opened a socket', () => createSocket('udp4').close()],
  ])('%s', async (_, did, open) => {
    const failing = run(() => {
      open();
      return {};
    });
    await expect(failing).rejects.toThrow(new RegExp(`^The bot ${did} at .*leaks\\.test\\.ts`));
  });

  test('a start that never ends', async () => {
    const crashes: string[] = [];
    const check: Check = (history) => [...(crashes.push(...history.crashes.map(({ message }) => message)), [])];
    const bot = (): Promise<Bot> => new Promise(() => undefined);
    await simulate({ seeds: 1, faults: 'none', load: { questions: 0, sales: 0 }, checks: [check], bot });
    expect(crashes[0]).toContain('bot(world) has not returned within ten minutes');
  });

  test.each([
    [
      'immediates',
      () => {
        const again = (): void => void setImmediate(again);
        again();
      },
    ],
    ['timers', () => void setInterval(() => undefined, 1)],
  ])('%s without an end', async (_, begin) => {
    stuck.tickMs = 20;
    Object.assign(mostAnHour, fewer);
    let isOver = false;
    const stoppable = setImmediate;
    const failing = run(() => {
      globalThis.setImmediate = ((callback: () => void) => (isOver ? undefined : stoppable(callback))) as never;
      begin();
      return {};
    });
    await expect(failing).rejects.toThrow(/never becomes idle/);
    isOver = true;
    // The last one runs, and asks for the next in vain.
    await new Promise(stoppable);
    globalThis.setImmediate = stoppable;
  });

  test.each<[string, string, (world: World) => Bot | Promise<Bot>]>([
    [
      'calls',
      'more than 300 calls within an hour',
      async ({ baseUrl }) => {
        for (;;) await fetch(`${baseUrl}/sites`);
      },
    ],
    [
      'a loop that reads the clock',
      'it waits for the clock in a loop, without a timer',
      () => {
        for (const until = Date.now() + 1000; Date.now() < until;);
        return {};
      },
    ],
  ])('%s without an end', async (_, what, bot) => {
    Object.assign(mostAnHour, fewer);
    const failing = simulate({ seeds: 1, faults: 'none', load: { questions: 0, sales: 0 }, checks: [], bot });
    await expect(failing).rejects.toThrow(ConfigurationError);
    await expect(failing).rejects.toThrow(`The bot never becomes idle: ${what}. It was with seed 1, on day 1 00:`);
  });

  test.each<[string, () => unknown, string]>([
    ['bot(world)', () => undefined, 'bot(world) returned no bot'],
    ['callback', () => ({ callback: () => 'OK' }), '`callback` returned no Response'],
  ])('a %s that returns something else', async (_, bot, message) => {
    const traces: string[] = [];
    const check: Check = ({ trace }) => [...(traces.push(...trace), [])];
    const load = { questions: 1, sales: 0 };
    await simulate({ seeds: 1, faults: 'none', load, checks: [check], bot: bot as () => Bot });
    expect(traces.join('\n')).toContain(`TypeError: ${message}`);
  });

  test('a host that is not the marketplace', async () => {
    const received: string[] = [];
    const ask = (): Bot => {
      fetch('https://model.example.com/v1', { method: 'POST', body: '{}' }).then(
        async (response) => received.push(await response.text()),
        (error: unknown) => received.push(String(error)),
      );
      return {};
    };
    const options = { seeds: 1, faults: 'none', load: { questions: 0, sales: 0 }, checks: [], bot: ask } as const;
    await simulate(options);
    await simulate({ ...options, outside: (request) => new Response(`hello ${new URL(request.url).pathname}`) });
    expect(received).toEqual([expect.stringContaining('pass `outside`'), 'hello /v1']);
  });
});

/** What a simulated process finds another one of. */
const replaced = (): unknown[] => [
  ...[globalThis, timers, promises, promises.scheduler, AbortSignal, performance, process, Math, crypto, crypto.subtle]
    .concat([nodeCrypto, console, sqlite, platform] as never)
    .map((owner) =>
      Object.entries(Object.getOwnPropertyDescriptors(owner)).filter(([, { value }]) => typeof value === 'function'),
    )
    .map((own) => Object.fromEntries(own.map(([key, { value }]) => [key, value]))),
  ...(['unhandledRejection', 'uncaughtException'] as const).map((kind) => process.listeners(kind as 'exit')),
];

test.each<[string, Partial<SimulationOptions>]>([
  ['passes', {}],
  ['fails', { checks: [() => ['wrong']] }],
  ['its bot leaves', { bot: () => (void captured(() => undefined, 1), {}) }],
])('a simulation that %s leaves the process as it was', async (_, options) => {
  const [listener, hook] = [() => undefined, Object.getPrototypeOf(createHook({})) as AsyncHook];
  process.on('unhandledRejection', listener);
  const ticking = new Set<number>();
  const watch = createHook({
    init: (id, type) =>
      void (type === 'Timeout' && new Error().stack?.includes('simulation/process') && ticking.add(id)),
    destroy: (id) => void ticking.delete(id),
  }).enable();
  onTestFinished(() => void (process.off('unhandledRejection', listener), watch.disable()));
  const disabled = vi.spyOn(hook, 'disable');
  const before = replaced();
  const addresses: string[] = [];
  const opened: { readonly folder: string; readonly database: sqlite.DatabaseSync }[] = [];
  const open = (folder: string): number =>
    opened.push({ folder, database: new (process.getBuiltinModule('node:sqlite').DatabaseSync)(join(folder, 'a.db')) });
  const bot = async (world: World): Promise<Bot> => {
    open(world.folder);
    addresses.push(world.baseUrl);
    await fetch('https://model.example.com/');
    return options.bot?.(world) ?? {};
  };
  const outside = (): Response => (open(opened[0]!.folder), new Response());
  const all = {
    seeds: 1,
    load: { questions: 1, sales: 1 },
    checks: [],
    faults: 'none',
    ...options,
    bot,
    outside,
  } as const;
  await simulate(all).catch(() => undefined);
  expect(replaced()).toEqual(before);
  expect(disabled).toHaveBeenCalled();
  await vi.waitFor(() => expect(ticking.size).toBe(0));
  expect(opened.map(({ folder, database }) => [existsSync(folder), database.isOpen])).toEqual(
    opened.map(() => [false, false]),
  );
  expect(new Set(addresses).size).toBe(addresses.length);
});
