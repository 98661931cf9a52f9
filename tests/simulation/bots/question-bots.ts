import { join } from 'node:path';
import { hasStatus } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';

/** The bot of the guide, for several sellers, with its notifications in a file. */
export function careful(world: World, options?: Partial<ClientOptions>): Bot {
  return answering(world, join(world.folder, 'inbox.db'), options);
}

/** The same, with a store in memory. */
export function carefulInMemory(world: World, options?: Partial<ClientOptions>): Bot {
  return answering(world, undefined, options);
}

function answering(world: World, path: string | undefined, options: Partial<ClientOptions> | undefined): Bot {
  const clients = new Map(world.sellers.map(({ user_id }) => [user_id, world.client(user_id, options)]));
  const inbox = createInbox({
    store: path === undefined ? memoryStore() : sqliteStore(path),
    clientFor: (user_id) => clients.get(user_id),
    sellers: [...clients.keys()],
    // Each fourth of the usual rounds: most of them find nothing, and are most of what a small day costs.
    catchUpEveryMs: 3_600_000,
    on: {
      questions: async (_, { read, client }) => {
        const question = await read();
        if (!hasStatus(question, 'UNANSWERED')) return;
        await client.questions.answer({ question_id: question.id, text: 'Yes.' });
      },
    },
  });
  inbox.start();
  return { callback: fetchHandler(inbox), stop: () => inbox.close(), stats: () => inbox.stats() };
}

/** Answers what is posted, at once: it loses what it is doing when it dies, and does not look for what it missed. */
export function naive(world: World): Bot {
  return {
    callback: async (request) => {
      const { user_id, topic, resource } = (await request.json()) as Record<string, string>;
      if (topic !== 'questions') return new Response();
      const question_id = Number(resource!.split('/').pop());
      await world.client(Number(user_id)).questions.answer({ question_id, text: 'Yes.' });
      return new Response();
    },
  };
}

/** Asks for open questions every two hours, until an error says that this is useless. */
export function polling(world: World, isUseless: (error: unknown) => boolean = () => false): Bot {
  for (const { user_id } of world.sellers) {
    const { questions } = world.client(user_id);
    const timer = setInterval(() => {
      questions
        .search({ seller_id: user_id })
        .first()
        .catch((error: unknown) => isUseless(error) && clearInterval(timer));
    }, 7_200_000);
  }
  return {};
}
