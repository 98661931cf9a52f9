import { join } from 'node:path';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import type { JobStatus } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Bot, Check, World } from 'marketplace-seller-sdk/simulation';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';

/** The jobs of a run at its end. */
const jobsAtTheEnd = new WeakMap<FakeMarketplace, readonly JobStatus[]>();

const text = 'Thank you.';

/**
 * Its inbox and its outbox share a file, and write to the same conversations: jobs thank for sales, the handler answers messages with
 * the same text. Questions are answered by one or the other. It looks for what it has missed.
 */
export function sharedFileBot(world: World): Bot {
  const { folder, marketplace, sellers } = world;
  const path = join(folder, 'inbox.db');
  const clientFor = (user_id: number) => world.client(user_id);
  const store = sqliteStore(path);
  const outbox = createOutbox({ store, clientFor });
  const inbox = createInbox({
    store,
    clientFor,
    sellers: sellers.map(({ user_id }) => user_id),
    catchUpEveryMs: 3_600_000,
    on: {
      questions: async ({ question_id, user_id }, { read, client }) => {
        if ((await read()).status !== 'UNANSWERED') return;
        const input = { question_id, text: 'Yes.' };
        const { answer } = endpoints.questions;
        if (question_id % 2 === 0) await outbox.add({ key: `q-${question_id}`, user_id, endpoint: answer, input });
        else await client.questions.answer(input);
      },
      messages: async (_, { read, reply }) => {
        await read();
        await reply(text);
      },
    },
    fallback: async ({ topic, resource, user_id }) => {
      if (topic !== 'orders_v2') return;
      const id = Number(resource.split('/').pop());
      const { pack_id } = marketplace.packs.all.find(({ order_ids }) => order_ids.includes(id))!;
      await outbox.add({ key: `o-${id}`, user_id, contact: { pack_id: pack_id!, user_id, text } });
    },
  });
  inbox.start();
  outbox.start();
  return {
    callback: fetchHandler(inbox),
    stop: async () => {
      await inbox.close();
      await outbox.close();
    },
    stats: async () => {
      jobsAtTheEnd.set(marketplace, await outbox.list({ limit: 10_000 }));
      return inbox.stats();
    },
  };
}

/** A conversation has one message for each job that is done, and at most one more for each message of its buyer. */
export const eachThankedOnce: Check = ({ marketplace, nameOf }) => {
  const jobs = jobsAtTheEnd.get(marketplace) ?? [];
  return marketplace.packs.all.flatMap((pack) => {
    const all = marketplace.messages.of(pack);
    const sent = all.filter((each) => each.from === pack.seller_id && each.text === text).length;
    const asked = all.filter(({ from }) => from === pack.buyer_id).length;
    const own = jobs.filter(({ entry }) => entry.steps.at(-1)!.input.pack_id === pack.pack_id);
    const done = own.filter(({ state }) => state === 'accepted').length;
    const unknown = own.filter(({ reason = '' }) => reason.endsWith('may have been carried out)')).length;
    if (sent >= done && sent <= asked + done + unknown) return [];
    return [
      `${nameOf(pack.pack_id ?? 0)} has ${sent} messages of ${done} done jobs, ${unknown} unknown, and ${asked} messages of its buyer`,
    ];
  });
};
