// Saves the files of a conversation in a folder. If the connection breaks, it fails and leaves no partial
// file.
// node examples/download.ts [folder]
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace where a buyer has sent a file. With a real one, only `seller` is different.
const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser();
const { user_id: owner } = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: owner });
const bytes = new TextEncoder().encode('a photo of the parcel');
const photo = marketplace.attachments.add({
  owner,
  site_id,
  filename: 'photo.jpg',
  type: 'image/jpeg',
  bytes,
});
marketplace.messages.add(pack, { from: owner, text: 'It looks like this.', files: [photo] });
const pack_id = pack.pack_id ?? pack.order_ids[0] ?? 0;
const seller = marketplace.clientFor(user_id);

const folder = process.argv[2] ?? (await mkdtemp(join(tmpdir(), 'attachments-')));
for await (const { message_attachments } of seller.messages.conversation({ pack_id, user_id })) {
  for (const { filename: attachment_id, original_filename } of message_attachments ?? []) {
    if (!attachment_id) continue;
    const file = await seller.messages.download({ site_id, attachment_id });
    // The name never contains a folder, so it is safe to join it to a path.
    const name = file.filename ?? original_filename ?? 'unnamed';
    await file.saveTo(join(folder, name));
    console.log(`${name}: ${file.size ?? 0} bytes, ${file.contentType ?? 'unknown type'}`);
  }
}
