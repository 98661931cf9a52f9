// An Express application that answers questions when they are asked. It loses no question if it crashes.
//   node examples/notifications-express.ts
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { BadRequestError, isAnswerable } from 'marketplace-seller-sdk';
import { createInbox, nodeHandler, secretPath } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace. In production, create one client per seller with `new SellerClient()`.
const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const client = marketplace.clientFor(seller);

const folder = mkdtempSync(join(tmpdir(), 'inbox-'));
// Notifications have no signature, so the path is a secret. Make it once, and keep it with your secrets.
const path = secretPath();
const inbox = createInbox({
  store: sqliteStore(join(folder, 'seller.db')),
  path,
  clientFor: (user_id) => (user_id === seller.user_id ? client : undefined),
  on: {
    questions: async (notification, { read, client }) => {
      // A notification only says that something has changed: read the question to know its state.
      const question = await read();
      if (!isAnswerable(question)) return;
      try {
        await client.questions.answer({ question_id: question.id, text: 'Yes, there is stock.' });
        console.log(`answered question ${question.id}: ${question.text}`);
      } catch (error) {
        if (!(error instanceof BadRequestError)) throw error; // the inbox tries again later
        console.log(error.message); // for example: its item is paused
      }
    },
  },
  onFailure: ({ error, attempt, dead }) =>
    console.error(`attempt ${attempt} failed`, dead ? '(the last)' : '', error),
});

// For a deploy: stop receiving, give the running handlers 5 seconds, and let the next process continue.
process.once('SIGTERM', () => {
  server.close();
  void inbox.close().then(() => process.exit());
});

const app = express();
app.all(path, nodeHandler(inbox));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
// Handle what an earlier process has left, and what arrives.
inbox.start();

// The rest of this file acts as the service. It delivers a notification for each question, some of them
// twice.
const { port } = server.address() as AddressInfo;
const callback = `http://127.0.0.1:${port}${path}`;
marketplace.notifications.subscribe({ callback, faults: { twice: 0.5 } });
const item = marketplace.addItem({ seller_id: seller.user_id });
const buyer = marketplace.addUser();
for (const text of ['Is there stock?', 'And in blue?'])
  marketplace.ask({ from: buyer, item_id: item.item_id, text });
await marketplace.notifications.flush();

await inbox.idle();
server.close();
server.closeAllConnections();
await inbox.close();
rmSync(folder, { recursive: true });
