import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import type { HandlingFailure, NotificationClient, Inbox } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { untilEnded } from '../support/until-ended.ts';

let marketplace: FakeMarketplace;
const inboxes: Inbox[] = [];
let lines: string[] = [];
let failures: HandlingFailure[] = [];
beforeEach(() => {
  marketplace = new FakeMarketplace();
  marketplace.addUser({ user_id: 7 });
  marketplace.addUser({ user_id: 31 });
  marketplace.addItem({ item_id: 'MLA100', seller_id: 7 });
  lines = [];
  failures = [];
});
afterEach(async () => {
  for (const each of inboxes.splice(0)) await each.close();
});

const say = (line: string): void => void lines.push(line);
const observed = {
  logger: { debug: () => {}, info: () => {}, warn: say, error: say },
  onFailure: (failure: HandlingFailure) => void failures.push(failure),
};

function listening(inbox: Inbox): Inbox {
  inboxes.push(inbox);
  return inbox;
}

describe('the client of another user', () => {
  const token = (): string => marketplace.tokenFor({ user_id: 7 });
  test.each<[string, () => NotificationClient, boolean]>([
    ['with its token', () => marketplace.clientFor({ user_id: 7 }), false],
    [
      'with a function that returns its token, which is known once it was used',
      () => marketplace.clientFor({ user_id: 7 }).withOptions({ accessToken: async () => token() }),
      true,
    ],
    ['with an option more', () => marketplace.clientFor({ user_id: 7 }).withOptions({ timeoutMs: 20_000 }), false],
  ])('is not used for a notification: %s', async (_, clientOf, isRead) => {
    const client = clientOf();
    const asked = marketplace.ask({ from: { user_id: 31 }, item_id: 'MLA100', text: 'Is it in stock?' });
    const inbox = listening(
      createInbox({
        ...observed,
        clientFor: () => client,
        on: {
          questions: async (__, { read, client: { questions } }) => {
            const { id: question_id } = await read();
            await questions.answer({ question_id, text: 'Yes.' });
          },
        },
      }),
    );
    await deliver(inbox, about(asked.id, { user_id: 31 }));
    await untilEnded(inbox);
    const { status } = await marketplace.clientFor({ user_id: 7 }).questions.get({ question_id: asked.id });
    expect(status).toBe('UNANSWERED');
    // Where the token is known, the notification is not even stored.
    expect(failures).toMatchObject(isRead ? [{ attempt: 1, dead: true }] : []);
    expect(await inbox.stats()).toMatchObject({ dead: isRead ? 1 : 0, dropped: isRead ? 0 : 1 });
    if (isRead)
      expect(String(failures[0]?.error)).toContain('clientFor returned for user 31 a client whose token is of user 7');
    expect(lines.join()).not.toContain(token());
    await deliver(inbox, about(asked.id));
    await untilEnded(inbox);
    expect((await marketplace.clientFor({ user_id: 7 }).questions.get({ question_id: asked.id })).status).toBe(
      'ANSWERED',
    );
  });

  test.each<[string, () => NotificationClient, number]>([
    ['with its token', () => marketplace.clientFor({ user_id: 7 }), 0],
    [
      'with a function that returns its token, which is known once it was used',
      () => marketplace.clientFor({ user_id: 7 }).withOptions({ accessToken: async () => token() }),
      1,
    ],
  ])('is not used to look for what was missed: %s', async (_, clientOf, requests) => {
    const client = clientOf();
    const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
    marketplace.buyerWrites({ pack, text: 'When does it come?' });
    const on = { questions: () => {}, messages: () => {} };
    const inbox = listening(createInbox({ ...observed, clientFor: () => client, on }));
    const { found, failed } = await inbox.catchUp({ user_ids: [31] });
    expect([found, [...marketplace.requests].length]).toEqual([0, requests]);
    expect(failed).toMatchObject([{ user_id: 31 }]);
    expect(await inbox.catchUp({ user_ids: [7] })).toMatchObject({ found: 1, added: 1, failed: [] });
  });

  test('that no token names is used, and it is said once that it was returned for two users', async () => {
    const handled: number[] = [];
    const questions = marketplace.clientFor({ user_id: 7 }).questions;
    const inbox = listening(
      createInbox({
        ...observed,
        clientFor: () => shared,
        on: { questions: ({ user_id }) => void handled.push(user_id) },
      }),
    );
    const shared = { questions };
    for (const [index, user_id] of [7, 7, 31, 32, 7].entries()) await deliver(inbox, about(index + 1, { user_id }));
    await untilEnded(inbox);
    expect(handled.toSorted()).toEqual([31, 32, 7, 7, 7].toSorted());
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('clientFor returned one client for the users 7 and 31');
  });

  test('is not told of where each user has one', async () => {
    const clients = new Map([7, 31].map((user_id) => [user_id, marketplace.clientFor({ user_id })]));
    const inbox = listening(
      createInbox({ ...observed, clientFor: (user_id) => clients.get(user_id), on: { questions: () => {} } }),
    );
    for (const user_id of [7, 31, 8]) await deliver(inbox, about(1, { user_id }));
    await untilEnded(inbox);
    expect([lines, failures]).toEqual([[expect.stringContaining('its user is not one of the sellers')], []]);
  });
});

test('a handler that answers messages does not answer itself, whomever the client is returned for', async () => {
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
  const client = marketplace.clientFor({ user_id: 7 });
  const inbox = listening(
    createInbox({
      ...observed,
      clientFor: () => client,
      on: {
        messages: async (_, { read, reply }) => {
          await read();
          await reply('Thank you, we will look into it.');
        },
      },
    }),
  );
  marketplace.notifications.subscribe({ callback: fetchHandler(inbox), topics: ['messages'] });
  marketplace.buyerWrites({ pack, text: 'When does it come?' });
  for (let round = 0; round < 5; round += 1) {
    await marketplace.notifications.flush();
    await untilEnded(inbox);
  }
  const pack_id = pack.pack_id ?? '';
  const messages = await client.messages.conversation({ pack_id, user_id: 7 }).toArray({ max: 50 });
  expect(messages).toHaveLength(2);
});

test('a client that comes after its run has ended is not handed to the handler', async () => {
  const slow = Promise.withResolvers<NotificationClient>();
  let asked = 0;
  let handled = 0;
  const inbox = listening(
    createInbox({
      ...observed,
      sellers: [7],
      catchUpEveryMs: Infinity,
      clientFor: () => ((asked += 1) > 1 ? slow.promise : marketplace.clientFor({ user_id: 7 })),
      on: { questions: () => void (handled += 1) },
    }),
  );
  await deliver(inbox, about(1));
  await expect.poll(() => asked).toBe(2);
  await inbox.close({ graceMs: 0 });
  slow.resolve(marketplace.clientFor({ user_id: 7 }));
  await new Promise((resolve) => setTimeout(resolve));
  expect(handled).toBe(0);
});
