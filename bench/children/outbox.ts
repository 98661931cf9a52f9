// An application in its own process: it adds its jobs to an outbox, works until none is open, and ends.
// node outbox.ts <base URL> <token> <user> <site> <buyer> <database> <file> <first pack> <number of packs> <how far its clock is ahead>
import { setTimeout as pause } from 'node:timers/promises';
import type * as Library from 'marketplace-seller-sdk';
import type * as Outboxes from 'marketplace-seller-sdk/outbox';
import type * as Schemas from 'marketplace-seller-sdk/schemas';
import type * as Stores from 'marketplace-seller-sdk/stores';
import { setClockAhead } from '../../tests/support/clock-ahead.ts';
import { here } from '../measure.ts';

// The built package, as users load it.
const built: readonly unknown[] = await Promise.all(
  ['index', 'outbox/index', 'schemas', 'stores'].map((entry) => import(here(`../dist/esm/${entry}.js`))),
);
const [{ SellerClient }, { createOutbox }, { endpoints }, { sqliteStore }] = built as [
  typeof Library,
  typeof Outboxes,
  typeof Schemas,
  typeof Stores,
];

const [baseUrl = '', accessToken = '', user, site_id = '', buyer, path = '', file = '', firstPack, packs, aheadMs] =
  process.argv.slice(2);
if (aheadMs !== '0') setClockAhead(Number(aheadMs));
const user_id = Number(user);
const to = { user_id: Number(buyer) };
const seller = new SellerClient({ baseUrl, accessToken, maxRetries: 0, timeoutMs: 2_000 });
const outbox = createOutbox({
  store: sqliteStore(path),
  clientFor: () => seller,
  leaseMs: 300,
  retry: { firstDelayMs: 50, maxDelayMs: 500 },
  onFailure: () => undefined,
});
outbox.start();
// Of the packs of earlier processes, it adds the jobs of the last ones again.
for (let index = Math.max(0, Number(packs) - 30); index < Number(packs); index += 1) {
  const pack_id = Number(firstPack) + index;
  const { send } = endpoints.messages;
  const thanks = { pack_id, user_id, to, text: 'Thank you!' };
  const link = `https://shop.example.com/invoices/${index}`;
  const invoice = { pack_id, option_id: 'SEND_INVOICE_LINK' as const, text: link };
  const upload = { endpoint: endpoints.messages.upload, input: { site_id, file } };
  await Promise.all([
    outbox.add({ key: `${index}-thanks`, user_id, endpoint: send, input: thanks }),
    outbox.add({ key: `${index}-thanks-again`, user_id, endpoint: send, input: thanks }),
    outbox.add({ key: `${index}-link`, user_id, endpoint: endpoints.actionGuide.send, input: invoice }),
    outbox.add({
      key: `${index}-file`,
      user_id,
      steps: [upload, { contact: { pack_id, user_id, text: 'Here is your invoice.' } }],
    }),
  ]);
}
process.send?.('ready');
for (;;) {
  const { waiting, running } = await outbox.stats();
  if (waiting + running === 0) break;
  await pause(50);
}
process.exit();
