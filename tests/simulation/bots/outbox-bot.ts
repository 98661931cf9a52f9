import { join } from 'node:path';
import { createOutbox, sqliteOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';

/** Answers questions and thanks for sales through an outbox in a file. It stores a job before it acknowledges. */
export function outboxBot(world: World): Bot {
  const outbox = createOutbox({
    store: sqliteOutbox(join(world.folder, 'outbox.db')),
    clientFor: (user_id) => world.client(user_id),
    onFailure: ({ error }) => world.log(`a job fails: ${String(error)}`),
  });
  outbox.start();
  const add = async (user_id: number, topic: string, id: number): Promise<void> => {
    const key = `${topic}-${id}`;
    if (topic === 'questions') {
      const input = { question_id: id, text: 'Yes.' };
      await outbox.add({ key, user_id, endpoint: endpoints.questions.answer, input });
    } else if (topic === 'orders_v2') {
      const { pack_id } = world.marketplace.packs.all.find(({ order_ids }) => order_ids.includes(id))!;
      await outbox.add({ key, user_id, contact: { pack_id: pack_id!, user_id, text: 'Thank you.' } });
    }
  };
  return {
    callback: async (request) => {
      const { user_id, topic, resource } = (await request.json()) as Record<string, string>;
      await add(Number(user_id), topic!, Number(resource!.split('/').pop()));
      return new Response();
    },
    stop: () => outbox.close(),
    stats: () => outbox.stats(),
  };
}
