import { createInbox, fetchHandler, handleNow, parseNotification } from 'marketplace-seller-sdk/inbox';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import { post } from '../support/deliveries.ts';
import { createSale } from '../support/marketplace.ts';
import { silentLogger } from '../support/silent.ts';

// A notification of `messages` may name the conversation instead of a message.

const forms = (pack: string, seller: number): string[] => [
  `/messages/packs/${pack}/sellers/${seller}`,
  `/packs/${pack}/sellers/${seller}`,
  `messages/packs/${pack}/sellers/${seller}/`,
  `/packs/${pack}/sellers/${seller}?tag=post_sale`,
  `https://api.test/messages/packs/${pack}/sellers/${seller}?tag=post_sale`,
  `/messages/unread/packs/${pack}/sellers/${seller}`,
];

test.each(forms('2000', 7))('%s names a conversation', (resource) => {
  const notification = parseNotification({ user_id: 7, topic: 'messages', resource });
  expect(notification).toMatchObject({ known: true, topic: 'messages', pack_id: '2000' });
  expect(notification.message_id).toBeUndefined();
});

test.each(['/packs/2000', '/packs/2000/sellers/', '/packs/a/sellers/7', '/packs/2000/sellers/7/messages'])(
  '%s does not',
  (resource) => {
    expect(() => parseNotification({ user_id: 7, topic: 'messages', resource })).toThrow(
      '/messages/packs/<pack_id>/sellers/<user_id>',
    );
  },
);

function sale() {
  const { marketplace, seller, pack } = createSale();
  const client = marketplace.clientFor(seller);
  const handled: string[] = [];
  const on: NonNullable<InboxOptions['on']> = {
    messages: async (_, { read, reply }) => {
      const { text } = await read();
      handled.push(String(text));
      if (text === 'And now?') await reply('It leaves today.');
    },
  };
  const options = { clientFor: () => client, logger: silentLogger, on };
  const notify = (_id: string, resource = forms(String(pack.pack_id), seller.user_id)[0]) => ({
    _id,
    user_id: seller.user_id,
    topic: 'messages',
    resource,
  });
  return { marketplace, seller, pack, client, handled, options, notify };
}

describe('a conversation that is announced', () => {
  test('has its unanswered messages handled once, with the keys of catchUp(), and marks nothing as read', async () => {
    const { marketplace, seller, pack, client, handled, options, notify } = sale();
    const inbox = createInbox(options);
    onTestFinished(() => inbox.close());
    for (const text of ['Hello', 'When does it leave?']) marketplace.buyerWrites({ pack, text });
    await fetchHandler(inbox)(post(notify('one')));
    await inbox.idle();
    expect(handled.toSorted()).toEqual(['Hello', 'When does it leave?']);
    expect((await client.messages.unread()).results).toHaveLength(1);
    expect(await inbox.catchUp({ user_ids: [seller.user_id] })).toMatchObject({ found: 2, added: 0 });
    // Announced again: only what is new is work.
    marketplace.buyerWrites({ pack, text: 'And now?' });
    await fetchHandler(inbox)(post(notify('two')));
    await inbox.idle();
    expect(handled.toSorted()).toEqual(['And now?', 'Hello', 'When does it leave?']);
    await fetchHandler(inbox)(post(notify('three')));
    await inbox.idle();
    expect(handled).toHaveLength(3);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 0, unreadable: 0 });
  });

  test('is the same resource each time, with and without ids', async () => {
    const { marketplace, pack, seller, handled, options } = sale();
    const inbox = createInbox(options);
    onTestFinished(() => inbox.close());
    for (const [index, resource] of forms(String(pack.pack_id), seller.user_id).entries()) {
      marketplace.buyerWrites({ pack, text: `Message ${index}` });
      await fetchHandler(inbox)(post({ user_id: seller.user_id, topic: 'messages', resource }));
      await inbox.idle();
      expect(handled).toHaveLength(index + 1);
    }
  });

  test('does not exist, or is one of others, is dropped, and no dead letter', async () => {
    const { options, seller } = sale();
    const inbox = createInbox({ ...options, retry: { maxRetries: 0 } });
    onTestFinished(() => inbox.close());
    await inbox.add({
      user_id: seller.user_id,
      topic: 'messages',
      resource: `/packs/999999/sellers/${seller.user_id}`,
    });
    await inbox.idle();
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 1 });
  });

  test('is handled by handleNow too', async () => {
    const { marketplace, pack, handled, options, notify } = sale();
    marketplace.buyerWrites({ pack, text: 'Hello' });
    expect((await handleNow(post(notify('handle-now')), options)).status).toBe(200);
    expect(handled).toEqual(['Hello']);
  });
});
