// Replies to a buyer who asks for an invoice: reads the conversation, uploads the file, sends it.
// node examples/conversation-with-a-file.ts [file]
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace on which a buyer has written. With a real one, only `seller` is different.
const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser();
const buyer = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
marketplace.buyerWrites({ pack, text: 'Could I have an invoice?' });
const pack_id = pack.pack_id ?? pack.order_ids[0] ?? 0;
const seller = marketplace.clientFor({ user_id });

// Reading marks messages as read, and the buyer can see that. This program only looks.
const asked = await seller.messages.conversation({ pack_id, user_id, mark_as_read: false }).first();
console.log(`${asked?.from?.user_id ?? 'Unknown'}: ${asked?.text ?? ''}`);

// A path is streamed from disk. Bytes from memory need a name.
const [path] = process.argv.slice(2);
const generated = new File(['%PDF-1.7 an invoice'], 'invoice.pdf', { type: 'application/pdf' });
const { id } = await seller.messages.upload(
  path === undefined ? { site_id, file: generated } : { site_id, file: path },
  {
    onUploadProgress: ({ sentBytes, totalBytes }) => console.log(`${sentBytes} of ${totalBytes} bytes`),
  },
);

const to = { user_id: buyer.user_id };
const sent = await seller.messages.send({
  pack_id,
  user_id,
  to,
  text: 'Here is your invoice. 📄',
  attachments: [id],
});
const [attached] = sent?.message_attachments ?? [];
console.log(`Sent: ${sent?.text ?? ''} ${attached?.original_filename ?? ''}, ${attached?.size ?? 0} bytes`);
