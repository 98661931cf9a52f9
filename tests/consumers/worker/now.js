import { SellerClient, isAnswerable } from 'marketplace-seller-sdk';
import { handleNow } from 'marketplace-seller-sdk/inbox';

export default {
  fetch: (request, env) =>
    handleNow(request, {
      path: env.CALLBACK_PATH,
      clientFor: (user_id) =>
        user_id === Number(env.SELLER_ID)
          ? new SellerClient({ baseUrl: env.SELLER_BASE_URL, accessToken: env.SELLER_TOKEN })
          : undefined,
      on: {
        questions: async (_, { read, client }) => {
          const question = await read();
          if (isAnswerable(question)) await client.questions.answer({ question_id: question.id, text: 'Yes.' });
        },
      },
    }),
};
