import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chapter, Stage } from './stage.ts';

/** A file is uploaded, sent with a message, and downloaded again unchanged. */
export const files: Chapter = {
  title: 'The invoice is sent as a file',
  at: '2026-03-02T14:40:00-03:00',

  async play(stage) {
    const folder = await mkdtemp(join(tmpdir(), 'day-'));
    try {
      await sendInvoice(stage, join(folder, 'invoice.pdf'));
      await readConversation(stage);
      await fetchInvoice(stage, folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function sendInvoice({ say, client, seller, buyers, sales }: Stage, file: string): Promise<void> {
  await writeFile(file, Buffer.alloc(3 * 1024 * 1024, 'Desk lamp, 1 piece. '));
  say.code('const { id } = await seller.messages.upload(');
  say.code('  { site_id, file: path }, { onUploadProgress });');
  const { id } = await client.messages.upload(
    { site_id: seller.site_id, file },
    { onUploadProgress: ({ sentBytes, totalBytes }) => say.progress('sent', sentBytes, totalBytes) },
  );
  say.code('await seller.messages.send({ pack_id, user_id, to, text, attachments: [id] });');
  const to = { user_id: buyers.lucia.user_id };
  const text = 'Here is your invoice.';
  const pack_id = String(sales.lamp.pack_id);
  await client.messages.send({ pack_id, user_id: seller.user_id, to, text, attachments: [id] });
}

async function readConversation({ say, client, clientOf, seller, buyers, sales }: Stage): Promise<void> {
  const conversation = { pack_id: String(sales.lamp.pack_id), user_id: seller.user_id };
  say.line('');
  say.code('for await (const message of seller.messages.conversation({ pack_id, user_id }))');
  const messages = await client.messages.conversation(conversation).toArray({ max: 10 });
  const received = await clientOf(buyers.lucia).messages.conversation(conversation).toArray({ max: 10 });
  for (const { id, from, text, message_attachments } of messages.reverse()) {
    const who = from?.user_id === seller.user_id ? seller : buyers.lucia;
    const names = (message_attachments ?? []).map(
      ({ original_filename }) => `  [${original_filename ?? 'a file'}]`,
    );
    const hidden = received.some((each) => each.id === id) ? '' : '  (rejected by moderation)';
    say.quote(who.nickname, '', `${text ?? ''}${names.join('')}${hidden}`);
  }
  say.good(`${messages.length} messages, Lucía sees ${received.length} of them.`);
}

/** The buyer downloads the invoice. */
async function fetchInvoice(
  { say, clientOf, seller, buyers, sales }: Stage,
  folder: string,
): Promise<void> {
  const { messages } = clientOf(buyers.lucia);
  const newest = await messages
    .conversation({ pack_id: String(sales.lamp.pack_id), user_id: seller.user_id })
    .first();
  const attachment_id = newest?.message_attachments?.[0]?.filename ?? '';
  say.line('');
  say.code('const file = await buyer.messages.download(');
  say.code('  { site_id, attachment_id }, { onDownloadProgress });');
  say.code('await file.saveTo(path);');
  const file = await messages.download(
    { site_id: seller.site_id, attachment_id },
    {
      onDownloadProgress: ({ receivedBytes, totalBytes = 0 }) =>
        say.progress('received', receivedBytes, totalBytes),
    },
  );
  const saved = await readFile(await file.saveTo(join(folder, 'copy.pdf')));
  const isSame = saved.equals(await readFile(join(folder, 'invoice.pdf')));
  say.good(
    `${file.filename ?? 'The file'} was downloaded. ${isSame ? 'It is identical.' : 'It is different.'}`,
  );
}
