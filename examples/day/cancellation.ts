import { ConversationBlockedError } from 'marketplace-seller-sdk';
import type { Chapter } from './stage.ts';

/** A blocked conversation has its own error class, with the reason. */
export const cancellation: Chapter = {
  title: 'Mateo cancels his order',
  at: '2026-03-02T15:30:00-03:00',

  async play({ say, client, seller, buyers, sales, marketplace }) {
    marketplace.packs.change(sales.shelf, { blockedBy: 'blocked_by_cancelled_order' });
    const to = { user_id: buyers.mateo.user_id };
    const text = 'Was something wrong?';
    say.code('await seller.messages.send({ pack_id, user_id, to, text });');
    try {
      await client.messages.send({
        pack_id: String(sales.shelf.pack_id),
        user_id: seller.user_id,
        to,
        text,
      });
    } catch (error) {
      if (!(error instanceof ConversationBlockedError)) throw error;
      say.error(error);
      say.line(`  error.reason: ${error.reason ?? 'none'}`);
    }
  },
};
