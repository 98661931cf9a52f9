/**
 * An invoice bot that sends each invoice once, also if it crashes in the middle: the link through the action guide, the
 * PDF as a message.
 *
 *   node examples/outbox.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser();
const buyer = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
marketplace.buyerWrites({ pack, text: 'Could I have an invoice?' });
const pack_id = pack.pack_id ?? 0;
const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
const file = join(folder, 'invoice-42.pdf');
writeFileSync(file, '%PDF-1.7 an invoice');

// The connection breaks after the marketplace has stored the message.
marketplace.faults.inject({ endpoint: endpoints.messages.send, reset: 'after' });

// With a real marketplace, only the client is different.
const seller = marketplace.clientFor(user_id);
const start = () => {
  const outbox = createOutbox({
    store: sqliteStore(join(folder, 'outbox.db')),
    clientFor: () => seller,
    onFailure: ({ error }) => console.log(error instanceof Error ? error.name : error),
  });
  outbox.start();
  return outbox;
};
const first = start();
await first.add({
  key: 'invoice-42-link',
  user_id,
  endpoint: endpoints.actionGuide.send,
  input: {
    pack_id,
    option_id: 'SEND_INVOICE_LINK',
    text: 'Your invoice: https://shop.example.com/invoices/42',
  },
});
await first.add({
  key: 'invoice-42-pdf',
  user_id,
  steps: [
    { endpoint: endpoints.messages.upload, input: { site_id, file } },
    { contact: { pack_id, user_id, text: 'Here is your invoice.' } },
  ],
});

// The process ends before it knows what has become of the message.
await first.idle();
console.log((await first.list()).map(({ entry, state }) => `${entry.key}: ${state}`));
await first.close();

// The next process finds the open job, reads back that it was sent, and does not send it again.
const second = start();
await second.settled('invoice-42-pdf');
console.log((await second.list()).map(({ entry, state }) => `${entry.key}: ${state}`));
console.log(
  'messages with a file:',
  marketplace.requests.filter({ endpoint: endpoints.messages.send }).length,
);
await second.close();
rmSync(folder, { recursive: true });
