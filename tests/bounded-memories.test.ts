import { platform } from '#platform';
import { createInbox, handleNow } from 'marketplace-seller-sdk/inbox';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { createTools } from 'marketplace-seller-sdk/tools';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { selectAttributes } from '../src/core/operation/api-promise.js';
import { MemoryBook, RememberedWrite } from '../src/core/recover/memory-book.js';
import { RequestedEndpoints } from '../src/core/request/define-endpoint.js';
import { object } from '../src/core/schema/define.js';
import { KnownOfResources, MissingResources } from '../src/notifications/handling/notification-task.js';
import { ReadConversations } from '../src/notifications/handling/unread.js';
import { messageEndpoints } from '../src/resources/messages/endpoints.js';
import { FifoMap } from '../src/work/fifo-map.js';
import { Log } from '../src/work/log.js';
import { MemoryLedger } from '../src/work/memory.js';
import { LedgerBook } from '../src/work/writes.js';
import { about, deliver, post } from './support/deliveries.ts';
import { silentLogger } from './support/silent.ts';
import { stubbed, wireQuestion } from './support/stubs.ts';
import { dead, done, lease, work } from './support/work.ts';

// What is remembered of many is bounded by a number, by a time, or by both. What is forgotten is as if it had never been.

const now = Date.parse('2026-03-02T12:00:00Z');
const day = 86_400_000;
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

let sellers = 100;
const written = (id: string, text = id): RememberedWrite =>
  new RememberedWrite({
    id,
    endpoint: messageEndpoints.send,
    input: { pack_id: 1, user_id: 7, to: { user_id: 9 }, text },
    token: undefined,
    calledAt: Date.now(),
    sentAt: Date.now(),
  });

/**
 * Memories with a greatest number. `remember` puts in the one with this index; `knows` says whether the first one is still known,
 * without changing that.
 */
const numbered: Readonly<Record<string, readonly [most: number, () => Memory]>> = {
  'the writes of a process': [
    20_000,
    () => {
      const book = new MemoryBook();
      return {
        remember: (index) => void book.add(written(`${index}`)),
        knows: () => book.get('0') !== undefined,
      };
    },
  ],
  'the writes of earlier processes that are read back': [
    20_000,
    () => {
      const book = new MemoryBook();
      return {
        remember: (index) => void book.askFor(written(`${index}`)),
        knows: () => book.get('0') !== undefined,
      };
    },
  ],
  'what entries of the service prove of writes that are forgotten': [
    20_000,
    () => {
      const book = new MemoryBook();
      return {
        remember: async (index) => void (await book.claim(`message ${index}`, `write ${index}`)),
        // It is asked once, after the last one.
        knows: async () => !(await book.claim('message 0', 'another')),
      };
    },
  ],
  'since when a process has watched writes': [
    20_000,
    () => {
      vi.spyOn(platform, 'memory').mockReturnValue(new Map());
      const book = new MemoryBook();
      const ageMs = (index: number): number => book.ageMs({ id: `${index}`, sentAt: now });
      const remember = (index: number): void => {
        ageMs(index);
        if (index === 0) vi.advanceTimersByTime(1_000);
      };
      return { remember, knows: () => ageMs(0) > 0 };
    },
  ],
  'the endpoints of request(), for a schema': [
    500,
    () => {
      const requested = new RequestedEndpoints();
      const first = requested.of('GET /0');
      return { remember: (index) => void requested.of(`GET /${index}`), knows: () => requested.of('GET /0') === first };
    },
  ],
  'the schemas of some attributes': [
    1_000,
    () => {
      const endpoint = { ...messageEndpoints.conversation, supportsAttributes: true as const, output: object({}) };
      const first = selectAttributes(endpoint, ['a0']);
      const schemaOf = (index: number): unknown => selectAttributes(endpoint, [`a${index}`]);
      return { remember: (index) => void schemaOf(index), knows: () => schemaOf(0) === first };
    },
  ],
  'the errors of rejected writes': [
    1_000,
    () => {
      const { rejections } = new KnownOfResources();
      return { remember: (index) => void rejections.set(`${index}`, 'error'), knows: () => rejections.has('0') };
    },
  ],
  'the sellers of whom a resource was missing': [
    10_000,
    () => {
      const missing = new MissingResources();
      for (let count = 1; count < 20; count += 1) missing.wasMissing(0);
      return {
        remember: (index) => missing.wasMissing(index),
        knows: () => missing.againInMs(0, Date.now()) === undefined,
      };
    },
  ],
  'the sellers whose conversations were read': [
    20_000,
    () => {
      const read = new ReadConversations();
      return {
        remember: (index) => read.add(index, '1', 1, { found: 1, shown: 1 }),
        knows: () => read.found(0, '1', 1) !== undefined,
      };
    },
  ],
  'what handleNow() has failed with, of a seller': [
    1_000,
    () => {
      const user_id = (sellers += 1);
      let runs = 0;
      const questions = (_: unknown, { attempt }: { attempt: number }) =>
        Promise.reject(new Error(`${(runs = attempt)}`));
      const remember = async (index: number): Promise<void> =>
        void (await handleNow(post(about(index, { user_id })), { on: { questions }, logger: silentLogger }));
      return { remember, knows: () => remember(0).then(() => runs > 1) };
    },
  ],
  'the failures that were said': [
    100,
    () => {
      const said: string[] = [];
      const log = new Log({ ...silentLogger, error: (line: string) => void said.push(line) });
      return {
        remember: (index) => log.writeRarely(`failure ${index}`, 'away'),
        // It is said again where it is forgotten.
        knows: async () => {
          said.length = 0;
          await log.writeRarely('failure 0', 'away');
          return said.length === 0;
        },
      };
    },
  ],
  'the keys of what has ended, in memory': [
    100_000,
    () => {
      const store = memoryStore();
      return {
        remember: async (index) => {
          await store.add(work(`${index}`));
          await store.settle(await lease(store), { ...done, inMs: Infinity });
        },
        knows: async () => (await store.get('0')) !== undefined,
      };
    },
  ],
};

interface Memory {
  remember(index: number): void | Promise<void>;
  knows(): boolean | Promise<boolean>;
}

describe('a memory of as many as it has a place for keeps the first one, and forgets it for the next:', () => {
  test.each(Object.keys(numbered))('%s', async (name) => {
    const [most, create] = numbered[name]!;
    for (const count of [most, most + 1]) {
      const { remember, knows } = create();
      for (let index = 0; index < count; index += 1) await remember(index);
      expect(await knows()).toBe(count === most);
    }
  });
});

describe('a memory with a time', () => {
  test.each([
    ['one after the other, a day apart', [0, day, 2 * day], ['2']],
    ['within a day', [0, day / 2, day - 1], ['0', '1', '2']],
    ['and one of them in a clock that was set back', [0, day, day - 5], ['1', '2']],
  ])('has no older writes in the ledger of a store: %s', async (_, times, kept) => {
    const ledger = new MemoryLedger();
    for (const [index, ms] of times.entries()) {
      vi.setSystemTime(now + ms);
      const write = {
        id: `${index}`,
        target: 'messages.send 7',
        input: {},
        sentAt: Date.now(),
        state: 'sent',
      } as const;
      // Each is of another process.
      await new LedgerBook(ledger).enter([write]);
    }
    const value = JSON.parse((await ledger.get('writes messages.send 7')) ?? '[]') as { id: string }[];
    expect(value.map(({ id }) => id)).toEqual(kept);
  });

  test('of a process has none of them once another write is sent, whatever was read back meanwhile', () => {
    const book = new MemoryBook();
    const old = [written('called'), written('asked for')];
    book.add(old[0]!);
    for (const each of old) book.askFor(each);
    vi.setSystemTime(now + day);
    book.add(written('later'));
    expect([...old, { id: 'later' }].map(({ id }) => book.get(id)?.id)).toEqual([undefined, undefined, 'later']);
  });
});

/** Which maps and sets have grown, of all that were used before, while something lives again and again. */
async function grown(live: (index: number) => Promise<unknown>): Promise<object[]> {
  const [set, add] = [Map.prototype.set, Set.prototype.add];
  const used = new Set<Map<unknown, unknown> | Set<unknown>>();
  const noted = (run: typeof set | typeof add) =>
    function note(this: Map<unknown, unknown>, ...args: [unknown, unknown]): unknown {
      add.call(used, this);
      return Reflect.apply(run, this, args);
    };
  Object.assign(Map.prototype, { set: noted(set) });
  Object.assign(Set.prototype, { add: noted(add) });
  try {
    for (let index = 0; index < 3; index += 1) await live(index);
    const before = [...used].map((each) => [each, each.size] as const);
    for (let index = 3; index < 9; index += 1) await live(index);
    return before.filter(([each, size]) => each.size > size).map(([each]) => each);
  } finally {
    Object.assign(Map.prototype, { set });
    Object.assign(Set.prototype, { add });
  }
}

describe('nothing is left of what has failed, was opened again, has ended and is forgotten:', () => {
  const on = { questions: (_: unknown, { read }: { read: () => unknown }) => read() };
  const client = stubbed([Response.json({ ...wireQuestion, id: 42, status: 'ANSWERED' })]).sellerClient;
  const given = { clientFor: () => client, logger: silentLogger };
  const create = () => {
    const store = sqliteStore(':memory:');
    const [inbox, outbox] = [createInbox({ ...given, store, on, sellers: [7] }), createOutbox({ ...given, store })];
    for (const each of [inbox, outbox]) void each.start();
    const [tool] = createTools(client, { only: ['questions.get'] });
    return { memory: memoryStore(), inbox, outbox, tool, close: () => Promise.all([inbox.close(), outbox.close()]) };
  };
  const answer = { user_id: 7, endpoint: endpoints.questions.answer };

  test.each<[string, (parts: ReturnType<typeof create>, index: number) => Promise<unknown>, number?]>([
    ['a delivery that is rejected', ({ inbox }, index) => deliver(inbox, [index])],
    ['a notification', ({ inbox }, index) => inbox.add(about(index)).then(() => inbox.idle())],
    ['a search of what was missed', ({ inbox }) => inbox.catchUp()],
    ['a wait for a job that is not there', ({ outbox }) => outbox.settled('a').catch(() => {})],
    [
      'an entry that was given up and opened again, in memory',
      async ({ memory }, index) => {
        await memory.add(work(`${index}`), 100);
        await memory.settle(await lease(memory), dead);
        await memory.again(`${index}`, 'dead');
        await memory.settle(await lease(memory), { ...done, inMs: 0 });
      },
    ],
    [
      'two waits for a job',
      async ({ outbox }, index) => {
        const key = `${index}`;
        await outbox.add({ ...answer, key, input: { question_id: 42, text: key } });
        await Promise.all([outbox.settled(key), outbox.settled(key), outbox.idle()]);
      },
      // The process remembers writes, and how each was sent: 20,000, as above.
      2,
    ],
    ['parts that close', () => create().close()],
    ['a delivery that is handled at once', () => handleNow(post(about(42)), { ...given, on })],
    ['a tool', ({ tool }) => tool!.run({ question_id: '42' })],
  ])('%s', async (_, use, bounded = 0) => {
    const parts = create();
    const found = await grown((index) => use(parts, index));
    expect(found.filter((each) => !(each instanceof FifoMap))).toHaveLength(bounded);
    await parts.close();
  });
});
