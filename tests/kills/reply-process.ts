// The guide's handlers of questions and messages in a process of their own, with an inbox in SQLite.
// node reply-process.js <database> <URL of the marketplace> <token> <user id>
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SellerClient, hasStatus } from 'marketplace-seller-sdk';
import { createReceiver, nodeHandler, sqliteStore } from 'marketplace-seller-sdk/notifications';

const [path = '', baseUrl = '', accessToken = '', user = ''] = process.argv.slice(2);
const client = new SellerClient({ baseUrl, accessToken, allowInsecure: true, timeoutMs: 2_000 });
const receiver = createReceiver({
  store: sqliteStore({ path }),
  clientFor: (user_id) => (user_id === Number(user) ? client : undefined),
  concurrency: 8,
  leaseMs: 300,
  pollMs: 50,
  acceptTimeoutMs: 5_000,
  retry: { baseMs: 50, capMs: 500 },
  onFailure: () => {},
  on: {
    questions: async (_, { read, client: { questions } }) => {
      const question = await read();
      if (!hasStatus(question, 'UNANSWERED')) return;
      await questions.answer({ question_id: question.id, text: 'Yes.' });
    },
    messages: async ({ user_id }, { read, reply }) => {
      const message = await read();
      if (message.from?.user_id === user_id) return; // the seller's own
      await reply('Thank you, we will look into it.');
    },
  },
});
receiver.start();
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
