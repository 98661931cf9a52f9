// Saves the files of a conversation into a folder. A file that breaks off half-way is an error, never a short file.
// node examples/download.ts [folder]
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A marketplace in memory on which a buyer has sent a file; with a real one, only `seller` would differ.
const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser();
const { user_id: owner } = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: owner });
const bytes = new TextEncoder().encode('a photograph of what arrived');
const photo = marketplace.attachments.add({ owner, site_id, filename: 'photo.jpg', type: 'image/jpeg', bytes });
marketplace.messages.add(pack, { from: owner, text: 'It looks like this.', files: [photo] });
const pack_id = pack.pack_id ?? pack.order_ids[0] ?? 0;
const seller = marketplace.clientFor({ user_id });

const folder = process.argv[2] ?? (await mkdtemp(join(tmpdir(), 'attachments-')));
for await (const { message_attachments } of seller.messages.conversation({ pack_id, user_id })) {
  for (const { filename: attachment_id, original_filename } of message_attachments ?? []) {
    if (!attachment_id) continue;
    const file = await seller.messages.download({ site_id, attachment_id });
    // The name that the service gives has no folder in it, so it may be joined to one.
    const name = file.filename ?? original_filename ?? 'unnamed';
    await file.saveTo(join(folder, name));
    console.log(`${name}: ${file.size ?? 0} bytes of ${file.contentType ?? 'unknown type'}`);
  }
}
