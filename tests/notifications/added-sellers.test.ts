import { createInbox, handleNow } from 'marketplace-seller-sdk/inbox';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { silentLogger } from '../support/silent.ts';

// The service delivers a notification again, and meanwhile its user has become a seller of the application.

/** A question of a seller who is not known yet. */
function shop() {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { user_id } = seller;
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' });
  const client = marketplace.clientFor(seller);
  const handled: number[] = [];
  const options = {
    logger: silentLogger,
    on: { questions: async (_, { read }) => void handled.push((await read()).id) },
  } satisfies InboxOptions;
  const later = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it still new?' }).id;
  return { user_id, client, handled, options, notification: about(id, { user_id }), id, later };
}

type Shop = ReturnType<typeof shop>;
/** How an inbox knows its sellers, and how one is added and removed. */
type Way = (shop: Shop) => { readonly options: Partial<InboxOptions>; add(): void; remove(): void };

const list: Way = ({ user_id, client }) => {
  const sellers = [1];
  return {
    options: { sellers, clientFor: () => client },
    add: () => void sellers.push(user_id),
    remove: () => void sellers.pop(),
  };
};
const set: Way = ({ user_id, client }) => {
  const sellers = new Set([1]);
  return {
    options: { sellers, clientFor: () => client },
    add: () => void sellers.add(user_id),
    remove: () => void sellers.delete(user_id),
  };
};
const listed: Way = ({ user_id, client }) => {
  const known = [1];
  return {
    options: { sellers: async () => [...known], clientFor: () => client },
    add: () => void known.push(user_id),
    remove: () => void known.pop(),
  };
};
const connected: Way = ({ user_id, client }) => {
  const known = [1];
  // What `createSellers` returns has more.
  return {
    options: { sellers: { ids: async () => [...known] }, clientFor: () => client },
    add: () => void known.push(user_id),
    remove: () => void known.pop(),
  };
};
const byClient: Way = ({ user_id, client }) => {
  const clients = new Map<number, typeof client>();
  const options = { clientFor: (user: number) => clients.get(user) };
  return { options, add: () => void clients.set(user_id, client), remove: () => void clients.delete(user_id) };
};
const withLateClient: Way = ({ user_id, client }) => {
  const clients = new Map<number, typeof client>();
  return {
    options: { sellers: [user_id], clientFor: (user) => clients.get(user) },
    add: () => void clients.set(user_id, client),
    remove: () => void clients.delete(user_id),
  };
};

describe.for(storeKinds())('a redelivery for a seller who was added later, with a store in $name', ({ create }) => {
  test.for<[string, Way]>([
    ['to the list', list],
    ['to the set', set],
    ['to what the function returns', listed],
    ['to what `createSellers` returned', connected],
    ['with a client', byClient],
    ['with a client, and was one of the sellers', withLateClient],
  ])('%s is handled once, and what comes after the seller has left is dropped', async ([, way]) => {
    const ofShop = shop();
    const { options, add, remove } = way(ofShop);
    const inbox = createInbox({ ...ofShop.options, ...options, store: create()() });
    onTestFinished(() => inbox.close());
    for (let times = 0; times < 2; times += 1) {
      expect(await deliver(inbox, ofShop.notification)).toBe(200);
      await inbox.idle();
    }
    expect(ofShop.handled).toEqual([]);
    add();
    for (let times = 0; times < 2; times += 1) {
      expect(await deliver(inbox, ofShop.notification)).toBe(200);
      await inbox.idle();
    }
    expect(ofShop.handled).toEqual([ofShop.id]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 2 });
    remove();
    for (const user_id of [99, ofShop.user_id]) await deliver(inbox, about(ofShop.later, { user_id }));
    await inbox.idle();
    expect(ofShop.handled).toEqual([ofShop.id]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 4 });
  });
});

test('handleNow() handles a redelivery for a seller who was added later, once', async () => {
  const ofShop = shop();
  const { options, add } = byClient(ofShop);
  const post = () => {
    const request = new Request('https://app.test/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ofShop.notification),
    });
    return handleNow(request, { ...ofShop.options, clientFor: options.clientFor });
  };
  expect((await post()).status).toBe(200);
  expect(ofShop.handled).toEqual([]);
  add();
  for (let times = 0; times < 2; times += 1) expect((await post()).status).toBe(200);
  expect(ofShop.handled).toEqual([ofShop.id]);
});
