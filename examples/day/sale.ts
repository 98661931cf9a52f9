import { moderationOf, moderationReasonOf } from 'marketplace-seller-sdk';
import type { Chapter } from './stage.ts';

/**
 * The seller has one channel before the buyer writes, and another one after. `contact` uses the one that
 * is open.
 */
export const sale: Chapter = {
  title: 'Lucía buys the desk lamp, and the shop writes to her',
  at: '2026-03-02T14:00:00-03:00',

  async play({ say, client, seller, buyers, sales, marketplace }) {
    const pack_id = String(sales.lamp.pack_id);
    say.code('await seller.actionGuide.options({ pack_id });');
    const { options } = await client.actionGuide.options({ pack_id });
    for (const { id, type, cap_available, char_limit } of options) {
      const form = type === 'template' ? 'a template' : `a text of up to ${char_limit ?? '?'}`;
      say.line(`${id.padEnd(21)} ${form.padEnd(20)} ${cap_available ?? 0} left`);
    }

    const to = { user_id: buyers.lucia.user_id };
    const write = (message: string) =>
      client.messages.contact({ pack_id, user_id: seller.user_id, to, text: message });
    const text = 'Thank you! Your lamp leaves this afternoon.';
    say.line('');
    say.code('await seller.messages.contact({ pack_id, user_id, to, text });');
    say.quote(seller.nickname, '', text);
    say.good(`Sent. ${channels[(await write(text)).channel]}`);
    const caps = await client.actionGuide.caps({ pack_id });
    const other = caps.find(({ option_id }) => option_id === 'OTHER');
    say.line(`OTHER now has ${other?.cap_available ?? 0} left until she writes:`);

    marketplace.clock.advance({ minutes: 12 });
    const reply = 'Great! Could I have the invoice, and a number to call?';
    marketplace.buyerWrites({ pack: sales.lamp, text: reply });
    say.quote(buyers.lucia.nickname, '', reply);

    const number = 'Of course. Call +54 11 5555 0199.';
    say.quote(seller.nickname, '', number);
    const { channel, message } = await write(number);
    say.good(`Sent. ${channels[channel]}`);
    say.code('moderationOf(message)');
    if (moderationOf(message) !== 'rejected') return;
    const reason = moderationReasonOf(message) ?? 'no reason given';
    say.bad(`The call succeeded, but moderation rejected the message: ${reason}.`);
  },
};

const channels = {
  option: 'Channel: the option OTHER, because she has not written yet.',
  conversation: 'Channel: the conversation, which is open now.',
} as const;
