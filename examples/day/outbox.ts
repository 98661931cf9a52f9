import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Chapter } from './stage.ts';

/** An outbox sends the messages of two sellers, each once, although the response to the first one is lost. */
export const outbox: Chapter = {
  title: 'An outbox sends for two sellers',
  at: '2026-03-02T18:45:00-03:00',

  async play({ say, marketplace, seller, client, clientOf, buyers, sales }) {
    const other = marketplace.addUser({ nickname: 'Casa Sur' });
    const sale = marketplace.addPack({ seller_id: other.user_id, buyer_id: buyers.ines.user_id });
    marketplace.buyerWrites({ pack: sale, text: 'Is the invoice on its way?' });
    const clients = new Map([
      [seller.user_id, client],
      [other.user_id, clientOf(other)],
    ]);
    say.code('const clientFor = (user_id) => clients.get(user_id);');
    say.code('const outbox = createOutbox({ store, clientFor });');
    const jobs = createOutbox({
      store: memoryStore(),
      clientFor: (user_id) => clients.get(user_id),
      onFailure: ({ error }) => say.line(error instanceof Error ? error.name : 'failed'),
    });
    jobs.start();

    marketplace.faults.inject({ endpoint: endpoints.messages.send, reset: 'after' });
    say.code('await outbox.add({ key, user_id, endpoint: endpoints.messages.send, input });');
    for (const [{ user_id, nickname }, pack] of [
      [seller, sales.lamp],
      [other, sale],
    ] as const) {
      const text = `Your invoice, from ${nickname}.`;
      const input = { pack_id: pack.pack_id ?? 0, user_id, to: { user_id: pack.buyer_id }, text };
      const key = `invoice ${nickname}`;
      await jobs.add({ key, user_id, endpoint: endpoints.messages.send, input });
      const { state } = await jobs.settled(key);
      const arrived = marketplace.messages.of(pack).filter((message) => message.text === text);
      say.line(`${nickname.padEnd(10)} ${state}, ${arrived.length} message`);
    }
    say.good('The response to the first was lost: the outbox found it, and did not send it again.');
    await jobs.close();
  },
};
