import { join } from 'node:path';
import { fetchHandler } from 'marketplace-seller-sdk/inbox';
import { createOAuth, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import { inboxOf, sellersOf } from '../../../examples/inbox-bot/inbox.ts';

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
  const inbox = inboxOf({ file: join(folder, 'inbox.db'), sellers: clients });
  if (start === 1)
    for (const { user_id } of sellers) {
      const refreshToken = marketplace.accounts.issueRefreshToken(user_id);
      await tokens.save(user_id, { accessToken: 'expired', refreshToken, expiresAt: Date.now() });
    }
  inbox.start();
  return {
    callback: fetchHandler(inbox),
    stats: () => inbox.stats(),
    stop: async () => {
      await inbox.close();
      await clients.close();
      await tokens.close?.();
    },
  };
}
