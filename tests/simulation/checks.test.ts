import { AuthenticationError, hasStatus, isAnswerable, packOf } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { SimulationError, checks, simulate } from 'marketplace-seller-sdk/simulation';
import type { Bot, Check, History, SimulatedCall, SimulationOptions, World } from 'marketplace-seller-sdk/simulation';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Pack } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { polling } from './bots/question-bots.ts';

type Posted = Record<'user_id' | 'topic' | 'resource', string>;

/** A bot that does something with each notification about a question or a message. */
function onEach(handle: (posted: Posted & { id: string }, world: World) => unknown): (world: World) => Bot {
  return (world) => ({
    callback: async (request) => {
      const posted = (await request.json()) as Posted;
      const id = posted.resource.split('/').pop()!;
      // It takes longer than the service waits.
      void Promise.resolve(handle({ ...posted, id }, world)).catch(() => undefined);
      return new Response();
    },
  });
}

/** Takes messages with equal texts for one, although its own texts are all equal: it replies once to each buyer. */
function replyingOnce(): (world: World) => Bot {
  const replied = new Set<string>();
  return onEach(async (posted, world) => {
    if (posted.topic !== 'messages') return;
    const message = await world.client(Number(posted.user_id)).messages.get({ message_id: posted.id });
    const pack = String(packOf(message));
    if (message.from?.user_id === Number(posted.user_id) || replied.has(pack)) return;
    replied.add(pack);
    await world.client(Number(posted.user_id)).messages.reply(message, 'Thank you.');
  });
}

const few = { questions: 4, sales: 0, messages: 0, byHand: 0 };
const writes = { questions: 0, sales: 2, messages: 4, cancellations: 0, byHand: 0 };

async function violationsOf(options: SimulationOptions): Promise<readonly string[]> {
  const error: unknown = await simulate(options).catch((reason: unknown) => reason);
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(SimulationError);
  return (error as SimulationError).violations;
}

/** Replies to a message of a buyer. */
async function reply({ topic, id, user_id: user }: Posted & { id: string }, world: World): Promise<void> {
  const [user_id, text] = [Number(user), 'Thank you.'];
  if (topic !== 'messages') return;
  const { messages } = world.client(user_id);
  const message = await messages.get({ message_id: id });
  if (message.from?.user_id !== user_id) await messages.reply(message, text);
}

/** Writes to the seller itself, which the client does not do. */
async function replyToItself({ topic, user_id }: Posted, { baseUrl }: World): Promise<void> {
  const body = JSON.stringify({ from: { user_id }, to: { user_id }, text: 'Thank you.' });
  if (topic === 'messages')
    await fetch(`${baseUrl}/messages/packs/2000000001/sellers/${user_id}`, { method: 'POST', body });
}

interface FaultyBot {
  readonly check: Check;
  readonly bot: (world: World) => Bot | Promise<Bot>;
  readonly load: SimulationOptions['load'];
  readonly faults?: SimulationOptions['faults'];
  readonly says: RegExp;
}

const faultyBots: Readonly<Record<Exclude<keyof typeof checks, 'usual'>, FaultyBot>> = {
  answered: { check: checks.answered, bot: () => ({}), load: few, says: /^q\d is not answered at the end$/ },
  answeredOnce: {
    check: checks.answeredOnce,
    bot: onEach(async ({ topic, id, user_id }, world) => {
      const { questions } = world.client(Number(user_id));
      if (topic !== 'questions') return;
      const { id: question_id } = await questions.get({ question_id: Number(id) });
      await questions.answer({ question_id, text: 'Yes.' });
    }),
    load: few,
    says: /^POST \/answers q\d#\d answers q\d, although (POST \/answers|GET \/questions) q\d#\d has told that it is answered$/,
  },
  allReplied: {
    check: checks.allReplied,
    bot: replyingOnce(),
    load: { ...writes, messages: 12 },
    says: /^m\d\.\db? has no reply at the end$/,
  },
  noMessageDoubled: {
    check: checks.noMessageDoubled,
    bot: onEach(async (posted, world) => {
      await reply(posted, world);
      await reply(posted, world);
    }),
    load: writes,
    says: /^the buyer of s\d has the same message \d times after writing \d$/,
  },
  noSelfReply: {
    check: checks.noSelfReply,
    bot: onEach(replyToItself),
    load: writes,
    says: /^POST \/messages\/packs\S*#\d goes to the seller who sends it$/,
  },
  noRejectionRepeated: {
    check: checks.noRejectionRepeated,
    bot: onEach(async ({ topic, id, user_id }, world) => {
      const { questions } = world.client(Number(user_id));
      if (topic !== 'questions') return;
      for (let attempt = 0; attempt < 3; attempt += 1)
        await questions.answer({ question_id: Number(id), text: 'Yes.' }).catch(() => undefined);
    }),
    load: few,
    says: /^POST \/answers q\d#\d was rejected with 400 before, as POST \/answers q\d#2$/,
  },
  noCallAfterRevocation: {
    check: checks.noCallAfterRevocation,
    bot: (world) => polling(world),
    load: few,
    faults: { revocations: 1 },
    says: /^\d+ calls for seller\d after a 401 told that the grant is revoked, first GET/,
  },
  acknowledgedHandled: {
    check: checks.acknowledgedHandled,
    // It reads the first question of a start, and forgets the others.
    bot: (world) => {
      let isFirst = true;
      const read = onEach(async ({ id, user_id }) => {
        if (!isFirst) return;
        isFirst = false;
        await world.client(Number(user_id)).questions.get({ question_id: Number(id) });
      });
      return read(world);
    },
    load: few,
    says: /^notification q\d#1 was acknowledged, but q\d was not read$/,
  },
  missedHandled: {
    check: checks.missedHandled,
    // It reads each sale that it is told of, and never the list of missed notifications.
    bot: onEach(async ({ resource, topic }, { baseUrl, marketplace, sellers: [seller] }) => {
      const headers = { authorization: `Bearer ${marketplace.tokenFor(seller!)}` };
      if (topic === 'orders_v2') await fetch(baseUrl + resource, { headers });
    }),
    load: { questions: 0, sales: 16, messages: 0 },
    faults: { notificationLost: 0.2 },
    says: /^notification s\d+#\d was missed, and s\d+ was not read$/,
  },
  noUnhandledError: {
    check: checks.noUnhandledError,
    bot: (world) => ({ callback: () => (void Promise.reject(new Error(`lost ${world.start}`)), new Response()) }),
    load: few,
    says: /^start \d ended with an error that nobody handled: Error: lost \d$/,
  },
  nothingLeft: {
    check: checks.nothingLeft,
    bot: () => ({ stats: () => ({ waiting: 1, running: 0, dead: 2 }) }),
    load: few,
    says: /^left at the end: 1 waiting, 0 running, 2 dead$/,
  },
};

describe('each check notices a fault, and says what it is', () => {
  test.each(Object.entries(faultyBots))('%s', async (_, { check, bot, load, says, faults = 'none' }) => {
    const violations: string[] = [];
    // It passes, so that nothing looks for the fewest events.
    const judge: Check = (history) => [...(violations.push(...check(history)), [])];
    await simulate({ seeds: [1], bot, load: load!, faults, checks: [judge] });
    expect(violations).not.toEqual([]);
    for (const each of violations) expect(each).toMatch(says);
  });

  test('and none of them notices one in a bot that has none', async () => {
    const bot = onEach(async ({ topic, id, user_id }, world) => {
      const { questions } = world.client(Number(user_id));
      if (topic === 'messages') return reply({ topic, id, user_id, resource: '' }, world);
      const question = await questions.get({ question_id: Number(id) });
      if (hasStatus(question, 'UNANSWERED')) await questions.answer({ question_id: question.id, text: 'Yes.' });
    });
    const load = { ...writes, questions: 4 };
    expect(await violationsOf({ seeds: 2, bot, load, faults: 'none' })).toEqual([]);
  });

  test('two messages of a buyer may each get the same reply, also where the service rejects both', async () => {
    const replying = (times: number): ((world: World) => Bot) =>
      onEach(async (posted, world) => {
        const { packs, messages } = world.marketplace;
        const pack = packs.all.find((each) => messages.of(each).length === 2);
        if (pack) packs.change(pack, { blockedBy: 'blocked_by_cancelled_order' });
        for (let count = 0; count < times; count += 1) await reply(posted, world).catch(() => undefined);
      });
    const options = { seeds: 5, load: writes, faults: 'none', checks: [checks.noRejectionRepeated] } as const;
    expect(await violationsOf({ ...options, bot: replying(1) })).toEqual([]);
    expect(await violationsOf({ ...options, bot: replying(2) })).not.toEqual([]);
  });

  describe('`acknowledgedHandled`', () => {
    const at = Date.parse('2026-03-02T12:00:00Z');

    /** A question and a message that were acknowledged and not read, as two others were. */
    function acknowledged(who: 'nobody' | 'a person' | 'the bot'): readonly string[] {
      const marketplace = new FakeMarketplace({ now: at });
      const [seller, buyer] = [marketplace.addUser({ user_id: 7 }), marketplace.addUser({ user_id: 31 })];
      const { item_id } = marketplace.addItem({ seller_id: 7 });
      const [other, unread] = [0, 1].map(() => marketplace.ask({ from: buyer, item_id, text: 'Hm?' }));
      const id = unread!.id;
      const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
      const [seen, message] = [0, 1].map(() => marketplace.buyerWrites({ pack, text: 'Hello?' }));
      if (who !== 'nobody') {
        marketplace.questions.answer(id, 'Yes.');
        marketplace.messages.add(pack, { from: 7, text: 'Yes.', client_id: who === 'the bot' ? 500 : null });
      }
      const call = { start: 1, at, receivedAt: at + 10, status: 200, isCarriedOut: true, body: undefined };
      const calls = [
        { ...call, method: 'GET', path: `/questions/${other!.id}` },
        { ...call, method: 'GET', path: `/messages/${seen!.id}` },
        ...(who === 'the bot' ? [{ ...call, method: 'POST', path: '/answers', body: { question_id: id } }] : []),
      ];
      const resources = [`/questions/${other!.id}`, `/questions/${id}`, `/${seen!.id}`, `/${message!.id}`];
      const deliveries = resources.map((resource, index) => ({
        ...{ topic: index < 2 ? 'questions' : 'messages', resource, user_id: 7, at, outcome: 200, name: resource },
      }));
      const history = { marketplace, calls, deliveries, revoked: new Map(), nameOf: String };
      return checks.acknowledgedHandled(history as unknown as History);
    }

    test.each([
      ['nobody', 2],
      ['a person', 0],
      ['the bot', 2],
    ] as const)('of what %s has answered, without reading it: %i', (who, count) => {
      expect(acknowledged(who)).toHaveLength(count);
    });
  });

  test('a bot whose inbox has a path gets its notifications, by the path of the inbox or its own', async () => {
    const secret = `/hooks/${'x'.repeat(24)}`;
    const botOf =
      (given: Partial<Bot>, isWrapped: boolean) =>
      (world: World): Bot => {
        const client = world.client(world.sellers[0]!.user_id);
        const inbox = createInbox({
          path: secret,
          clientFor: () => client,
          on: {
            questions: async (_, { read }) => {
              const question = await read();
              if (isAnswerable(question)) await client.questions.answer({ question_id: question.id, text: 'Yes.' });
            },
          },
        });
        const handle = fetchHandler(inbox);
        const callback = isWrapped ? (request: Request) => handle(request) : handle;
        return { callback, stop: () => inbox.close(), ...given };
      };
    const options = { seeds: 1, sellers: 1, load: { ...few, byHand: 0 }, faults: 'none' } as const;
    const outcomesOf = async (bot: (world: World) => Bot): Promise<Set<unknown>> => {
      const outcomes = new Set<unknown>();
      const check: Check = ({ deliveries }) => (deliveries.forEach((each) => outcomes.add(each.outcome)), []);
      await simulate({ ...options, bot, checks: [check] });
      return outcomes;
    };
    expect(await violationsOf({ ...options, bot: botOf({}, false) })).toEqual([]);
    expect(await outcomesOf(botOf({}, false))).toEqual(new Set([200]));
    expect(await outcomesOf(botOf({ path: secret }, true))).toEqual(new Set([200]));
    expect(await outcomesOf(botOf({ path: '/other' }, true))).toEqual(new Set([404]));
    expect(Object.keys(fetchHandler(createInbox({ path: secret, fallback: () => undefined })))).toEqual([]);
  });

  describe('`allReplied`', () => {
    const said = 'm1 has no reply at the end';

    /** A conversation with a message of its buyer; the bot has read and answered that of another one. */
    function conversation(): { readonly marketplace: FakeMarketplace; readonly pack: Pack; readonly history: History } {
      const marketplace = new FakeMarketplace();
      const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
      const [pack, other] = [0, 1].map(() =>
        marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id }),
      );
      marketplace.buyerWrites({ pack: pack!, text: 'Hello?' });
      const read = marketplace.buyerWrites({ pack: other!, text: 'Hello?' });
      marketplace.messages.add(other!, { from: seller.user_id, text: 'Yes.', client_id: 1 });
      const send = {
        method: 'POST',
        path: `/messages/packs/${other!.pack_id}/sellers/${seller.user_id}?tag=post_sale`,
      };
      const calls = [
        { start: 1, method: 'GET', path: `/messages/${read.id}?tag=post_sale`, status: 200, at: 10, receivedAt: 20 },
        { ...send, start: 1, body: 'Yes.', status: 201, isCarriedOut: true, at: 30, receivedAt: 40 },
      ];
      const history = { calls, marketplace, revoked: new Map(), nameOf: () => 'm1' };
      return { marketplace, pack: pack!, history: history as unknown as History };
    }

    test.each<[string, (marketplace: FakeMarketplace, pack: Pack) => unknown]>([
      [
        'that a person answered',
        ({ messages }, pack) => messages.add(pack, { from: pack.seller_id, text: 'It is on its way.' }),
      ],
      ['that is blocked', ({ packs }, pack) => packs.change(pack, { blockedBy: 'blocked_by_cancelled_order' })],
      [
        'whose reply is rejected by moderation',
        ({ messages }, pack) => {
          messages.choose('No.', 'OUT_OF_PLACE_LANGUAGE');
          messages.add(pack, { from: pack.seller_id, text: 'No.', client_id: 1 });
        },
      ],
    ])('leaves out a conversation %s', (_, change) => {
      const { marketplace, pack, history } = conversation();
      expect(checks.allReplied(history)).toEqual([said]);
      change(marketplace, pack);
      expect(checks.allReplied(history)).toEqual([]);
    });

    test('leaves out dead letters, and sellers who have revoked the application', () => {
      const { pack, history } = conversation();
      const stats = { waiting: 0, running: 0, dead: 1 };
      expect(checks.allReplied({ ...history, stats })).toEqual([]);
      expect(checks.allReplied({ ...history, stats: { ...stats, dead: 0 } })).toEqual([said]);
      expect(checks.allReplied({ ...history, revoked: new Map([[pack.seller_id, 1]]) })).toEqual([]);
    });

    test.each<[string, Partial<SimulatedCall>[]]>([
      ['has only read', [{}]],
      ['could not read', [{ status: 500 }, {}]],
      ['writes of its own accord, long after it has read', [{}, { at: 100_000 }]],
      ['is another one since it has read', [{}, { start: 2 }]],
      ['repeats what it began before it has read', [{ at: 60, receivedAt: 70 }, {}, { at: 80 }]],
    ])('does not judge a bot that %s', (_, [read, ...sent]) => {
      const { history } = conversation();
      const calls = [{ ...history.calls[0]!, ...read }, ...sent.map((each) => ({ ...history.calls[1]!, ...each }))];
      expect(checks.allReplied({ ...history, calls })).toEqual([]);
    });
  });

  test.each<[(number | undefined)[], number]>([
    [[403, 403], 0],
    [[403, 403, 403], 1],
    [[200, 403], 0],
    [[200, 403, 403], 1],
    [[undefined, 403, 403], 0],
    [[503, 403, 403], 0],
    [[undefined, 403, 403, 403], 1],
  ])('of equal replies to two messages with the statuses %j, %i too many are sent', (statuses, expected) => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
    for (const text of ['Hello?', 'Is it new?']) marketplace.buyerWrites({ pack, text });
    const path = `/messages/packs/${pack.pack_id}/sellers/${seller.user_id}`;
    const calls = statuses.map((status, index) => {
      const at = Date.now() + index * 10;
      return { name: `call ${index}`, start: 1, method: 'POST', path, body: 'Yes.', status, at, receivedAt: at + 1 };
    });
    const history = { calls, marketplace } as unknown as Parameters<Check>[0];
    expect(checks.noRejectionRepeated(history)).toHaveLength(expected);
  });

  test('a bot that stops calling once its grant is revoked is no violation', async () => {
    const bot = (world: World): Bot => polling(world, (error) => error instanceof AuthenticationError);
    const options = { seeds: 3, load: few, faults: { revocations: 1 }, checks: [checks.noCallAfterRevocation] };
    expect(await violationsOf({ ...options, bot })).toEqual([]);
  });

  // A call for the seller is `get`, one for a token `ask`: the minute, what, the status, and the start of the bot.
  test.each([
    ['a call after it received that there is no token', '1 get 401, 1 ask 400, 9 get 401, 9 ask 400', 1],
    ['a call after a 401 for which it asked nothing', '1 get 401, 9 get 401, 20 get 200', 2],
    ['none within a minute', '1 get 401, 1.9 get 401', 0],
    ['none where the token endpoint failed', '1 get 401, 1 ask 503, 9 get 401, 9 ask 400', 0],
    ['none where it could ask only later, because of a lock', '1 get 401, 9 get 401, 9 ask 400', 0],
    ['each call after it could ask', '1 get 401, 9 get 401, 9 ask 400, 20 get 401, 20 ask 400', 1],
    ['none told by the request of another start', '1 get 401, 1 ask 400 2, 9 get 401, 9 ask 400', 0],
    ['none of another start', '1 get 401, 1 ask 400, 9 get 401 2, 9 ask 400 2', 0],
  ])('after a revocation it finds %s: %s', (_, made, late) => {
    const calls = made.split(', ').map((each) => {
      const [minute, what, status, start = 1] = each.split(' ');
      const at = Number(minute) * 60_000;
      const call = { name: what, start: Number(start), status: Number(status), at, receivedAt: at };
      return what === 'ask' ? { ...call, path: '/oauth/token' } : { ...call, path: '/users/7', user_id: 7 };
    });
    const history = { calls, revoked: new Map([[7, 0]]), nameOf: () => 'seller1' } as unknown as History;
    const found = late === 0 ? [] : [expect.stringMatching(new RegExp(`^${late} calls for seller1 after a 401`))];
    expect(checks.noCallAfterRevocation(history)).toEqual(found);
  });

  test('without `stats`, `nothingLeft` says so', async () => {
    const options: SimulationOptions = { seeds: [1], bot: () => ({}), load: few, checks: [checks.nothingLeft] };
    expect(await violationsOf(options)).toEqual(['the bot has no `stats`, or they failed']);
  });

  test('a check of your own is a function of the history', async () => {
    const quick: Check = ({ events, nameOf, marketplace }) =>
      marketplace.questions.all.map(({ id }) => `${nameOf(id)} of ${events.length}`);
    const options: SimulationOptions = { seeds: [1], bot: () => ({}), load: few, faults: 'none', checks: [quick] };
    expect((await violationsOf(options))[0]).toMatch(/^q1 of \d$/);
  });

  test('a check that throws has found something, and one that returns no list is wrong', async () => {
    const options: SimulationOptions = { seeds: [1], bot: () => ({}), load: few, faults: 'none' };
    const throwing: Check = () => {
      throw new RangeError('20 calls are too many');
    };
    expect(await violationsOf({ ...options, checks: [throwing] })).toEqual(['RangeError: 20 calls are too many']);
    const checks = [(() => Promise.resolve([])) as never];
    await expect(simulate({ ...options, checks })).rejects.toThrow('a check returns a list of strings');
  });
});
