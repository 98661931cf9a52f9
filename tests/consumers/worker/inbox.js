import { SellerClient, isAnswerable } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import now from './now.js';

let handle;

/** Answers a question when it is asked: before the response, or after it in what the platform waits for. */
export function receive(request, env, context) {
  if (new URL(request.url).pathname === '/now') return now.fetch(request, env);
  const seller = new SellerClient({ baseUrl: env.SELLER_BASE_URL, accessToken: env.SELLER_TOKEN });
  handle ??= fetchHandler(
    createInbox({
      clientFor: (user_id) => (user_id === Number(env.SELLER_ID) ? seller : undefined),
      on: {
        questions: async (_, { read, client }) => {
          const question = await read();
          if (isAnswerable(question)) await client.questions.answer({ question_id: question.id, text: 'Yes.' });
        },
      },
    }),
  );
  return handle(request, context);
}
