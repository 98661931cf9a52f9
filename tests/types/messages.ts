import { createReadStream } from 'node:fs';
import { deliveryPromise, moderationOf, packOf } from 'marketplace-seller-sdk';
import type { Message, SellerClient } from 'marketplace-seller-sdk';

declare const seller: SellerClient;
const whose = { pack_id: '2000000012345678', user_id: 7 };
const to = { user_id: 31 };

export async function sends(): Promise<void> {
  await seller.messages.send({ ...whose, to, text: 'Hello' });
  await seller.messages.send({ ...whose, to, text: 'Hello', attachments: ['file.pdf'], application_id: 500 });
  // @ts-expect-error -- the inbox is missing
  await seller.messages.send({ ...whose, text: 'Hello' });
  await seller.messages.send({
    ...whose,
    to,
    text: 'Hello',
    // @ts-expect-error -- attachments are a list
    attachments: 'file.pdf',
  });
}

/** The id of an option decides which fields it takes. */
export async function options(): Promise<void> {
  await seller.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hello' });
  await seller.actionGuide.send({ pack_id: 1, option_id: 'SEND_INVOICE_LINK', text: 'https://example.com/invoice' });
  await seller.actionGuide.send({
    pack_id: 1,
    option_id: 'REQUEST_VARIANTS',
    template_id: 'TEMPLATE___REQUEST_VARIANTS___1',
  });
  await seller.actionGuide.send({ pack_id: 1, ...deliveryPromise({ from: 9, to: 13 }) });
  // @ts-expect-error -- OTHER takes a text
  await seller.actionGuide.send({ pack_id: 1, option_id: 'OTHER', template_id: 'TEMPLATE___OTHER___1' });
  // What options() lists can be sent, also an option that the service has added since.
  const { options } = await seller.actionGuide.options({ pack_id: 1 });
  const [option] = options;
  const template_id = option?.templates?.[0]?.id ?? '';
  await seller.actionGuide.send({ pack_id: 1, option_id: 'REQUEST_VARIANTS', template_id });
  if (option) await seller.actionGuide.send({ pack_id: 1, option_id: option.id, template_id });
  const later = 'GREETING' as string;
  await seller.actionGuide.send({ pack_id: 1, option_id: later, text: 'Hello', vars: [{ id: 'a', value: 1 }] });
  // @ts-expect-error -- a misspelt option
  await seller.actionGuide.send({ pack_id: 1, option_id: 'OTHR', text: 'Hello' });
  const misspelt = { option_id: 'OTHR', text: 'Hello' } as const;
  // @ts-expect-error -- a misspelt option
  await seller.actionGuide.send({ pack_id: 1, ...misspelt });
  // @ts-expect-error -- other fields are closed
  await seller.actionGuide.send({ pack_id: 1, option_id: later, txt: 'Hello' });
}

export async function conversations(): Promise<void> {
  const conversation = seller.messages.conversation({ ...whose, mark_as_read: false });
  for await (const message of conversation) message satisfies Message;
  for await (const page of conversation.pages()) {
    page.conversation_status?.status satisfies string | null | undefined;
    page.seller_max_message_length satisfies number | null | undefined;
    // @ts-expect-error -- pages of a conversation have no such field
    page.available_filters;
  }
  const message = await seller.messages.get({ message_id: 'a' });
  moderationOf(message) satisfies 'accepted' | 'pending' | 'rejected';
  // @ts-expect-error -- it may be absent
  message.from.user_id;
}

/** What one call delivers fits into the next one. */
export async function flows(): Promise<void> {
  const message = await seller.messages.get({ message_id: 'a' });
  const { counterpart } = await seller.messages.channel({ pack_id: packOf(message), user_id: 7 });
  await seller.messages.contact({ ...whose, text: 'Hello' });
  await seller.messages.contact({ ...whose, to: counterpart, text: 'Hello' });
  await seller.messages.reply(message, 'Hello');
  packOf({ id: 5, pack_id: null }) satisfies number | string;
  for (const { filename } of message.message_attachments ?? [])
    await seller.messages.download({ site_id: 'MLA', attachment_id: filename });
}

export async function files(): Promise<void> {
  await seller.messages.upload({ site_id: 'MLA', file: 'invoice.pdf' });
  await seller.messages.upload({ site_id: 'MLA', file: createReadStream('invoice.pdf') });
  await seller.messages.upload({ site_id: 'MLA', file: await fetch('https://example.com/invoice.pdf') });
  const sent = await seller.messages.download({ site_id: 'MLA', attachment_id: 'a' });
  await seller.messages.upload({ site_id: 'MLA', file: sent });
  const { id } = await seller.messages.upload(
    { site_id: 'MLA', file: new Blob(['x']), filename: 'a.txt' },
    { onUploadProgress: ({ sentBytes, totalBytes }) => `${sentBytes.toFixed()} of ${totalBytes.toFixed()}` },
  );
  id satisfies string;
  // @ts-expect-error -- the site is missing
  await seller.messages.upload({ file: 'invoice.pdf' });
  // @ts-expect-error -- a stream does not tell its length
  await seller.messages.upload({ site_id: 'MLA', file: new Blob(['x']).stream(), filename: 'a.txt' });
  const file = await seller.messages.download({ site_id: 'MLA', attachment_id: id });
  file.filename satisfies string | undefined;
  (await file.arrayBuffer()) satisfies ArrayBuffer;
}
