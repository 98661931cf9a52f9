/**
 * A bot that answers questions for several sellers. Express receives notifications; SQLite stores
 * notifications and tokens.
 *
 *   node examples/inbox-bot.ts      runs the bot against a fake marketplace
 *
 * To run it against a service, set BASE_URL, CALLBACK_PATH (which nobody can guess), and what the registration of
 * the application says: CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, AUTHORIZATION_URL and TOKEN_URL. DATABASE (bot.db) and
 * PORT (8080) have defaults.
 *
 * Each row of the table `tokens` in the database is a seller. SIGTERM stops the bot. Notifications that are not handled yet
 * stay in the database.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { QuestionNotOpenError, SellerClient, hasStatus } from 'marketplace-seller-sdk';
import { createReceiver, nodeHandler, sqliteStore } from 'marketplace-seller-sdk/notifications';
import { oauthOf, registration } from '../application.ts';
import { needed } from '../environment.ts';
import { SqliteTokens } from '../sqlite-tokens.ts';

const settings = needed('BASE_URL', 'CALLBACK_PATH', ...registration);
const { DATABASE: path = 'bot.db', PORT: port = '8080' } = process.env;
const oauth = oauthOf(settings);

const tokens = new SqliteTokens(path);
const clients = new Map<number, SellerClient>();

/**
 * Returns the client of a seller. Each seller has one client, which holds the seller's rate limit and
 * token.
 */
function clientFor(user_id: number): SellerClient | undefined {
  const known = clients.get(user_id);
  if (known) return known;
  if (!tokens.load(user_id)) return undefined; // not one of our sellers: the notification is dropped
  const accessToken = tokens.accessToken(user_id, oauth.refresh);
  const client = new SellerClient({ baseUrl: settings.BASE_URL, accessToken, onUnknownOutcome: 'confirm' });
  clients.set(user_id, client);
  return client;
}

const receiver = createReceiver({
  // The inbox needs its own file.
  store: sqliteStore({ path: `${path}.inbox` }),
  clientFor,
  // At the start, the bot looks for questions whose notification never came.
  sellers: () => tokens.sellers(),
  on: {
    questions: async ({ user_id }, { read }) => {
      // Anybody can post a notification. Trust only the state that the service returns.
      const question = await read();
      const { id, seller_id, text } = question;
      if (seller_id !== user_id || !hasStatus(question, 'UNANSWERED')) return;
      const answer = /stock|available/i.test(text ?? '') && 'Yes, it is in stock.';
      try {
        if (answer) await clientFor(user_id)?.questions.answer({ question_id: id, text: answer });
        console.log(`seller ${user_id}: question ${id} is ${answer ? 'answered' : 'left for a person'}`);
      } catch (error) {
        if (!(error instanceof QuestionNotOpenError)) throw error; // the receiver tries again later
      }
    },
  },
  onFailure: ({ error, attempt, dead }) =>
    console.error(`attempt ${attempt} failed${dead ? ' for good' : ''}:`, error),
});

const app = express();
// Notifications have no signature, so the path is a secret that nobody else can guess.
app.all(settings.CALLBACK_PATH, nodeHandler(receiver));
const server = app.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
// Handle what an earlier process has left, and what nobody was told of.
receiver.start();
console.log(`listening on port ${(server.address() as AddressInfo).port}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());

/** Stops accepting notifications, lets running handlers finish, and ends the process. */
async function stop(): Promise<void> {
  server.close();
  await receiver.close();
  server.closeAllConnections();
  tokens.close();
}
