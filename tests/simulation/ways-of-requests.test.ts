import { join } from 'node:path';
import { isAnswerable } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler, memoryStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';

// A client in a simulated world needs no `fetch`, unless somebody wants its requests to go through one.

const seen = { requests: 0 };

function answering(world: World, options: Partial<ClientOptions>, isDurable: boolean): Bot {
  const inbox = createInbox({
    store: isDurable ? sqliteStore(join(world.folder, 'inbox.db')) : memoryStore(),
    clientFor: (user_id) => world.client(user_id, options),
    sellers: world.sellers.map(({ user_id }) => user_id),
    on: {
      questions: async (_, { read, client }) => {
        const question = await read();
        const question_id = question.id;
        if (isAnswerable(question)) await client.questions.answer({ question_id, text: 'Yes.' });
      },
    },
  });
  inbox.start();
  return { callback: fetchHandler(inbox), stop: () => inbox.close(), stats: () => inbox.stats() };
}

/** What happens, and when. Of one millisecond, the order may be another one. */
async function tracesOf(bot: (world: World) => Bot): Promise<string[]> {
  const traces: string[] = [];
  const load = { questions: 12, sales: 2, messages: 2 };
  await simulate({
    seeds: [3, 6],
    load,
    bot,
    checks: [({ trace }) => [...(traces.push(trace.toSorted().join('\n')), [])]],
  });
  return traces;
}

/** Counts the requests of a bot that go through the global `fetch`, as instrumentation does. */
function instrumented(bot: (world: World) => Bot): (world: World) => Bot {
  return (world) => {
    const original = globalThis.fetch;
    globalThis.fetch = (...args) => ((seen.requests += 1), original(...args));
    const { stop, ...made } = bot(world);
    return { ...made, stop: async () => ((globalThis.fetch = original), stop?.()) };
  };
}

const through = (request: Request, next: (request: Request) => Promise<Response>): Promise<Response> => {
  seen.requests += 1;
  return next(request);
};

const ways: readonly [
  string,
  (bot: (world: World, options?: Partial<ClientOptions>) => Bot) => (world: World) => Bot,
][] = [
  ['a middleware', (bot) => (world) => bot(world, { middleware: [(context, next) => through(context.request, next)] })],
  [
    'a `fetch` of its own',
    (bot) => (world) => bot(world, { fetch: (request) => through(new Request(request), fetch) }),
  ],
  ['a global `fetch` that was replaced', instrumented],
];

test.each([true, false])('a day is the same whichever way the requests go, with SQLite: %s', async (isDurable) => {
  const bot = (world: World, options: Partial<ClientOptions> = {}): Bot => answering(world, options, isDurable);
  const traces = await tracesOf(bot);
  expect(traces.join('\n')).toContain('response lost');
  expect(traces.join('\n')).toContain('the bot has no network');
  for (const [name, by] of ways) {
    seen.requests = 0;
    expect([name, await tracesOf(by(bot))]).toEqual([name, traces]);
    expect(seen.requests, name).toBeGreaterThan(100);
  }
});
