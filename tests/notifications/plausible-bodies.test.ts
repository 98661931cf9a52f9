import { createInbox } from 'marketplace-seller-sdk/inbox';
import { expect, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { createSale } from '../support/marketplace.ts';
import { untilEnded } from '../support/until-ended.ts';

const silent = () => {};

/** An inbox that notes what it handles, and what it logs. */
function listening() {
  const warn = vi.fn<(line: string) => void>();
  const handled: string[] = [];
  const inbox = createInbox({
    logger: { debug: silent, info: silent, warn, error: silent },
    on: { questions: ({ resource }) => void handled.push(resource) },
    fallback: ({ resource }) => void handled.push(resource),
  });
  return { inbox, handled, warn };
}

test.each<[string, object]>([
  ['a visit request, which has no topic', { user_id: 7, resource: '/visits/1', actions: ['created'] }],
  ['no user', { topic: 'questions', resource: '/questions/1' }],
  ['no resource', { user_id: 7, topic: 'items' }],
  ['a resource of another form', { user_id: 7, topic: 'questions', resource: '/marketplace/questions/1' }],
  ['a resource that is a number', { user_id: 7, topic: 'questions', resource: 5 }],
  ['an id that would be rounded', { user_id: 7, topic: 'questions', resource: '/questions/9007199254740993' }],
  ['a user that is a name', { user_id: 'SELLER', topic: 'questions', resource: '/questions/1' }],
  ['an empty topic', { user_id: 7, topic: '', resource: '/items/1' }],
])('a JSON object with %s is acknowledged, counted and told once', async (_, body) => {
  const { inbox, handled, warn } = listening();
  for (let time = 0; time < 3; time += 1) expect(await deliver(inbox, body)).toBe(200);
  await untilEnded(inbox);
  expect(handled).toEqual([]);
  expect((await inbox.stats()).unreadable).toBe(3);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('acknowledged and dropped'));
  await inbox.close();
});

test.each(['[]', '5', 'null', '"text"', '{', ''])('%j is no JSON object, and gets 400', async (body) => {
  const { inbox } = listening();
  expect(await deliver(inbox, body)).toBe(400);
  expect((await inbox.stats()).unreadable).toBe(0);
  await inbox.close();
});

test.each<[object]>([[{ sent: 1_795_432_627_877 }], [{ received: 5, application_id: 'x', actions: 'none' }]])(
  'a notification whose optional fields are odd is handled: %j',
  async (more) => {
    const { inbox, handled } = listening();
    expect(await deliver(inbox, about(1, more))).toBe(200);
    await untilEnded(inbox);
    expect(handled).toEqual(['/questions/1']);
    await inbox.close();
  },
);

test("that a message was read, and the seller's own messages, are no work", async () => {
  const { marketplace, seller, pack } = createSale();
  const client = marketplace.clientFor(seller);
  const failures = vi.fn();
  const replied: string[] = [];
  const inbox = createInbox({
    clientFor: () => client,
    onFailure: failures,
    on: {
      messages: async (_, { read, reply }) => {
        const { text } = await read();
        await reply('Thank you.');
        replied.push(String(text));
      },
    },
  });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const notification = { user_id: seller.user_id, topic: 'messages', resource: id };
  await deliver(inbox, { ...notification, _id: 'one' });
  await untilEnded(inbox);
  const requests = [...marketplace.requests].length;
  await deliver(inbox, { ...notification, _id: 'two', actions: ['read'] });
  await untilEnded(inbox);
  const { id: another } = marketplace.buyerWrites({ pack, text: 'Hello?' });
  await deliver(inbox, { ...notification, resource: another, _id: 'in capitals', actions: ['READ'] });
  // From a list of missed notifications.
  await inbox.add({ ...notification, resource: another, _id: 'missed', actions: ['read'] });
  await untilEnded(inbox);
  expect([...marketplace.requests]).toHaveLength(requests);
  const written = await client.messages.conversation({ pack_id: pack.pack_id!, user_id: seller.user_id }).toArray();
  const own = written.find(({ text }) => text === 'Thank you.');
  await deliver(inbox, { ...notification, resource: own?.id, _id: 'three' });
  await untilEnded(inbox);
  expect(replied).toEqual(['When does it leave?']);
  expect(failures).not.toHaveBeenCalled();
  expect(await inbox.deadLetters.list()).toEqual([]);
  await inbox.close();
});
