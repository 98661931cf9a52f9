/**
 * A bot that answers questions for several sellers (inbox.ts). Express receives notifications; SQLite
 * stores notifications and tokens.
 *
 *   node examples/inbox-bot.ts      runs the bot against a fake marketplace
 *
 * To run it against a service, set BASE_URL, CALLBACK_PATH (which nobody can guess: see secretPath), and what the registration of
 * the application says: CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, AUTHORIZATION_URL and TOKEN_URL. TOKENS (tokens.db), INBOX
 * (inbox.db) and PORT (8080) have defaults.
 *
 * The sellers are those whose tokens `sellers.add` has stored. SIGTERM stops the bot. Notifications that are not handled yet
 * stay in the file of the inbox.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { nodeHandler } from 'marketplace-seller-sdk/inbox';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { oauthOf, registration } from '../application.ts';
import { needed } from '../environment.ts';
import { inboxOf, sellersOf } from './inbox.ts';

const settings = needed('BASE_URL', 'CALLBACK_PATH', ...registration);
const { TOKENS = 'tokens.db', INBOX: file = 'inbox.db', PORT: port = '8080' } = process.env;
const { refresh } = oauthOf(settings);
const tokens = sqliteTokens(TOKENS);
const path = settings.CALLBACK_PATH;
const sellers = sellersOf(settings.BASE_URL, { tokens, refresh });
const inbox = inboxOf({ file, path, sellers });

const app = express();
app.all(path, nodeHandler(inbox));
const server = app.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
// Handle what an earlier process has left, and what nobody was told of.
inbox.start();
console.log(`listening on port ${(server.address() as AddressInfo).port}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());

/** Stops accepting notifications, lets running handlers and refreshes finish, and ends the process. */
async function stop(): Promise<void> {
  server.close();
  await inbox.close();
  server.closeAllConnections();
  await sellers.close();
  await tokens.close?.();
}
