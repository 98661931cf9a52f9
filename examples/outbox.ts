/**
 * An invoice bot that sends each invoice once, also if it crashes in the middle: the link through the action guide, the
 * PDF as a message.
 *
 *   node examples/outbox.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { SqliteOutbox } from './sqlite-outbox.ts';

const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser();
const buyer = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
marketplace.buyerWrites({ pack, text: 'Could I have an invoice?' });
const pack_id = pack.pack_id ?? 0;
const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
const file = join(folder, 'invoice-42.pdf');
writeFileSync(file, '%PDF-1.7 an invoice');

const start = () =>
  new SqliteOutbox(join(folder, 'outbox.db'), marketplace.clientFor({ user_id }), { site_id });
const first = start();
first.add('invoice-42-link', {
  kind: 'option',
  input: {
    pack_id,
    option_id: 'SEND_INVOICE_LINK',
    text: 'Your invoice: https://shop.example.com/invoices/42',
  },
});
first.add('invoice-42-pdf', {
  kind: 'message',
  input: { pack_id, user_id, to: { user_id: buyer.user_id }, text: 'Here is your invoice.' },
  file,
});

// The connection breaks after the marketplace has stored the message, and the process ends.
marketplace.faults.inject({ endpoint: endpoints.messages.send, reset: 'after' });
await first.flush();
console.log(first.rows().map(({ id, state }) => `${id}: ${state}`));
first.close();

// The next process finds the open row, reads back that it was sent, and does not send it again.
const second = start();
await second.flush();
console.log(second.rows().map(({ id, state }) => `${id}: ${state}`));
console.log(
  'messages with a file:',
  marketplace.requests.filter({ endpoint: endpoints.messages.send }).length,
);
second.close();
rmSync(folder, { recursive: true });
