import { BadRequestError, isAnswerable } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import type { Handlers } from 'marketplace-seller-sdk/inbox';

/** The handlers of docs/guide/notifications.md, word for word: `replies.test.ts` compares them. */
export const guideHandlers: Handlers<SellerClient> = {
  questions: async (_, { read, client }) => {
    const question = await read();
    if (!isAnswerable(question)) return;
    const question_id = question.id;
    try {
      await client.questions.answer({ question_id, text: 'Yes.' });
      console.log('answered:', question.text);
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      console.log(error.message); // for example: its item is paused
    }
  },
  messages: async ({ user_id }, { read, reply }) => {
    const message = await read();
    if (message.from?.user_id === user_id) return; // the seller's own
    await reply('Thank you, we will look into it.');
  },
};
