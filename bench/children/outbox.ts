// An application in its own process: it adds its jobs to an outbox, works until all are settled, and ends.
// node outbox.ts <base URL> <token> <user> <site> <buyer> <database> <file> <first pack> <number of packs>
import type * as Library from 'marketplace-seller-sdk';
import { SqliteOutbox } from '../../examples/sqlite-outbox.ts';
import { here } from '../measure.ts';

// The built package, as users load it.
const built: unknown = await import(here('../dist/esm/index.js'));
const { SellerClient } = built as typeof Library;

const [baseUrl = '', accessToken = '', user, site_id = '', buyer, path = '', file = '', firstPack, packs] =
  process.argv.slice(2);
const user_id = Number(user);
const to = { user_id: Number(buyer) };
const seller = new SellerClient({ baseUrl, accessToken, maxRetries: 0 });
const outbox = new SqliteOutbox(path, seller, { site_id, confirmWindowMs: 300 });
for (let index = 0; index < Number(packs); index += 1) {
  const pack_id = Number(firstPack) + index;
  outbox.add(`${index}-text`, {
    kind: 'message',
    input: { pack_id, user_id, to, text: `Order ${index} leaves today.` },
  });
  outbox.add(`${index}-link`, {
    kind: 'option',
    input: { pack_id, option_id: 'SEND_INVOICE_LINK', text: `https://shop.example.com/invoices/${index}` },
  });
  outbox.add(`${index}-file`, {
    kind: 'message',
    input: { pack_id, user_id, to, text: `Here is your invoice, number ${index}.` },
    file,
  });
}
process.send?.('ready');
while (outbox.rows().some(({ state }) => state === 'new' || state === 'open')) await outbox.flush();
process.exit();
