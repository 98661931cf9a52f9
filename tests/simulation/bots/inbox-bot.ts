import { join } from 'node:path';
import { fetchHandler } from 'marketplace-seller-sdk/notifications';
import { createOAuth, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import { receiverOf, sellersOf } from '../../../examples/inbox-bot/receiver.ts';

/** The bot of the examples, without its server. */
export async function inboxBot({ baseUrl, folder, start, sellers, marketplace }: World): Promise<Bot> {
  const oauth = createOAuth({
    clientId: '500',
    clientSecret: 'secret',
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: `${baseUrl}/authorization`,
    tokenUrl: `${baseUrl}/oauth/token`,
  });
  const tokens = sqliteTokens(join(folder, 'tokens.db'));
  const clients = sellersOf(baseUrl, { tokens, refresh: oauth.refresh });
  const receiver = receiverOf(join(folder, 'inbox.db'), clients);
  if (start === 1)
    for (const { user_id } of sellers) {
      const refreshToken = marketplace.accounts.issueRefreshToken(user_id);
      await tokens.save(user_id, { accessToken: 'expired', refreshToken, expiresAt: Date.now() });
    }
  receiver.start();
  return {
    callback: fetchHandler(receiver),
    stats: () => receiver.stats(),
    stop: async () => {
      await receiver.close();
      await clients.close();
      await tokens.close?.();
    },
  };
}
