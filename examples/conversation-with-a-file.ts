// Replies to a buyer who asks for an invoice: reads the conversation, uploads the file and sends it.
// node examples/conversation-with-a-file.ts [file]    without a file, it sends a generated one
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace where a buyer has written a message. With a real one, only `seller` is different.
const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser();
const buyer = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
marketplace.buyerWrites({ pack, text: 'Could I have an invoice?' });
const pack_id = pack.pack_id ?? pack.order_ids[0] ?? 0;
const seller = marketplace.clientFor(user_id);

// By default, reading marks the messages as read, and the buyer can see that. `mark_as_read: false`
// avoids it.
const asked = await seller.messages.conversation({ pack_id, user_id, mark_as_read: false }).first();
console.log(`${asked?.from?.user_id ?? 'Unknown'}: ${asked?.text ?? ''}`);

// `file` is a path, which is streamed from disk, or a `File` with a name and bytes from memory.
const [path] = process.argv.slice(2);
const generated = new File(['%PDF-1.7 an invoice'], 'invoice.pdf', { type: 'application/pdf' });
const { id } = await seller.messages.upload(
  { site_id, file: path ?? generated },
  { onUploadProgress: ({ sentBytes, totalBytes }) => console.log(`${sentBytes} of ${totalBytes} bytes`) },
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
