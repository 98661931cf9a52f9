import { SellerClient, isAnswerable } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler, handleNow } from 'marketplace-seller-sdk/notifications';

let handle;

/** Answers a question when it is asked: before the response, or after it in what the platform waits for. */
export function receive(request, { SELLER_BASE_URL, SELLER_TOKEN, SELLER_ID }, context) {
  const options = {
    clientFor: (user_id) =>
      user_id === Number(SELLER_ID)
        ? new SellerClient({ baseUrl: SELLER_BASE_URL, accessToken: SELLER_TOKEN })
        : undefined,
    on: {
      questions: async (_, { read, client }) => {
        const question = await read();
        if (isAnswerable(question)) await client.questions.answer({ question_id: question.id, text: 'Yes.' });
      },
    },
  };
  if (new URL(request.url).pathname === '/now') return handleNow(request, options);
  handle ??= fetchHandler(createInbox(options));
  return handle(request, context);
}
