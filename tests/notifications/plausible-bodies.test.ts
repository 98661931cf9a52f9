import { createReceiver } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';

const silent = () => {};

/** A receiver that notes what it handles, and what it logs. */
function inbox() {
  const warn = vi.fn<(line: string) => void>();
  const handled: string[] = [];
  const receiver = createReceiver({
    logger: { debug: silent, info: silent, warn, error: silent },
    on: { questions: ({ resource }) => void handled.push(resource) },
    fallback: ({ resource }) => void handled.push(resource),
  });
  return { receiver, handled, warn };
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
  const { receiver, handled, warn } = inbox();
  for (let time = 0; time < 3; time += 1) expect(await deliver(receiver, body)).toBe(200);
  await receiver.idle();
  expect(handled).toEqual([]);
  expect((await receiver.stats()).unreadable).toBe(3);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('acknowledged and dropped'));
  await receiver.close();
});

test.each(['[]', '5', 'null', '"text"', '{', ''])('%j is no JSON object, and gets 400', async (body) => {
  const { receiver } = inbox();
  expect(await deliver(receiver, body)).toBe(400);
  expect((await receiver.stats()).unreadable).toBeUndefined();
  await receiver.close();
});

test.each<[object]>([[{ sent: 1_795_432_627_877 }], [{ received: 5, application_id: 'x', actions: 'none' }]])(
  'a notification whose optional fields are odd is handled: %j',
  async (more) => {
    const { receiver, handled } = inbox();
    expect(await deliver(receiver, about(1, more))).toBe(200);
    await receiver.idle();
    expect(handled).toEqual(['/questions/1']);
    await receiver.close();
  },
);

test("that a message was read, and the seller's own messages, are no work", async () => {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
  const client = marketplace.clientFor(seller);
  const failures = vi.fn();
  const replied: string[] = [];
  const receiver = createReceiver({
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
  await deliver(receiver, { ...notification, _id: 'one' });
  await receiver.idle();
  const requests = [...marketplace.requests].length;
  await deliver(receiver, { ...notification, _id: 'two', actions: ['read'] });
  await receiver.idle();
  const { id: another } = marketplace.buyerWrites({ pack, text: 'Hello?' });
  await deliver(receiver, { ...notification, resource: another, _id: 'in capitals', actions: ['READ'] });
  // From a list of missed notifications.
  await receiver.add({ ...notification, resource: another, _id: 'missed', actions: ['read'] });
  await receiver.idle();
  expect([...marketplace.requests]).toHaveLength(requests);
  const written = await client.messages.conversation({ pack_id: pack.pack_id!, user_id: seller.user_id }).toArray();
  const own = written.find(({ text }) => text === 'Thank you.');
  await deliver(receiver, { ...notification, resource: own?.id, _id: 'three' });
  await receiver.idle();
  expect(replied).toEqual(['When does it leave?']);
  expect(failures).not.toHaveBeenCalled();
  expect(await receiver.deadLetters.list()).toEqual([]);
  await receiver.close();
});
