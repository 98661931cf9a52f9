import type { ClientOptions } from 'marketplace-seller-sdk';
import { simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import { expect, test } from 'vitest';
import { tracesOf } from './bots/bad-days.ts';
import { careful, carefulInMemory } from './bots/question-bots.ts';

// A client in a simulated world needs no `fetch`, unless somebody wants its requests to go through one.

const seen = { requests: 0 };

/** What happens, and when. Of one millisecond, the order may be another one. */
async function traceOf(bot: (world: World) => Bot): Promise<string> {
  const load = { questions: 12, sales: 2, messages: 2 };
  const [trace = ''] = await tracesOf({ seeds: [6], load, bot, checks: [] });
  return trace.split('\n').toSorted().join('\n');
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
    (bot) => (world) => bot(world, { fetch: (url, init) => through(new Request(url, init), fetch) }),
  ],
  ['a global `fetch` that was replaced', instrumented],
];

test.each([
  ['in memory', carefulInMemory, ways],
  // A store has nothing to do with the way, only with what else happens meanwhile.
  ['with SQLite', careful, ways.slice(0, 1)],
])('a day is the same whichever way the requests go, %s', async (_, bot, each) => {
  const trace = await traceOf(bot);
  expect(trace).toContain('response lost');
  expect(trace).toContain('the bot has no network');
  for (const [name, by] of each) {
    seen.requests = 0;
    expect([name, await traceOf(by(bot))]).toEqual([name, trace]);
    expect(seen.requests, name).toBeGreaterThan(100);
  }
});

test('what a client, a limited client and `fetch` read of a response is the same', async () => {
  const read: unknown[] = [];
  const bot = ({ baseUrl, marketplace, sellers: [seller], client }: World): Bot => {
    const { user_id } = seller!;
    const { item_id } = marketplace.addItem({ seller_id: user_id });
    const { id: question_id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: '¿Sí? ñandú' });
    const headers = { authorization: `Bearer ${marketplace.tokenFor(seller!)}` };
    const limited = (maxResponseBytes: number): Promise<string> =>
      client(user_id, { maxResponseBytes })
        .questions.get({ question_id })
        .then(({ text }) => text ?? '', String);
    const look = async (): Promise<void> => {
      const response = await fetch(`${baseUrl}/questions/${question_id}?api_version=4`, { headers });
      const { text } = (await response.clone().json()) as { text: string };
      const { byteLength } = await response.arrayBuffer();
      read.push(text, await limited(byteLength), await limited(byteLength - 1));
    };
    setTimeout(() => void look().catch((error: unknown) => read.push(error)), 1000);
    return {};
  };
  await simulate({ seeds: 1, bot, faults: 'none', load: { questions: 0, sales: 0, messages: 0 }, checks: [] });
  expect(read.slice(0, 2)).toEqual(['¿Sí? ñandú', '¿Sí? ñandú']);
  expect(read.slice(2)).toEqual([expect.stringContaining('a body that is longer than `maxResponseBytes`')]);
});
