import { NoOpenRoadError, isModerated, moderationReasonOf } from 'marketplace-seller-sdk';
import type { Contacted } from 'marketplace-seller-sdk';
import type { Chapter } from './stage.ts';

/** After a sale: which road to the buyer is open, what moderation rejects, and a file on its way. */
export const messages: Chapter = {
  title: 'After a sale, writing to the buyer',
  at: '2026-03-02T15:30:00-03:00',

  async tell({ say, client, seller, buyers, marketplace }) {
    const { lucia } = buyers;
    const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: lucia.user_id });
    const whose = { pack_id: pack.pack_id ?? 0, user_id: seller.user_id };
    const contact = (text: string): Promise<Contacted> =>
      client.messages.contact({ ...whose, to: { user_id: lucia.user_id }, text });

    say.code('await seller.messages.contact({ pack_id, user_id, to, text: "Call me: +54 11 4321-5678" });');
    const { road, message } = await contact('Call me: +54 11 4321-5678');
    say.good(`Sent by the ${road}, for the buyer has not written yet.`);
    if (isModerated(message)) say.bad(`Moderation rejected it: ${moderationReasonOf(message) ?? 'no reason given'}`);

    try {
      await contact('Your lamp leaves today.');
    } catch (error) {
      if (!(error instanceof NoOpenRoadError)) throw error;
      say.bad(`${error.name}: ${error.reason}`);
    }

    const { text } = marketplace.buyerWrites({ pack, text: 'May I have an invoice?' });
    say.quote(lucia.nickname, 'the sale', text);

    say.code('const { id } = await seller.messages.upload({ site_id, file }, { onUploadProgress });');
    const file = new File([new Uint8Array(200_000)], 'invoice.pdf', { type: 'application/pdf' });
    const told: number[] = [];
    const { id } = await client.messages.upload(
      { site_id: seller.site_id, file },
      { onUploadProgress: ({ sentBytes, totalBytes }) => told.push(Math.round((100 * sentBytes) / totalBytes)) },
    );
    say.good(`Uploaded: ${told.join(' %, ')} %.`);
    const answer = { ...whose, to: { user_id: lucia.user_id }, text: 'Here it is.', attachments: [id] };
    const sent = await client.messages.send(answer);
    say.good(`Sent with ${sent?.message_attachments?.[0]?.original_filename ?? 'nothing'}.`);
  },
};
