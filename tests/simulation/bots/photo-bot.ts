import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SellerClient } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InboxEntry } from 'marketplace-seller-sdk/inbox';
import type { DeadLetter } from 'marketplace-seller-sdk/stores';
import type { Bot, Check, World } from 'marketplace-seller-sdk/simulation';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { createTools } from 'marketplace-seller-sdk/tools';

/** The dead letters of a run at its end. */
const lettersAtTheEnd = new WeakMap<FakeMarketplace, readonly DeadLetter<InboxEntry>[]>();

const textFor = (message_id: string): string => `A photo for ${message_id}.`;

/** Its handler uploads a file, and has a tool of a model send it, which reads back by itself what was lost. */
export function photoBot(world: World): Bot {
  const { folder, marketplace, sellers } = world;
  const file = join(folder, 'photo.png');
  writeFileSync(file, 'a photo');
  const clients = new Map(sellers.map(({ user_id }) => [user_id, world.client(user_id)]));
  const inbox = createInbox({
    store: sqliteStore(join(folder, 'inbox.db')),
    clientFor: (user_id): SellerClient | undefined => clients.get(user_id),
    sellers: [...clients.keys()],
    catchUpEveryMs: 3_600_000,
    on: {
      messages: async ({ user_id, message_id }, { read, client }) => {
        const { pack_id, from } = await read();
        const { id } = await client.messages.upload({ site_id: 'MLA', file });
        const send = createTools(client).find(({ operation }) => operation === 'messages.send');
        const input = { pack_id, user_id, to: { user_id: from?.user_id }, attachments: [id] };
        const sent = await send!.run({ ...input, text: textFor(message_id) });
        if (sent.isError) throw new Error(sent.text);
      },
    },
  });
  inbox.start();
  return {
    callback: fetchHandler(inbox),
    stop: () => inbox.close(),
    stats: async () => {
      lettersAtTheEnd.set(marketplace, await inbox.deadLetters.list({ limit: 10_000 }));
      return inbox.stats();
    },
  };
}

/** Each message of a buyer gets one photo at most; a person has those of which nothing shows whether they were sent. */
export const eachGetsOnePhoto: Check = ({ marketplace, nameOf, revoked }) => {
  const { messages, packs } = marketplace;
  const letters = lettersAtTheEnd.get(marketplace) ?? [];
  const given = packs.all.flatMap((pack) => {
    const all = messages.of(pack);
    return all.flatMap(({ id, from }) => {
      const photos = all.filter(({ text }) => text === textFor(id)).map(({ files }) => files.length);
      return from === pack.seller_id || photos.join() === '1' || photos.length === 0
        ? []
        : [`${nameOf(id)} has ${photos.length} photos, with ${photos.join()} files`];
    });
  });
  // A closed conversation fails at each attempt, and the last error may be that of the upload.
  const isOfUpload = ({ entry, failure, attempts }: DeadLetter<InboxEntry>): boolean =>
    failure.includes('/messages/attachments') && attempts < 24 && !revoked.has(entry.notification.user_id);
  return [...given, ...letters.filter(isOfUpload).map(({ failure }) => `a dead letter of an upload: ${failure}`)];
};
